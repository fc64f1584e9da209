"""Who may do what over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from service.access.repository import UserRepository
from service.access.roles import Role
from service.app import create_app
from service.audit.entry import Author
from service.db import engine as db
from service.samples.generator import Sample
from service.settings import AccessSettings, Settings
from tests.contract import openapi
from tests.integration.client import assert_problem, key_of, ready_client, settings_of, values_of

PASSWORD = "correct horse battery"  # noqa: S105
OPEN_PATHS = {("get", "/livez"), ("get", "/readyz"), ("get", "/metrics"), ("post", "/v1/session")}
OPERATIONS = [
    (method, path, operation["operationId"])
    for path, operations in json.loads(openapi())["paths"].items()
    for method, operation in operations.items()
]
SUBMIT, READ, REVIEW, CONFIGURE = "camera engineer admin", "qa engineer admin", "qa admin", "engineer admin"
ALLOWED = {
    "create_inspection": SUBMIT,
    "list_inspections": READ,
    "get_inspection": READ,
    "get_inspection_image": READ,
    "get_inspection_thumbnail": READ,
    "get_inspection_overlay": READ,
    "export_inspections": READ,
    "review_inspection": REVIEW,
    "get_statistics": READ,
    "get_statistics_by_group": READ,
    "get_field_scores": READ,
    "get_streaks": READ,
    "get_report": READ,
    "assign_station": CONFIGURE,
    "list_recipes": READ,
    "get_recipe": READ,
    "export_recipe": READ,
    "list_recipe_versions": READ,
    "diff_recipe": READ,
    "list_recipe_changes": READ,
    "create_recipe_version": CONFIGURE,
    "validate_recipe": CONFIGURE,
    "activate_recipe": CONFIGURE,
    "roll_back_recipe": CONFIGURE,
    "deactivate_recipe": CONFIGURE,
    "try_recipe": CONFIGURE,
    "list_stations": READ,
    "get_station": READ,
    "list_changeovers": READ,
    "change_over_station": CONFIGURE,
    "list_audit": READ,
    "get_session": "camera qa engineer admin",
    "log_out": "camera qa engineer admin",
    "get_info": "camera qa engineer admin",
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, samples: tuple[Path, list[Sample]]) -> Settings:
    return settings_of(
        tmp_path_factory.mktemp("data"),
        samples[0] / "recipes",
    )


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[TestClient]:
    """Without a key."""
    for one in ready_client(settings):
        users = UserRepository(db.connect(settings.database))
        users.add("ann", Role.QA, PASSWORD, Author("the tests", "needed"))
        del one.headers["Authorization"]
        yield one


@pytest.fixture(scope="module")
def keys(client: TestClient) -> dict[str, dict[str, str]]:
    return {role.value: key_of(client.app, f"a {role.value}", role) for role in Role}  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _no_session(client: TestClient) -> None:
    client.cookies.clear()


def log_in(client: TestClient, password: str = PASSWORD) -> dict[str, Any]:
    response = client.post("/v1/session", json={"name": "ann", "password": password})
    assert response.status_code == 200, response.text
    session: dict[str, Any] = response.json()
    return session


def call(client: TestClient, method: str, path: str, headers: dict[str, str]) -> int:
    filled = path
    for name in ("inspection_id", "name", "station_id"):
        filled = filled.replace(f"{{{name}}}", "none")
    status: int = client.request(method, filled, headers=headers).status_code
    return status


def test_the_table_of_who_may_do_what_is_whole() -> None:
    protected = {name for method, path, name in OPERATIONS if (method, path) not in OPEN_PATHS}
    assert protected == set(ALLOWED)


@pytest.mark.parametrize(("method", "path", "name"), OPERATIONS)
def test_roles(
    client: TestClient, keys: dict[str, dict[str, str]], method: str, path: str, name: str
) -> None:
    if name not in ALLOWED:
        assert call(client, method, path, {}) not in {401, 403}
        return
    assert call(client, method, path, {}) == 401
    assert call(client, method, path, {"Authorization": "Bearer pp_wrong"}) == 401
    for role, header in keys.items():
        allowed = role in ALLOWED[name].split()
        assert (call(client, method, path, header) == 403) is not allowed, role


def test_a_refused_camera_is_told_to_reject(client: TestClient, good: tuple[bytes, Sample]) -> None:
    image, sample = good
    for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": "Basic eDp4"}):
        response = client.post(
            "/v1/inspections",
            params=values_of(sample),
            content=image,
            headers={**headers, "Content-Type": "image/jpeg"},
        )
        assert assert_problem(response, 401, "unauthenticated")["reject"] is True
        assert response.headers["www-authenticate"] == "Bearer"


def test_a_key_of_a_station_speaks_for_it_only(client: TestClient, good: tuple[bytes, Sample]) -> None:
    image, sample = good
    headers = key_of(client.app, "camera 7", Role.CAMERA, "line-7")  # type: ignore[arg-type]
    headers["Content-Type"] = "image/jpeg"

    def post(**more: str) -> Any:
        return client.post("/v1/inspections", params=values_of(sample) | more, content=image, headers=headers)

    assert post().json()["station_id"] == "line-7"
    assert post(station_id="line-7").json()["station_id"] == "line-7"
    problem = assert_problem(post(station_id="line-8"), 403, "forbidden")
    assert problem["reject"] is True


def test_a_session(client: TestClient) -> None:
    assert_problem(client.get("/v1/inspections"), 401, "unauthenticated")
    response = client.post("/v1/session", json={"name": "ann", "password": PASSWORD})
    cookie = response.headers["set-cookie"].lower()
    assert all(part in cookie for part in ("httponly", "samesite=strict", "max-age=43200", "path=/"))
    session = response.json()
    assert (session["name"], session["role"], session["permissions"]) == ("ann", "qa", ["read", "review"])
    assert client.get("/v1/inspections").status_code == 200
    assert client.get("/v1/session").json() == session
    assert_problem(client.delete("/v1/session"), 403, "csrf_token_invalid")
    assert_problem(client.delete("/v1/session", headers={"X-CSRF-Token": "x"}), 403, "csrf_token_invalid")
    done = client.delete("/v1/session", headers={"X-CSRF-Token": session["csrf_token"]})
    assert done.status_code == 204
    assert_problem(client.get("/v1/inspections"), 401, "unauthenticated")


def test_the_cookie_goes_over_tls_only_where_there_is_tls(client: TestClient) -> None:
    said = {"name": "ann", "password": PASSWORD}
    plain, tls = (
        client.post("/v1/session", json=said),
        client.post("https://testserver/v1/session", json=said),
    )
    assert "secure" not in plain.headers["set-cookie"].lower()
    assert "secure" in tls.headers["set-cookie"].lower()


def test_a_wrong_password_and_an_unknown_name_are_answered_alike(client: TestClient) -> None:
    answers = [
        client.post("/v1/session", json={"name": name, "password": "wrong"}).json()
        for name in ("ann", "nobody")
    ]
    assert answers[0] == answers[1]
    assert answers[0]["code"] == "log_in_refused"


def test_log_ins_are_limited(client: TestClient) -> None:
    for _ in range(5):
        client.post("/v1/session", json={"name": "eve", "password": "wrong"})
    response = client.post("/v1/session", json={"name": "eve", "password": "wrong"})
    assert_problem(response, 429, "log_in_limited")
    assert 0 < int(response.headers["retry-after"]) <= 901


def test_changes_are_signed_by_who_made_them(client: TestClient, keys: dict[str, dict[str, str]]) -> None:
    source = 'recipe: signed\nfields:\n  - {name: a, expect: "A"}\n'
    body = {"source": source, "reason": "for the test", "activate": True}
    assert client.post("/v1/recipes", json=body, headers=keys["engineer"]).status_code == 201
    entries = client.get("/v1/audit", params={"subject": "recipe/signed"}, headers=keys["qa"]).json()["items"]
    assert [(one["action"], one["by"].split(" (")[0], one["reason"]) for one in entries] == [
        ("recipe.activated", "a engineer", "for the test"),
        ("recipe.created", "a engineer", "for the test"),
    ]
    assert all(re.fullmatch(r"a engineer \(key/[0-9a-f]{8}\)", one["by"]) for one in entries)
    log_in(client)
    first = client.get("/v1/audit", params={"action": "user.logged_in", "limit": 1}).json()
    assert first["items"][0]["by"] == "ann"
    assert first["next_cursor"] == first["items"][0]["number"]


def test_access_is_open_only_by_setting(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    app = create_app(settings.model_copy(update={"access": AccessSettings(open=True)}))
    assert "access_open" in capsys.readouterr().out
    with TestClient(app) as client:
        assert client.get("/v1/inspections").status_code == 200
        assert client.get("/v1/session").json()["role"] == "admin"
        wrong = client.get("/v1/inspections", headers={"Authorization": "Bearer pp_wrong"})
        assert_problem(wrong, 401, "unauthenticated")

"""Recipes created, changed, compared, activated, rolled back and tried, and stations that run them, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from service.db import engine as db
from service.recipes.repository import RecipeRepository
from service.samples.generator import Sample
from service.settings import Settings
from tests.integration.client import assert_problem, post, ready_client, settings_of

ANN = {"reason": "new customer"}
SOURCE = """recipe: {name}
fields:
  - name: brand
    expect: "{brand}"
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, samples: tuple[Path, list[Sample]]) -> Settings:
    return settings_of(
        tmp_path_factory.mktemp("data"),
        samples[0] / "recipes",
    )


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[TestClient]:
    yield from ready_client(settings)


@pytest.fixture(scope="module")
def label(samples: tuple[Path, list[Sample]]) -> bytes:
    """A good label on which ALPENGLOW stands."""
    sample = next(one for one in samples[1] if one.defect is None and "ALPENGLOW" in one.lines)
    return (samples[0] / sample.file).read_bytes()


def create(
    client: TestClient, name: str, brand: str, *, based_on: int = 0, activate: bool = True
) -> dict[str, Any]:
    source = SOURCE.format(name=name, brand=brand)
    body = {"source": source, "based_on": based_on, "activate": activate, **ANN}
    response = client.post("/v1/recipes", json=body)
    assert response.status_code == 201, response.text
    created: dict[str, Any] = response.json()
    return created


def test_create_change_and_roll_back(client: TestClient, label: bytes) -> None:
    first = create(client, "one", "ALPENGLOW")
    assert (first["name"], first["version"], first["active"], first["from_file"]) == ("one", 1, True, False)
    assert post(client, label, {"recipe": "one"}).json()["verdict"] == "PASS"
    second = create(client, "one", "SUNRISE", based_on=1, activate=False)
    assert (second["version"], second["active"]) == (2, False)
    assert client.get("/v1/recipes/one").json()["version"] == 1
    activated = client.post("/v1/recipes/one:activate", json={"version": 2, **ANN}).json()
    assert (activated["version"], activated["active"]) == (2, True)
    failed = post(client, label, {"recipe": "one"}).json()
    assert (failed["verdict"], failed["recipe_version"]) == ("FAIL", 2)
    back = client.post("/v1/recipes/one:roll_back", json={"reason": "wrong brand"}).json()
    assert back["version"] == 1
    assert [one["active"] for one in client.get("/v1/recipes/one/versions").json()["items"]] == [False, True]
    log = client.get("/v1/recipes/one/changes").json()["items"]
    assert [(one["action"], one["version"], one["by"].split(" (")[0], one["reason"]) for one in log] == [
        ("activated", 1, "ann", "wrong brand"),
        ("activated", 2, "ann", "new customer"),
        ("created", 2, "ann", "new customer"),
        ("activated", 1, "ann", "new customer"),
        ("created", 1, "ann", "new customer"),
    ]


def test_nobody_overwrites_what_another_has_changed(client: TestClient) -> None:
    create(client, "two", "A")
    create(client, "two", "B", based_on=1)
    body = {"source": SOURCE.format(name="two", brand="C"), "based_on": 1, **ANN}
    problem = assert_problem(client.post("/v1/recipes", json=body), 409, "version_conflict")
    assert problem["detail"] == "recipe two is at version 2, and this change is based on 1"
    assert_problem(client.post("/v1/recipes", json={**body, "based_on": 0}), 409, "version_conflict")


def test_compare_and_export(client: TestClient) -> None:
    create(client, "three", "A")
    create(client, "three", "B", based_on=1)
    diff = client.get("/v1/recipes/three/diff", params={"from": 1, "to": 2}).json()["diff"]
    assert '-    expect: "A"\n+    expect: "B"\n' in diff
    exported = client.get("/v1/recipes/three/source", params={"version": 1})
    assert exported.text == SOURCE.format(name="three", brand="A")
    assert exported.headers["content-type"].startswith("application/yaml")
    assert 'filename="three.yaml"' in exported.headers["content-disposition"]
    assert_problem(client.get("/v1/recipes/three/diff", params={"from": 1, "to": 9}), 404, "recipe_not_found")


def test_validate_names_every_fault(client: TestClient) -> None:
    source = "recipe: x\nfields:\n  - {name: a}\n  - {name: b, expect: 012}\n"
    found = client.post("/v1/recipes:validate", json={"source": source}).json()
    assert found["valid"] is False
    assert [(one["line"], one["column"]) for one in found["issues"]] == [(4, 23)]
    assert "unquoted 012" in found["issues"][0]["message"]
    good = client.post("/v1/recipes:validate", json={"source": SOURCE.format(name="x", brand="{lot}")}).json()
    assert good == {"valid": True, "name": "x", "expected": ["lot"], "issues": []}
    body = {"source": source, **ANN}
    assert "4:23" in assert_problem(client.post("/v1/recipes", json=body), 422, "recipe_invalid")["detail"]


def test_try_stores_nothing(client: TestClient, label: bytes) -> None:
    create(client, "four", "ALPENGLOW", activate=False)
    assert_problem(post(client, label, {"recipe": "four"}), 404, "recipe_not_found")
    headers = {"Content-Type": "image/jpeg"}
    tried = client.post("/v1/recipes/four:try", params={"version": 1}, content=label, headers=headers)
    assert tried.status_code == 200, tried.text
    assert (tried.json()["verdict"], tried.json()["recipe_version"]) == ("PASS", 1)
    assert client.get("/v1/inspections", params={"recipe": "four"}).json()["items"] == []
    form = client.post("/v1/recipes/four:try?version=1", files={"image": ("a.jpg", label, "image/jpeg")})
    assert form.json()["verdict"] == "PASS"
    wrong = client.post("/v1/recipes/four:try", params={"version": 9}, content=label, headers=headers)
    assert_problem(wrong, 404, "recipe_not_found")


def test_a_recipe_of_the_folder_is_changed_there(client: TestClient) -> None:
    body = {"source": SOURCE.format(name="tablets", brand="A"), "based_on": 1, **ANN}
    assert_problem(client.post("/v1/recipes", json=body), 409, "recipe_from_file")
    for action, more in (("activate", {"version": 1}), ("roll_back", {}), ("deactivate", {})):
        response = client.post(f"/v1/recipes/tablets:{action}", json={**more, **ANN})
        assert_problem(response, 409, "recipe_from_file")


def test_deactivated_versions_stay(client: TestClient, label: bytes) -> None:
    create(client, "five", "ALPENGLOW")
    assert client.post("/v1/recipes/five:deactivate", json=ANN).status_code == 204
    assert_problem(post(client, label, {"recipe": "five"}), 404, "recipe_not_found")
    assert client.get("/v1/recipes/five", params={"version": 1}).status_code == 200
    assert_problem(client.post("/v1/recipes/five:deactivate", json=ANN), 404, "recipe_not_found")


def test_there_is_nothing_to_roll_back_to(client: TestClient) -> None:
    create(client, "six", "A")
    for name in ("six", "none"):
        assert_problem(client.post(f"/v1/recipes/{name}:roll_back", json=ANN), 404, "recipe_not_found")
    missing = client.post("/v1/recipes/six:activate", json={"version": 5, **ANN})
    assert_problem(missing, 404, "recipe_not_found")


@pytest.mark.parametrize("author", [{}, {"reason": ""}, {"reason": "a\nb"}, {"by": "ann", "reason": "x"}])
def test_who_and_why_must_be_said(client: TestClient, author: dict[str, str]) -> None:
    body = {"source": SOURCE.format(name="seven", brand="A"), **author}
    assert_problem(client.post("/v1/recipes", json=body), 422, "value_invalid")


def test_a_station_runs_a_recipe(client: TestClient, label: bytes) -> None:
    create(client, "eight", "ALPENGLOW")
    create(client, "nine", "SUNRISE")
    assert_problem(post(client, label, {"station_id": "line-3"}), 404, "station_not_found")
    for recipe, verdict in (("eight", "PASS"), ("nine", "FAIL")):
        body = {"recipe": recipe, "reason": "next order"}
        station = client.put("/v1/stations/line-3/recipe", json=body).json()
        assert (station["id"], station["recipe"]) == ("line-3", recipe)
        result = post(client, label, {"station_id": "line-3"}).json()
        assert (result["recipe"], result["station_id"], result["verdict"]) == (recipe, "line-3", verdict)
    log = client.get("/v1/stations/line-3/changeovers").json()["items"]
    assert [(one["recipe"], one["by"].split(" (")[0], one["reason"]) for one in log] == [
        ("nine", "ann", "next order"),
        ("eight", "ann", "next order"),
    ]
    assert [one["id"] for one in client.get("/v1/stations").json()["items"]] == ["line-3"]
    assert client.get("/v1/stations/line-3").json()["recipe"] == "nine"
    unknown = client.put("/v1/stations/line-3/recipe", json={"recipe": "no", **ANN})
    assert_problem(unknown, 404, "recipe_not_found")
    assert client.get("/v1/stations/line-3").json()["recipe"] == "nine"
    neither = post(client, label, {})
    assert "station_id" in assert_problem(neither, 422, "value_invalid")["detail"]
    assert neither.json()["reject"] is True


def test_recipes_of_the_service_outlive_a_start(client: TestClient, settings: Settings) -> None:
    create(client, "ten", "A")
    database = db.connect(settings.database)
    repository = RecipeRepository(database)
    files = [one for one in repository.active_recipes() if one.from_file]
    assert repository.sync([(one.recipe, one.source) for one in files]) == []
    assert repository.active("ten").version == 1
    database.dispose()

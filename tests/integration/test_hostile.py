"""Text that is meant to do harm is stored and given back as data, on both databases; what cannot be stored is refused."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from service.db import engine as db
from service.samples.generator import Sample
from tests.integration.client import assert_problem, post, ready_client, settings_of
from tests.postgresql import PostgreSQL

RECIPE = 'recipe: any\nfields:\n  - {name: lot, expect: "{lot}"}\n'
TEXTS = [
    "=cmd|' /C calc'!A0",
    "+1",
    "<script>alert(1)</script>",
    "]]></svg>&amp;",
    "'; DROP TABLE inspections; --",
    "\u202egnp.exe",
    "\U0001f600 \u0000".replace("\u0000", "\u200d"),
    "%s %d {0} {lot} %00",
]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    url = None
    if request.param == "postgresql":
        server: PostgreSQL = request.getfixturevalue("postgresql")
        url = server.new_database()
    recipes = tmp_path_factory.mktemp("recipes")
    (recipes / "any.yaml").write_text(RECIPE)
    settings = settings_of(
        tmp_path_factory.mktemp("data"),
        recipes,
        database_url=url,
    )
    yield from ready_client(settings)
    db.connect(settings.database).dispose()


@pytest.fixture(scope="module")
def image(samples: tuple[Path, list[Sample]]) -> bytes:
    return (samples[0] / samples[1][0].file).read_bytes()


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_data(client: TestClient, image: bytes, text: str) -> None:
    values = {"recipe": "any", "expected": f'{{"lot": {quoted(text)}}}', "station_id": text, "part_id": text}
    response = post(client, image, values)
    assert response.status_code == 201, response.text
    result = response.json()
    path = f"/v1/inspections/{result['id']}"
    assert client.get(path).json() == result
    assert (result["fields"][0]["expected"], result["station_id"], result["part_id"]) == (text, text, text)
    assert result["id"] in [
        one["id"] for one in client.get("/v1/inspections", params={"station_id": text}).json()["items"]
    ]
    if len(text) > 2:
        assert client.get("/v1/inspections", params={"text": text}).json()["items"][0]["id"] == result["id"]
    overlay = client.get(f"{path}/overlay").text
    assert "<script" not in overlay
    assert "lot: " in "".join(ET.fromstring(overlay).itertext())  # noqa: S314 (our own SVG)
    table = client.get("/v1/inspections.csv", params={"part_id": text}).text
    row = next(csv.DictReader(io.StringIO(table)))
    assert row["part_id"] in {text, f"'{text}"}
    assert not row["part_id"].startswith(("=", "+"))


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


SURROGATE = b"\\ud800"
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/inspections?text=%ED%A0%80abc", None),
        ("GET", "/v1/inspections?station_id=%00", None),
        ("GET", "/v1/inspections?recipe=%ED%A0%80", None),
        ("GET", "/v1/inspections/%00", None),
        ("GET", "/v1/inspections/%ED%A0%80/image", None),
        ("GET", "/v1/recipes/%00", None),
        ("GET", "/v1/recipes/%ED%A0%80/versions", None),
        ("GET", "/v1/recipes/a%00/changes", None),
        ("GET", "/v1/recipes/%00/diff?from=1&to=2", None),
        ("GET", "/v1/recipes/%00/source", None),
        ("POST", "/v1/recipes/%00:roll_back", b'{"reason": "x"}'),
        ("POST", "/v1/recipes/%00:deactivate", b'{"reason": "x"}'),
        ("POST", "/v1/recipes/%00:activate", b'{"reason": "x", "version": 1}'),
        ("GET", "/v1/stations/%00", None),
        ("GET", "/v1/stations/%ED%A0%80/changeovers", None),
        ("PUT", "/v1/stations/a%00b/line", b'{"line": "x", "reason": "y"}'),
        ("PUT", "/v1/stations/a/line", b'{"line": "' + SURROGATE + b'", "reason": "y"}'),
        ("PUT", "/v1/stations/a/recipe", b'{"recipe": "a\\u0000", "reason": "y"}'),
        ("PUT", "/v1/stations/a/recipe", b'{"recipe": "' + SURROGATE + b'", "reason": "y"}'),
        ("POST", "/v1/recipes", b'{"source": "recipe: y", "reason": "' + SURROGATE + b'"}'),
        ("POST", "/v1/recipes", b'{"source": "recipe: y # ' + SURROGATE + b'", "reason": "x"}'),
        ("POST", "/v1/recipes:validate", b'{"source": "recipe: y # ' + SURROGATE + b'"}'),
        ("POST", "/v1/recipes:validate", b'{"source": "recipe: y # a\\u0000"}'),
        ("POST", "/v1/session", b'{"name": "a\\u0000", "password": "x"}'),
        ("POST", "/v1/session", b'{"name": "' + SURROGATE + b'", "password": "x"}'),
        ("POST", "/v1/session", b'{"name": "a", "password": "' + SURROGATE + b'"}'),
        ("GET", "/v1/audit?subject=%00", None),
        ("GET", "/v1/audit?by=%ED%A0%80", None),
        ("GET", "/v1/stats?line=%00", None),
        ("GET", "/v1/stats/scores?recipe=%ED%A0%80", None),
    ],
)
def test_what_no_database_takes_is_refused(
    client: TestClient, method: str, path: str, body: bytes | None
) -> None:
    response = client.request(method, path, content=body, headers=JSON if body else {})
    assert response.status_code in {200, 401, 404, 422}, response.text
    assert "Traceback" not in response.text


def test_a_key_of_any_bytes_is_no_key(client: TestClient) -> None:
    for header in (b"Bearer \xff", b"Bearer " + b"x" * 10_000, b"Bearer", b"\x01"):
        response = client.get("/v1/inspections", headers={b"Authorization": header})
        assert_problem(response, 401, "unauthenticated")
    cookie = {b"Cookie": b"printproof_session=\xff\xfe", b"Authorization": b""}
    assert_problem(client.get("/v1/inspections", headers=cookie), 401, "unauthenticated")


def test_nobody_without_a_key_sends_much(client: TestClient) -> None:
    """A body is read and parsed before anybody is asked for a key."""
    long = b'{"0":' + b"[" + b"[]," * 400_000 + b"[]]}"
    for path in ("/v1/session", "/v1/recipes:validate", "/v1/stations/a/recipe"):
        method = "PUT" if "stations" in path else "POST"
        response = client.request(method, path, content=long, headers={**JSON, "Authorization": ""})
        assert_problem(response, 413, "image_too_large")
    many = b"{" + b",".join(b'"%d": 1' % number for number in range(30_000)) + b"}"
    refused = client.post("/v1/session", content=many, headers=JSON)
    assert len(assert_problem(refused, 422, "value_invalid")["detail"]) < 10_000


def test_what_signs_the_trail_is_one_plain_line(client: TestClient) -> None:
    for name in ("ann\x9b31m", "\u202egnp", "a\u2028b"):
        assert_problem(client.post("/v1/session", json={"name": name, "password": "x"}), 422, "value_invalid")

"""What QA does with results over HTTP: search, review, count, export."""

from __future__ import annotations

import csv
import datetime as dt
import html
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from service.samples.generator import Sample
from service.settings import PlantSettings
from tests.integration.client import assert_problem, post, ready_client, settings_of, values_of

REASON = {"reason": "looked at it"}


@pytest.fixture(scope="module")
def client(
    tmp_path_factory: pytest.TempPathFactory, samples: tuple[Path, list[Sample]]
) -> Iterator[TestClient]:
    settings = settings_of(
        tmp_path_factory.mktemp("data"),
        samples[0] / "recipes",
        plant=PlantSettings.model_validate(
            {"timezone": "Europe/Berlin", "shifts": "early=06:00, late=14:00, night=22:00"}
        ),
    )
    yield from ready_client(settings)


@pytest.fixture(scope="module")
def results(client: TestClient, samples: tuple[Path, list[Sample]]) -> list[dict[str, Any]]:
    """Every sample inspected, good ones at station a, defective ones at station b; the first posted first."""
    found = []
    for number, sample in enumerate(samples[1]):
        values = values_of(sample) | {"station_id": "b" if sample.defect else "a", "part_id": f"p{number}"}
        found.append(post(client, (samples[0] / sample.file).read_bytes(), values).json())
    for station, line in (("a", "line 1"), ("b", "line 2")):
        put = client.put(f"/v1/stations/{station}/line", json={"line": line, **REASON})
        assert put.json()["line"] == line
    return found


def get(client: TestClient, path: str, **params: Any) -> Any:
    response = client.get(path, params=params)
    assert response.status_code == 200, response.text
    return response.json()


def listed(client: TestClient, **params: Any) -> list[str]:
    return [one["id"] for one in get(client, "/v1/inspections", **params)["items"]]


def ids(results: list[dict[str, Any]], verdict: str) -> list[str]:
    return [one["id"] for one in reversed(results) if one["verdict"] == verdict]


def review(
    client: TestClient, inspection_id: str, verdict: str, reason: str = "looked at it"
) -> dict[str, Any]:
    said = {"verdict": verdict, "reason": reason}
    response = client.post(f"/v1/inspections/{inspection_id}/review", json=said)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_filters(client: TestClient, results: list[dict[str, Any]]) -> None:
    failed = ids(results, "FAIL")
    assert listed(client, verdict="FAIL") == failed
    code = next(one for one in results if one["verdict"] == "FAIL")["defects"][0]["code"]
    with_code = [one["id"] for one in reversed(results) if code in {d["code"] for d in one["defects"]}]
    assert listed(client, defect=code) == with_code
    lot = next(line["text"] for line in results[0]["lines"] if "LOT" in line["text"]).split()[-1].lower()
    assert results[0]["id"] in listed(client, text=lot)
    of_b = [one["id"] for one in reversed(results) if one["station_id"] == "b"]
    assert listed(client, line="line 2") == listed(client, station_id="b", recipe_version=1) == of_b
    middle = results[6]["received_at"]
    assert listed(client, until=middle) == [one["id"] for one in reversed(results[:6])]
    assert listed(client, since=middle) == [one["id"] for one in reversed(results[6:])]
    for wrong in (
        {"text": "ab"},
        {"text": "a\0bc"},
        {"since": "2026-12-01T10:00:00"},
        {"since": "0001-01-01T00:00:00Z"},
        {"until": "9999-12-31T23:59:59-10:00"},
        {"since": middle, "until": middle},
        {"defect": "UGLY"},
        {"review": "maybe"},
    ):
        assert_problem(client.get("/v1/inspections", params=wrong), 422, "value_invalid")


def test_a_review_overrules_and_the_original_stays(client: TestClient, results: list[dict[str, Any]]) -> None:
    failed, passed = ids(results, "FAIL")[0], ids(results, "PASS")[0]
    reviewed = review(client, failed, "PASS", "the lens was dirty")
    assert (reviewed["verdict"], reviewed["reject"]) == ("FAIL", True)
    made = reviewed["review"]
    assert (made["verdict"], made["outcome"], made["by"].split(" (")[0], made["reason"]) == (
        "PASS", "false_reject", "ann", "the lens was dirty",
    )  # fmt: skip
    assert get(client, f"/v1/inspections/{failed}") == reviewed
    assert review(client, passed, "FAIL")["review"]["outcome"] == "escape"
    assert listed(client, review="false_reject") == [failed]
    assert listed(client, review="escape") == [passed]
    before = get(client, "/v1/stats")["counts"]
    assert (before["false_rejects"], before["escapes"], before["confirmed"]) == (1, 1, 0)
    assert before["reviewed_yield"] == before["first_pass_yield"]  # one more is good, one less
    assert review(client, passed, "PASS")["review"]["outcome"] == "confirmed"  # a second look
    after = get(client, "/v1/stats")["counts"]
    assert (after["false_rejects"], after["escapes"], after["confirmed"]) == (1, 0, 1)
    assert after["reviewed_yield"] == (after["passed"] + 1) / after["total"]
    log = get(client, "/v1/audit", subject=f"inspection/{passed}")["items"]
    assert [(one["action"], one["detail"]["outcome"]) for one in log] == [
        ("inspection.reviewed", "confirmed"),
        ("inspection.reviewed", "escape"),
    ]


@pytest.mark.parametrize(
    "said", [{}, {"verdict": "REVIEW", **REASON}, {"verdict": "PASS"}, {"verdict": "PASS", "reason": ""}]
)
def test_a_review_needs_a_verdict_and_a_reason(
    client: TestClient, results: list[dict[str, Any]], said: dict[str, str]
) -> None:
    response = client.post(f"/v1/inspections/{results[0]['id']}/review", json=said)
    assert_problem(response, 422, "value_invalid")


def test_a_review_of_nothing(client: TestClient) -> None:
    response = client.post("/v1/inspections/none/review", json={"verdict": "PASS", **REASON})
    assert_problem(response, 404, "inspection_not_found")


def test_open_reviews(client: TestClient, samples: tuple[Path, list[Sample]], results: object) -> None:
    sample = samples[1][0]
    late = post(client, (samples[0] / sample.file).read_bytes(), values_of(sample) | {"deadline_ms": "1"})
    inspection_id = late.json()["inspection_id"]
    assert inspection_id in listed(client, review="open")
    assert review(client, inspection_id, "FAIL")["review"]["outcome"] == "confirmed"
    assert inspection_id not in listed(client, review="open")


def test_statistics(client: TestClient, results: list[dict[str, Any]]) -> None:
    found = get(client, "/v1/stats", station_id="b")
    of_b = [one for one in results if one["station_id"] == "b"]
    assert found["counts"]["total"] == len(of_b)
    assert found["counts"]["passed"] == 0
    assert found["counts"]["first_pass_yield"] == 0
    defects = [(d["code"], d["field"]) for one in of_b for d in one["defects"]]
    assert {(bar["code"], bar["field"]): bar["count"] for bar in found["defects"]} == {
        defect: defects.count(defect) for defect in defects
    }
    assert found["defects"][-1]["cumulative"] == pytest.approx(1)
    assert sum(bar["counts"]["total"] for bar in found["trend"]) == len(of_b)
    assert found["timezone"] == "Europe/Berlin"
    by_shift = get(client, "/v1/stats", station_id="b", bucket="shift")["trend"]
    assert {bar["shift"] for bar in by_shift} <= {"early", "late", "night"}
    assert get(client, "/v1/stats", station_id="b", until="2026-01-01T00:00:00Z")["counts"]["total"] == 0
    assert get(client, "/v1/stats", line="line 2")["counts"] == found["counts"]
    for wrong in ({"bucket": "week"}, {"timezone": "Mars/Base"}, {"timezone": "../x"}, {"recipe_version": 0}):
        assert_problem(client.get("/v1/stats", params=wrong), 422, "value_invalid")
    long = {"since": "2026-01-01T00:00:00Z", "until": "2026-12-01T00:00:00Z", "bucket": "minute"}
    assert_problem(client.get("/v1/stats", params=long), 422, "value_invalid")


def test_statistics_by_group(client: TestClient, results: list[dict[str, Any]]) -> None:
    def totals(by: str) -> dict[Any, int]:
        keys = {"line": ["line"], "station": ["station_id"], "recipe": ["recipe", "recipe_version"]}[by]
        items = get(client, "/v1/stats/groups", by=by)["items"]
        return {tuple(one[key] for key in keys): one["counts"]["total"] for one in items}

    defective = sum(1 for one in results if one["station_id"] == "b")
    assert totals("line")["line 2",] == totals("station")["b",] == defective
    recipes = [one["recipe"] for one in results]
    assert totals("recipe")["tablets", 1] >= recipes.count("tablets")


def test_scores_of_fields(client: TestClient, results: list[dict[str, Any]]) -> None:
    items = get(client, "/v1/stats/scores", recipe="tablets", bucket="day")["items"]
    names = {field["name"] for one in results if one["recipe"] == "tablets" for field in one["fields"]}
    assert {one["field"] for one in items} == names
    assert all(0 < one["mean"] <= 1 and one["count"] > 0 for one in items)
    assert_problem(client.get("/v1/stats/scores"), 422, "value_invalid")


def test_parts_in_a_row_that_did_not_pass(client: TestClient, results: list[dict[str, Any]]) -> None:
    of_b = [one for one in results if one["station_id"] == "b"]
    (streak,) = get(client, "/v1/stats/streaks", at_least=2)["items"]
    assert (streak["station_id"], streak["count"], streak["last_inspection"]) == (
        "b",
        len(of_b),
        of_b[-1]["id"],
    )
    assert streak["since"] == of_b[0]["received_at"]
    assert get(client, "/v1/stats/streaks", at_least=len(of_b) + 1)["items"] == []


def test_csv(client: TestClient, results: list[dict[str, Any]]) -> None:
    response = client.get("/v1/inspections.csv", params={"station_id": "b"})
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert 'filename="inspections.csv"' in response.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(response.text)))
    of_b = [one for one in reversed(results) if one["station_id"] == "b"]
    assert [row["id"] for row in rows] == [one["id"] for one in of_b]
    first, row = of_b[0], rows[0]
    assert row["defects"] == "; ".join(
        f"{d['code']}:{d['field']}" if d["field"] else d["code"] for d in first["defects"]
    )
    assert dt.datetime.fromisoformat(row["received_at"]) == dt.datetime.fromisoformat(first["received_at"])
    empty = client.get("/v1/inspections.csv", params={"station_id": "nowhere"}).text
    assert empty.startswith("id,received_at,")
    assert len(empty.splitlines()) == 1


def test_a_report_to_print(client: TestClient, results: list[dict[str, Any]]) -> None:
    response = client.get("/v1/report", params={"station_id": "b"})
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in response.headers["content-security-policy"]
    page = response.text
    failed = [one for one in results if one["station_id"] == "b"]
    for one in failed:
        assert html.escape(one["defects"][0]["detail"], quote=False).replace("'", "&#39;") in page
    assert f'<td class="number">{len(failed)}</td>' in page
    assert "digest of the last entry" in page
    assert "by ann" in page
    assert "<td>a<br>" not in page
    assert client.get("/v1/report", params={"line": "line 2"}).text.count("<tr>") == page.count("<tr>")
    assert "Everything passed." in client.get("/v1/report", params={"station_id": "nowhere"}).text

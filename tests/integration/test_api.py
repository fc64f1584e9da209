"""The whole application with the real engine, over its HTTP interface."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from PIL import Image
from prometheus_client.parser import text_string_to_metric_families

from service.app import create_app
from service.errors import DeviceUnavailable, RecipeInvalid, SettingsInvalid, WeightsAltered, WeightsMissing
from service.samples.generator import Sample
from service.settings import EngineSettings, LimitSettings, Settings
from tests.integration.client import assert_problem, post, ready_client, settings_of, values_of

MAX_BYTES = 2_000_000


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, samples: tuple[Path, list[Sample]]) -> Settings:
    return settings_of(
        tmp_path_factory.mktemp("data"),
        samples[0] / "recipes",
        limits=LimitSettings(image_max_bytes=MAX_BYTES, image_max_pixels=2_000_000),
    )


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[TestClient]:
    yield from ready_client(settings)


def test_the_answer_has_the_fixed_keys(client: TestClient, good: tuple[bytes, Sample]) -> None:
    image, sample = good
    response = post(client, image, {**values_of(sample), "station_id": "line-3", "part_id": "p-1"})
    assert response.status_code == 201, response.text[:500]
    result = response.json()
    assert list(result) == [
        "id", "verdict", "reject", "recipe", "recipe_version", "station_id", "part_id", "received_at", "production",
        "fields", "defects", "lines", "width", "height", "notes", "timings_ms", "review",
    ]  # fmt: skip
    assert list(result["fields"][0]) == [
        "name",
        "outcome",
        "expected",
        "read",
        "score",
        "box",
        "chars",
        "print",
    ]
    assert result["fields"][0]["chars"] == []  # of what passed no evidence is kept
    assert (result["verdict"], result["reject"], result["defects"]) == ("PASS", False, [])
    assert (result["station_id"], result["part_id"], result["recipe_version"]) == ("line-3", "p-1", 1)
    assert response.headers["location"] == f"/v1/inspections/{result['id']}"
    stages = [entry.split(";")[0] for entry in response.headers["server-timing"].split(", ")]
    assert stages == ["decode", "queue", "detect", "recognise", "match", "total", "store"]


def test_what_does_not_pass_has_evidence_of_each_character(
    client: TestClient, good: tuple[bytes, Sample]
) -> None:
    image, sample = good
    lot = sample.expected["lot"]
    other = lot.replace(lot[1], "1" if lot[1] == "7" else "7", 1)
    values = {"recipe": sample.recipe, "expected": json.dumps(sample.expected | {"lot": other})}
    result = post(client, image, values).json()
    chars = next(field for field in result["fields"] if field["name"] == "lot")["chars"]
    assert list(chars[0]) == ["expected", "read", "state", "score"]
    assert {char["state"] for char in chars} > {"good"}
    assert client.get(f"/v1/inspections/{result['id']}").json() == result


def test_form_and_body_are_the_same(client: TestClient, good: tuple[bytes, Sample]) -> None:
    image, sample = good
    form = client.post(
        "/v1/inspections", data=values_of(sample), files={"image": ("label.jpg", image, "image/jpeg")}
    )
    assert form.status_code == 201, form.text
    body = post(client, image, values_of(sample)).json()
    assert [field["read"] for field in form.json()["fields"]] == [field["read"] for field in body["fields"]]


def test_of_a_file_with_several_pages_the_answer_and_the_stored_result_say_so(
    client: TestClient, good: tuple[bytes, Sample]
) -> None:
    image, sample = good
    label = Image.open(io.BytesIO(image))
    pages = io.BytesIO()
    label.save(pages, "TIFF", compression="jpeg", save_all=True, append_images=[Image.new("RGB", label.size)])
    answer = post(client, pages.getvalue(), values_of(sample), "image/tiff")
    assert answer.status_code == 201, answer.text
    result = answer.json()
    assert result["notes"] == ["the file holds several pages or frames; the first was read"]
    assert client.get(f"/v1/inspections/{result['id']}").json()["notes"] == result["notes"]


def test_defective_labels_do_not_pass(client: TestClient, samples: tuple[Path, list[Sample]]) -> None:
    folder, truth = samples
    for sample in truth:
        result = post(client, (folder / sample.file).read_bytes(), values_of(sample)).json()
        assert (result["verdict"] == "PASS") is (sample.defect is None), (sample, result)
        assert result["reject"] is (sample.defect is not None)
        assert bool(result["defects"]) is (sample.defect is not None)


def test_a_stored_inspection_is_found_again(client: TestClient, good: tuple[bytes, Sample]) -> None:
    image, sample = good
    result = post(client, image, {**values_of(sample), "part_id": "found-again"}).json()
    assert client.get(f"/v1/inspections/{result['id']}").json() == result
    page = client.get("/v1/inspections", params={"part_id": "found-again"}).json()
    assert page == {"items": [result], "next_cursor": None}
    picture = client.get(f"/v1/inspections/{result['id']}/image")
    assert picture.content == image
    assert picture.headers["content-type"] == "image/jpeg"
    assert picture.headers["x-content-type-options"] == "nosniff"


def test_pages(client: TestClient, good: tuple[bytes, Sample]) -> None:
    image, sample = good
    ids = [post(client, image, {**values_of(sample), "station_id": "pages"}).json()["id"] for _ in range(3)]
    seen: list[str] = []
    query: dict[str, Any] = {"station_id": "pages", "limit": 2}
    while True:
        page = client.get("/v1/inspections", params=query).json()
        seen += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert seen == ids[::-1]


def test_recipes(client: TestClient) -> None:
    listed = client.get("/v1/recipes").json()["items"]
    assert [recipe["name"] for recipe in listed] == ["fresh-milk", "shampoo", "tablets"]
    one = client.get("/v1/recipes/tablets", params={"version": 1}).json()
    assert one == listed[2]
    assert one["expected"] == ["lot", "best_before"]
    assert one["source"].startswith("recipe: tablets")
    assert_problem(client.get("/v1/recipes/tablets", params={"version": 2}), 404, "recipe_not_found")
    assert_problem(client.get("/v1/recipes/none"), 404, "recipe_not_found")


def test_health_metrics_and_info(client: TestClient, good: tuple[bytes, Sample]) -> None:
    assert client.get("/livez").json() == {"status": "alive"}
    assert client.get("/readyz").json() == {"status": "ready"}
    info = client.get("/v1/info").json()
    assert info["engine"]["bundle"] == "ppocr-v6-small"
    assert info["engine"]["device"] == "cpu"
    assert info["limits"]["image_max_bytes"] == MAX_BYTES
    image, sample = good
    post(client, image, {**values_of(sample), "station_id": "metered"})
    families = {family.name: family for family in text_string_to_metric_families(client.get("/metrics").text)}
    counted = [
        one.value
        for one in families["printproof_inspections"].samples
        if one.name.endswith("_total") and one.labels["station"] == "metered"
    ]
    assert counted == [1]
    stages = {one.labels["stage"] for one in families["printproof_stage_duration_seconds"].samples}
    assert stages == {"decode", "queue", "detect", "recognise", "match", "total", "store"}


@pytest.mark.parametrize(
    ("image", "values", "content_type", "status", "code"),
    [
        (b"", {}, "image/jpeg", 422, "image_missing"),
        (b"hello", {}, "image/jpeg", 422, "image_undecodable"),
        (b"hello", {}, "text/plain", 415, "image_type_unsupported"),
        (b"GIF89a", {}, "image/gif", 415, "image_type_unsupported"),
        (b"{}", {}, "application/json", 415, "image_type_unsupported"),
        (b"x" * (MAX_BYTES + 1), {}, "image/jpeg", 413, "image_too_large"),
        (b"x" * (MAX_BYTES * 2), {}, "image/jpeg", 413, "image_too_large"),
        (b"GOOD", {"recipe": "none"}, "image/jpeg", 404, "recipe_not_found"),
        (b"GOOD", {"recipe": ""}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"expected": "{}"}, "image/jpeg", 422, "expected_value_missing"),
        (b"GOOD", {"expected": "[1]"}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"expected": "{"}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"expected": '{"lot": 7}'}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"expected": "[" * 20_000}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"deadline_ms": "soon"}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"deadline_ms": "0"}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"captured_at": "2026-12-01T10:00:00"}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"colour": "red"}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"station_id": "a\nb"}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"station_id": ["a", "b"]}, "image/jpeg", 400, "request_malformed"),
        (b"GOOD", {"expected": '{"lot": "A", "lot": "B"}'}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"captured_at": "0001-01-01T00:00:00+23:59"}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"captured_at": "1700000000"}, "image/jpeg", 422, "value_invalid"),
        (b"GOOD", {"deadline_ms": "60001"}, "image/jpeg", 422, "value_invalid"),
        (
            b"--B\r\nContent-Disposition: form-data; name=recipe\r\n\r\n\xff\r\n--B--\r\n",
            {},
            "multipart/form-data; boundary=B; charset=undefined",
            400,
            "request_malformed",
        ),
        (
            b"--B\r\nContent-Disposition: form-data; name=recipe\r\n\r\nmilk\r\n--B",
            {},
            "multipart/form-data; boundary=B",
            400,
            "request_malformed",
        ),
        (b"GOOD", {"deadline_ms": "1"}, "image/jpeg", 504, "deadline_passed"),
        (b"--x\r\n", {}, "multipart/form-data; boundary=x", 400, "request_malformed"),
        (b"x", {}, "multipart/form-data", 400, "request_malformed"),
    ],
)
def test_bad_input(
    client: TestClient,
    good: tuple[bytes, Sample],
    image: bytes,
    values: dict[str, str],
    content_type: str,
    status: int,
    code: str,
) -> None:
    sent = good[0] if image == b"GOOD" else image
    response = post(client, sent, {**values_of(good[1]), **values}, content_type)
    problem = assert_problem(response, status, code)
    assert problem["reject"] is True
    if code == "deadline_passed":
        stored = client.get(f"/v1/inspections/{problem['inspection_id']}").json()
        assert (stored["verdict"], stored["reject"]) == ("REVIEW", True)


def test_a_truncated_image_and_a_bomb(client: TestClient, good: tuple[bytes, Sample]) -> None:
    image, sample = good
    assert_problem(post(client, image[: len(image) // 2], values_of(sample)), 422, "image_undecodable")
    header = bytearray(image)
    frame_header = header.index(b"\xff\xc0")
    header[frame_header + 5 : frame_header + 9] = b"\xff\xff\xff\xff"
    assert_problem(post(client, bytes(header), values_of(sample)), 413, "image_too_large")


def test_an_unknown_value_names_what_is_known(client: TestClient, good: tuple[bytes, Sample]) -> None:
    image, sample = good
    expected = json.dumps({**sample.expected, "lott": "1"})
    problem = assert_problem(
        post(client, image, {**values_of(sample), "expected": expected}), 422, "expected_value_unknown"
    )
    assert "lott" in problem["detail"]


@pytest.mark.parametrize(
    "files",
    [
        {"picture": ("a.jpg", b"x", "image/jpeg")},
        {"image": ("a.txt", b"x", "text/plain")},
    ],
)
def test_bad_forms(client: TestClient, files: dict[str, Any], good: tuple[bytes, Sample]) -> None:
    response = client.post("/v1/inspections", data=values_of(good[1]), files=files)
    assert response.status_code in {400, 415}
    assert response.json()["reject"] is True


def test_a_form_without_an_image(client: TestClient, good: tuple[bytes, Sample]) -> None:
    response = client.post("/v1/inspections", files={"recipe": (None, "tablets")})
    assert_problem(response, 400, "request_malformed")


def test_errors_elsewhere(client: TestClient) -> None:
    assert_problem(client.get("/v1/inspections/none"), 404, "inspection_not_found")
    assert_problem(client.get("/v1/inspections/none/image"), 404, "inspection_not_found")
    assert_problem(client.get("/v1/inspections", params={"limit": 0}), 422, "value_invalid")
    assert_problem(client.get("/v1/inspections", params={"verdict": "GOOD"}), 422, "value_invalid")
    assert_problem(client.get("/nowhere"), 404, "not_found")
    assert_problem(client.post("/v1/inspections/"), 404, "not_found")
    assert_problem(client.get("/v1/inspections", params={"cursor": "garbage"}), 422, "value_invalid")
    problem = assert_problem(client.delete("/v1/inspections"), 405, "method_not_allowed")
    assert "reject" not in problem


def test_an_image_that_is_gone(client: TestClient, settings: Settings, good: tuple[bytes, Sample]) -> None:
    image, sample = good
    result = post(client, image, values_of(sample)).json()
    (path,) = settings.images.rglob(f"{result['id']}.jpg")
    path.unlink()
    assert_problem(client.get(f"/v1/inspections/{result['id']}/image"), 404, "image_not_found")


def test_hostile_text_is_data(client: TestClient, good: tuple[bytes, Sample]) -> None:
    image, sample = good
    part = "'; DROP TABLE inspections; -- <script>alert(1)</script>"
    result = post(client, image, {**values_of(sample), "part_id": part}).json()
    assert result["part_id"] == part
    assert client.get("/v1/inspections", params={"part_id": part}).json()["items"] == [result]


def test_a_missing_or_altered_weight_file_stops_the_start(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(WeightsMissing, match="run: printproof models pull ppocr-v6-small"):
        create_app(settings.model_copy(update={"weights_dir": tmp_path}))
    bundle = tmp_path / "ppocr-v6-small"
    bundle.mkdir()
    (bundle / "det.onnx").write_bytes(b"altered")
    with pytest.raises(WeightsAltered, match="run: printproof models pull ppocr-v6-small"):
        create_app(settings.model_copy(update={"weights_dir": tmp_path}))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"engine": EngineSettings(device="gpu")}, DeviceUnavailable, "PRINTPROOF_ENGINE__DEVICE=gpu"),
        ({"recipes_dir": Path("/nowhere")}, SettingsInvalid, "PRINTPROOF_RECIPES_DIR"),
    ],
)
def test_what_cannot_work_does_not_start(
    settings: Settings, change: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        create_app(settings.model_copy(update=change))


def test_a_picture_with_another_behind_it_is_a_jpeg(client: TestClient, good: tuple[bytes, Sample]) -> None:
    image, sample = good
    stream = io.BytesIO()
    picture = Image.open(io.BytesIO(image))
    picture.save(stream, "MPO", save_all=True, append_images=[picture], quality=95)
    result = post(client, stream.getvalue(), values_of(sample)).json()
    assert result["verdict"] == "PASS", result
    assert client.get(f"/v1/inspections/{result['id']}/image").headers["content-type"] == "image/jpeg"


def test_an_unexpected_error_leaves_no_trace(
    client: TestClient, good: tuple[bytes, Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.inspections.pipeline.decode", lambda *_, **__: 1 / 0)
    problem = assert_problem(post(client, good[0], values_of(good[1])), 500, "internal_error")
    assert problem["reject"] is True
    assert "division" not in json.dumps(problem)


def test_a_hanging_engine_is_not_alive(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.batching.batcher.Batcher.alive", False)
    assert_problem(client.get("/livez"), 503, "not_ready")


def test_a_malformed_recipe_stops_the_start(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("recipe: bad\nfields:\n  - {name: x, expect: 1.60}\n")
    with pytest.raises(RecipeInvalid, match=r"bad\.yaml:3:23: .*unquoted 1\.60 means 1\.6"):
        create_app(settings.model_copy(update={"recipes_dir": tmp_path}))

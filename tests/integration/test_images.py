"""Where images are kept, for how long, and how people see them."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import boto3
import cv2
import httpx2
import numpy as np
import pytest
from fastapi.testclient import TestClient
from moto.server import ThreadedMotoServer

from service.audit.entry import Author
from service.errors import ImageNotFound, SettingsInvalid, StoreUnavailable
from service.images.folder import ImageFolder
from service.images.store import ImageStore, key_of, open_store
from service.inspections.inspection import Inspection
from service.inspections.repository import Filter
from service.inspections.reviews.repository import ReviewRepository
from service.inspections.sweeper import GIGABYTE, Sweeper
from service.matching.outcome import Verdict
from service.samples.generator import Sample
from service.settings import KeepSettings, S3Settings, Settings
from tests.integration.client import assert_problem, post, ready_client, settings_of, values_of
from tests.integration.plant import IMAGE, Plant, reads

AT = dt.datetime(2026, 12, 1, 10, tzinfo=dt.timezone.utc)
KEY = key_of("some-id", AT, "image/png")


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Settings]:
    """An S3 interface on loopback, with a bucket."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        os.environ[name] = "testing"
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    endpoint = f"http://127.0.0.1:{port}"
    boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1").create_bucket(Bucket="images")
    yield S3Settings(bucket="images", prefix="plant-1/", endpoint_url=endpoint, region="us-east-1")
    server.stop()


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ImageStore:
    if request.param == "folder":
        return open_store(Settings(images_dir=tmp_path / "images"))
    return open_store(Settings(s3=request.getfixturevalue("s3")))


def test_an_image_is_kept_as_it_was_sent(store: ImageStore) -> None:
    store.put(KEY, IMAGE, "image/png")
    assert store.read(KEY) == IMAGE
    store.delete([KEY, "2026/12/01/never-there.png"])
    with pytest.raises(ImageNotFound):
        store.read(KEY)


def test_keys_are_by_day() -> None:
    assert KEY == "2026/12/01/some-id.png"


def test_objects_have_type_and_prefix(s3: S3Settings) -> None:
    open_store(Settings(s3=s3)).put(KEY, IMAGE, "image/png")
    client = boto3.client("s3", endpoint_url=s3.endpoint_url, region_name=s3.region)
    assert client.head_object(Bucket="images", Key="plant-1/" + KEY)["ContentType"] == "image/png"


def test_more_objects_are_deleted_than_fit_into_one_request(s3: S3Settings) -> None:
    store = open_store(Settings(s3=s3))
    keys = [f"many/{number}.png" for number in range(1003)]
    for key in (keys[0], keys[-1]):
        store.put(key, IMAGE, "image/png")
    store.delete(keys)
    for key in (keys[0], keys[-1]):
        with pytest.raises(ImageNotFound):
            store.read(key)


def test_a_bucket_that_cannot_be_used_stops_the_start(s3: S3Settings) -> None:
    for wrong in (
        {"bucket": "nowhere"},
        {"endpoint_url": "http://127.0.0.1:9"},
        {"endpoint_url": "minio:9000"},
    ):
        with pytest.raises(SettingsInvalid, match="PRINTPROOF_S3__BUCKET"):
            open_store(Settings(s3=s3.model_copy(update=wrong)))


def test_a_bucket_that_is_away(tmp_path: Path) -> None:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    endpoint = f"http://127.0.0.1:{port}"
    boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1").create_bucket(Bucket="gone")
    store = open_store(Settings(s3=S3Settings(bucket="gone", endpoint_url=endpoint, region="us-east-1")))
    server.stop()
    with pytest.raises(StoreUnavailable):
        store.put(KEY, IMAGE, "image/png")
    with pytest.raises(StoreUnavailable):
        store.read(KEY)
    with pytest.raises(StoreUnavailable):
        store.delete([KEY])


@pytest.fixture
def kept(plant: Plant) -> dict[str, list[Inspection]]:
    """Three of each verdict, the oldest first."""
    texts: dict[str, Sequence[str]] = {"PASS": ("MILK", "LOT 77A"), "FAIL": ("MILK", "LOT 78A"), "REVIEW": ()}
    return {verdict: [plant.inspect(reads(*said)) for _ in range(3)] for verdict, said in texts.items()}


def with_images(plant: Plant) -> dict[str, list[str]]:
    """Ids of the inspections that have an image, by row and by file."""
    rows = [one for one in plant.inspections.page(Filter(), before=None, limit=99) if one.image_key]
    assert sorted(path.stem for path in plant.files()) == sorted(one.id for one in rows)
    return {
        verdict.value: [one.id for one in reversed(rows) if one.verdict is verdict] for verdict in Verdict
    }


def sweep(plant: Plant, days: float = 0, **keep: Any) -> int:
    sweeper = Sweeper(plant.inspections, ImageFolder(plant.folder), KeepSettings.model_validate(keep))
    return sweeper.sweep(dt.datetime.now(dt.timezone.utc) + dt.timedelta(days=days))


def ids(kept: list[Inspection]) -> list[str]:
    return [one.id for one in kept]


def test_without_a_setting_images_are_kept_for_ever(plant: Plant, kept: dict[str, list[Inspection]]) -> None:
    assert sweep(plant, days=10_000) == 0
    assert len(plant.files()) == 9


def test_images_go_by_age_and_verdict_and_results_stay(
    plant: Plant, kept: dict[str, list[Inspection]]
) -> None:
    keep = {"pass_days": 30, "fail_days": 60}
    assert sweep(plant, days=29, **keep) == 0
    assert sweep(plant, days=31, **keep) == 3
    left = with_images(plant)
    assert (left["PASS"], left["FAIL"]) == ([], ids(kept["FAIL"]))
    assert sweep(plant, days=61, **keep) == 3
    assert with_images(plant)["FAIL"] == []
    assert len(plant.stored()) == 9


def test_what_waits_for_a_review_is_spared(plant: Plant, kept: dict[str, list[Inspection]]) -> None:
    first, second, third = kept["REVIEW"]
    ReviewRepository(plant.database).add(second, Verdict.FAIL, Author("ann", "blank"))
    assert sweep(plant, days=31, review_days=30) == 1
    assert with_images(plant)["REVIEW"] == [first.id, third.id]


def test_beyond_the_quota_the_oldest_go_that_are_least_missed(
    plant: Plant, kept: dict[str, list[Inspection]]
) -> None:
    of_each = len(IMAGE) / GIGABYTE
    assert sweep(plant, images_max_gb=9 * of_each) == 0
    assert sweep(plant, images_max_gb=7 * of_each) == 2
    assert with_images(plant)["PASS"] == ids(kept["PASS"])[2:]
    assert sweep(plant, images_max_gb=5 * of_each) == 2
    left = with_images(plant)
    assert (left["PASS"], left["FAIL"]) == ([], ids(kept["FAIL"])[1:])
    assert sweep(plant, images_max_gb=of_each) == 2  # open reviews stay, whatever the quota
    assert with_images(plant) == {"PASS": [], "FAIL": [], "REVIEW": ids(kept["REVIEW"])}


def test_images_that_arrive_meanwhile_do_not_count(
    plant: Plant, kept: dict[str, list[Inspection]], monkeypatch: pytest.MonkeyPatch
) -> None:
    forget = plant.inspections.forget_images

    def forget_and_receive(ids: Sequence[str]) -> None:
        forget(ids)
        plant.inspect(reads("MILK", "LOT 77A"))

    monkeypatch.setattr(plant.inspections, "forget_images", forget_and_receive)
    assert sweep(plant, images_max_gb=8 * len(IMAGE) / GIGABYTE) == 1
    assert with_images(plant)["FAIL"] == ids(kept["FAIL"])


def test_one_replica_sweeps_at_a_time(plant: Plant, kept: dict[str, list[Inspection]]) -> None:
    with plant.inspections.sole_sweeper() as ours:
        assert ours
        if plant.database.dialect.name == "postgresql":
            assert sweep(plant, days=2, pass_days=1) == 0
    assert sweep(plant, days=2, pass_days=1) == 3


def test_an_image_that_somebody_deleted_is_no_hindrance(
    plant: Plant, kept: dict[str, list[Inspection]]
) -> None:
    shutil.rmtree(plant.folder)
    assert sweep(plant, days=2, pass_days=1) == 3
    assert [one.image_key for one in plant.stored() if one.verdict is Verdict.PASS] == [None] * 3


def test_a_sweep_that_breaks_off_goes_on_later(
    plant: Plant, kept: dict[str, list[Inspection]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreUnavailable("away")

    with monkeypatch.context() as patched:
        patched.setattr(plant.inspections, "forget_images", fail)
        with pytest.raises(StoreUnavailable):
            sweep(plant, days=2, pass_days=1)
    assert sweep(plant, days=2, pass_days=1) == 3
    assert with_images(plant)["PASS"] == []


@pytest.fixture(scope="module")
def client(
    tmp_path_factory: pytest.TempPathFactory,
    samples: tuple[Path, list[Sample]],
    s3: S3Settings,
) -> Iterator[TestClient]:
    """Of a service that keeps its images in a bucket."""
    settings = settings_of(
        tmp_path_factory.mktemp("data"),
        samples[0] / "recipes",
        s3=s3,
    )
    yield from ready_client(settings)


@pytest.fixture(scope="module")
def defective(client: TestClient, samples: tuple[Path, list[Sample]]) -> tuple[bytes, dict[str, Any]]:
    sample = next(one for one in samples[1] if one.defect is not None)
    image = (samples[0] / sample.file).read_bytes()
    return image, post(client, image, values_of(sample)).json()


def fetch(client: TestClient, result: dict[str, Any], what: str = "image", **headers: str) -> httpx2.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.get(f"/v1/inspections/{result['id']}/{what}", headers=names)


def test_an_image_never_changes(client: TestClient, defective: tuple[bytes, dict[str, Any]]) -> None:
    image, result = defective
    response = fetch(client, result)
    assert response.content == image
    assert response.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert response.headers["x-content-type-options"] == "nosniff"
    again = fetch(client, result, if_none_match=f'"other", W/{response.headers["etag"]}')
    assert (again.status_code, again.content) == (304, b"")
    assert fetch(client, result, if_none_match='"other"').status_code == 200


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-9", 0, 10),
        ("bytes=10-", 10, None),
        ("bytes=-7", -7, None),
        ("bytes=5-99999999999999999999", 5, None),
    ],
)
def test_ranges(
    client: TestClient, defective: tuple[bytes, dict[str, Any]], asked: str, start: int, end: int | None
) -> None:
    image, result = defective
    response = fetch(client, result, range=asked)
    assert (response.status_code, response.content) == (206, image[start:end])
    first = start % len(image)
    assert (
        response.headers["content-range"] == f"bytes {first}-{first + len(response.content) - 1}/{len(image)}"
    )


def test_ranges_that_are_none(client: TestClient, defective: tuple[bytes, dict[str, Any]]) -> None:
    image, result = defective
    for asked in ("bytes=0-1,3-4", "lines=0-1", "bytes=-", "bytes=x-1"):
        response = fetch(client, result, range=asked)
        assert (response.status_code, response.content) == (200, image), asked
    for asked in (f"bytes={len(image)}-", "bytes=-0", "bytes=5-4"):
        response = fetch(client, result, range=asked)
        assert response.status_code == 416, asked
        assert response.headers["content-range"] == f"bytes */{len(image)}"
    assert fetch(client, result, range="bytes=0-9", if_range='"old"').status_code == 200


def test_thumbnails(client: TestClient, defective: tuple[bytes, dict[str, Any]]) -> None:
    image, result = defective
    response = fetch(client, result, "thumbnail?width=200")
    assert response.headers["content-type"] == "image/jpeg"
    small = cv2.imdecode(np.frombuffer(response.content, np.uint8), cv2.IMREAD_COLOR)
    assert small is not None
    assert small.shape[1] == 200
    assert small.shape[0] == pytest.approx(200 * result["height"] / result["width"], abs=1)
    assert len(response.content) < len(image)
    assert (
        fetch(client, result, "thumbnail?width=200", if_none_match=response.headers["etag"]).status_code
        == 304
    )
    assert_problem(fetch(client, result, "thumbnail?width=9999"), 422, "value_invalid")


def test_the_overlay_shows_what_was_found(
    client: TestClient, defective: tuple[bytes, dict[str, Any]]
) -> None:
    _, result = defective
    response = fetch(client, result, "overlay")
    assert response.headers["content-type"].startswith("image/svg+xml")
    drawing = ET.fromstring(response.text)  # noqa: S314 (our own SVG)
    text = " ".join(drawing.itertext())
    for field in result["fields"]:
        assert f"{field['name']}: {field['outcome']}" in text
    assert result["verdict"] in text
    shapes = {
        (one.get("stroke"), one.get("stroke-dasharray"))
        for one in drawing.iter()
        if one.get("stroke-dasharray")
    }
    assert len(shapes) > 1  # states differ in colour and in line


def test_pictures_of_what_is_gone(
    client: TestClient, defective: tuple[bytes, dict[str, Any]], s3: S3Settings
) -> None:
    image, result = defective
    keys = [f"{result['received_at'][:10].replace('-', '/')}/{result['id']}.jpg"]
    open_store(Settings(s3=s3)).delete(keys)
    for what in ("image", "thumbnail", "overlay"):
        assert_problem(fetch(client, result, what), 404, "image_not_found")
    open_store(Settings(s3=s3)).put(keys[0], image, "image/jpeg")

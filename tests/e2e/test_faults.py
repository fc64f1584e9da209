"""Databases that go away, full disks, killed processes, several replicas: nothing is lost, nothing passes by mistake."""

from __future__ import annotations

import datetime as dt
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa

from service.db import engine as db
from service.samples.generator import Sample
from tests.e2e.conftest import Server, serving
from tests.postgresql import PostgreSQL, running_server

Samples = tuple[Path, list[Sample]]
Good = tuple[bytes, Sample]

# What dies in the midst of storing, as kill -9 makes it.
DYING = """
import os, signal, sys
from service.inspections.repository import InspectionRepository
add = InspectionRepository.add
def dying(*arguments):
    if {after_the_row}:
        add(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
InspectionRepository.add = dying
sys.argv = ["printproof", "serve"]
from service.cli import main
main()
"""


@pytest.fixture
def own_postgresql() -> Iterator[PostgreSQL]:
    """A server that a test may stop."""
    with running_server() as server:
        yield server


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.1)


def listed(server: Server, **wanted: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.client.get("/v1/inspections", params=wanted).json()["items"]
    return found


def files(folder: Path) -> list[Path]:
    return [path for path in (folder / "images").rglob("*") if path.is_file()]


def test_a_database_that_goes_away_and_comes_back(
    tmp_path: Path, samples: Samples, good: Good, own_postgresql: PostgreSQL
) -> None:
    url = own_postgresql.new_database()
    with serving(tmp_path, samples[0] / "recipes", PRINTPROOF_DATABASE_URL=url) as server:
        first = server.post(*good)
        assert first.status_code == 201, first.text
        own_postgresql.stop()
        refused = server.post(*good)
        assert (refused.status_code, refused.json()["code"]) == (503, "store_unavailable")
        assert refused.json()["reject"] is True
        assert server.client.get("/readyz").status_code == 503
        assert server.client.get("/livez").status_code == 200
        own_postgresql.start()
        until(lambda: server.client.get("/readyz").status_code == 200)
        second = server.post(*good)
        assert second.status_code == 201, second.text
        assert [one["id"] for one in listed(server)] == [second.json()["id"], first.json()["id"]]
        counts = server.client.get("/v1/stats").json()["counts"]
        assert (counts["total"], counts["passed"]) == (2, 2)  # nothing is half stored


def test_a_database_that_goes_away_while_cameras_post(
    tmp_path: Path, samples: Samples, good: Good, own_postgresql: PostgreSQL
) -> None:
    url = own_postgresql.new_database()
    with serving(tmp_path, samples[0] / "recipes", PRINTPROOF_DATABASE_URL=url) as server:
        with ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(server.post, *good) for _ in range(12)]
            until(lambda: any(one.done() for one in answers))
            own_postgresql.stop()
            codes = [one.result() for one in answers]
        own_postgresql.start()
        until(lambda: server.client.get("/readyz").status_code == 200)
        passed = {one.json()["id"] for one in codes if one.status_code == 201}
        assert passed
        assert all(one.json()["reject"] is True for one in codes if one.status_code != 201)
        assert {one.status_code for one in codes} <= {201, 429, 503}
        stored = {one["id"] for one in listed(server, limit="200")}
        assert passed <= stored  # what was answered is stored
        assert server.client.get("/v1/stats").json()["counts"]["total"] == len(stored)


def test_replicas_share_idempotency_keys(
    tmp_path: Path, samples: Samples, good: Good, postgresql: PostgreSQL
) -> None:
    image, sample = good
    shared: dict[str, Any] = {
        "PRINTPROOF_DATABASE_URL": postgresql.new_database(),
        "PRINTPROOF_IMAGES_DIR": str(tmp_path / "images"),
        "PRINTPROOF_ENGINE__THREADS": "1",
    }
    recipes = samples[0] / "recipes"
    with (
        serving(tmp_path / "a", recipes, **shared) as first,
        serving(tmp_path / "b", recipes, **shared) as second,
        ThreadPoolExecutor(8) as pool,
    ):

        def post(number: int) -> httpx2.Response:
            server = (first, second)[number % 2]
            return server.client.post(
                "/v1/inspections",
                params={"recipe": sample.recipe, "expected": str(sample.expected).replace("'", '"')},
                content=image,
                headers={
                    "Content-Type": "image/jpeg",
                    "Idempotency-Key": f"part-{number // 4}",
                    "Authorization": f"Bearer {first.key}",
                },
            )

        answers = list(pool.map(post, range(16)))
        for part in range(4):
            of_part = answers[4 * part : 4 * part + 4]
            assert {one.status_code for one in of_part} <= {201, 409}
            ids = {one.json()["id"] for one in of_part if one.status_code == 201}
            assert len(ids) == 1
        assert len(listed(first)) == 4
        assert post(0).json()["id"] == post(1).json()["id"]
        assert len(list((tmp_path / "images").rglob("*.jpg"))) == 4


@pytest.mark.parametrize("after_the_row", [False, True])
def test_a_process_that_is_killed_while_it_stores(
    tmp_path: Path, samples: Samples, good: Good, after_the_row: bool
) -> None:
    recipes = samples[0] / "recipes"
    with serving(tmp_path, recipes, program=("-c", DYING.format(after_the_row=after_the_row))) as server:
        server.client.headers["Idempotency-Key"] = "part-1"
        with pytest.raises(httpx2.TransportError):  # no answer: the line rejects
            server.post(*good)
        server.process.wait(20)
        header = server.client.headers["Authorization"]
    assert len(files(tmp_path)) == 1
    with serving(tmp_path, recipes) as server:
        server.client.headers.update({"Idempotency-Key": "part-1", "Authorization": header})
        stored = listed(server)
        assert len(stored) == after_the_row
        again = server.post(*good)
        if after_the_row:
            assert (again.status_code, again.json()["id"]) == (201, stored[0]["id"])
        else:
            assert (again.status_code, again.json()["code"]) == (409, "idempotency_key_in_flight")
            assert again.json()["reject"] is True
            let_claims_end(tmp_path)
            assert server.post(*good).status_code == 201
        assert len(listed(server)) == 1
        assert server.client.get("/v1/stats").json()["counts"]["total"] == 1


def let_claims_end(folder: Path) -> None:
    """As the time of the dead process's claim does."""
    engine = db.connect(f"sqlite:///{folder / 'printproof.db'}")
    with engine.begin() as connection:
        past = dt.datetime.now(dt.timezone.utc) - dt.timedelta(seconds=1)
        connection.execute(
            sa.text("UPDATE idempotency_keys SET expires_at = :past"), {"past": past.replace(tzinfo=None)}
        )
    engine.dispose()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 6 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(disk)], check=False, capture_output=True
    )
    if done.returncode:
        pytest.skip("only root may mount the small disk that this fills")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("full", ["images", "database"])
def test_a_full_disk(tmp_path: Path, samples: Samples, good: Good, small_disk: Path, full: str) -> None:
    settings: dict[str, Any] = (
        {"PRINTPROOF_IMAGES_DIR": str(small_disk / "images")}
        if full == "images"
        else {"PRINTPROOF_DATABASE_URL": f"sqlite:///{small_disk / 'printproof.db'}"}
    )
    with serving(tmp_path / "data", samples[0] / "recipes", **settings) as server:
        assert server.post(*good).status_code == 201
        ballast = small_disk / "ballast"
        with pytest.raises(OSError, match="No space left"):
            grow(ballast)
        answers = [server.post(*good) for _ in range(3)]
        refused = [one for one in answers if one.status_code != 201]
        assert {(one.status_code, one.json()["code"], one.json()["reject"]) for one in refused} == {
            (503, "store_unavailable", True)
        }
        ballast.unlink()
        assert server.post(*good).status_code == 201
        stored = listed(server)
        assert len(stored) == 1 + 3 - len(refused) + 1
        assert server.client.get("/v1/stats").json()["counts"]["total"] == len(stored)
        for one in stored:
            assert server.client.get(f"/v1/inspections/{one['id']}/image").content == good[0]
        assert not list(small_disk.rglob("*.part"))


def grow(file: Path) -> None:
    with file.open("wb", buffering=0) as stream:
        while True:
            stream.write(bytes(1024))

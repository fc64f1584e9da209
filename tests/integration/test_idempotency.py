"""Idempotency keys on both databases, and over HTTP."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from service.access.roles import Role
from service.db import engine as db
from service.db.writer import GroupWriter
from service.errors import EngineFailed, IdempotencyKeyInFlight, IdempotencyKeyReused
from service.idempotency import repository as idempotency_repository
from service.idempotency.repository import Claim, IdempotencyRepository, finish
from service.inspections.repository import Filter, InspectionRepository
from service.samples.generator import Sample
from tests.integration.client import assert_problem, key_of, ready_client, settings_of, values_of

LEASE = dt.timedelta(seconds=30)


def repository(database: sa.Engine) -> IdempotencyRepository:
    return IdempotencyRepository(GroupWriter(database, before_commit=lambda _session: None))


def finish_now(database: sa.Engine, claim: Claim | str, inspection_id: str) -> None:
    assert isinstance(claim, Claim)
    with db.transaction(database, writes=True) as session:
        finish(session, claim, inspection_id)


def test_a_key_is_of_one_request(database: sa.Engine) -> None:
    keys = repository(database)
    first = keys.claim("key/1", "k", "print", LEASE)
    with pytest.raises(IdempotencyKeyInFlight):
        keys.claim("key/1", "k", "print", LEASE)
    with pytest.raises(IdempotencyKeyReused):
        keys.claim("key/1", "k", "other print", LEASE)
    assert isinstance(keys.claim("key/2", "k", "other print", LEASE), Claim)  # somebody else's
    finish_now(database, first, "inspection")
    assert keys.claim("key/1", "k", "print", LEASE) == "inspection"
    with pytest.raises(IdempotencyKeyReused):
        keys.claim("key/1", "k", "other print", LEASE)


def test_what_failed_may_be_sent_again(database: sa.Engine) -> None:
    keys = repository(database)
    first = keys.claim("key/1", "k", "print", LEASE)
    assert isinstance(first, Claim)
    keys.release(first)
    second = keys.claim("key/1", "k", "other print", LEASE)
    finish_now(database, second, "inspection")
    keys.release(first)
    assert isinstance(second, Claim)
    keys.release(second)  # of what is stored the key stays
    assert keys.claim("key/1", "k", "other print", LEASE) == "inspection"


def test_a_claim_of_a_process_that_died_ends(database: sa.Engine) -> None:
    keys = repository(database)
    dead = keys.claim("key/1", "k", "print", dt.timedelta(0))
    assert isinstance(keys.claim("key/1", "k", "print", LEASE), Claim)
    with pytest.raises(IdempotencyKeyInFlight):  # it was not dead after all: only one of both is stored
        finish_now(database, dead, "inspection")


def test_a_result_is_remembered_for_a_day(database: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = repository(database)
    monkeypatch.setattr(idempotency_repository, "KEPT_FOR", dt.timedelta(0))
    finish_now(database, keys.claim("key/1", "k", "print", LEASE), "inspection")
    keys.purge(dt.datetime.now(dt.timezone.utc))
    with db.transaction(database) as session:
        assert session.scalar(sa.text("SELECT count(*) FROM idempotency_keys")) == 0
    monkeypatch.undo()
    assert dt.timedelta(hours=24) == idempotency_repository.KEPT_FOR
    assert isinstance(keys.claim("key/1", "k", "print", LEASE), Claim)


def test_of_many_at_once_in_two_replicas_one_gets_the_key(database: sa.Engine) -> None:
    engines = [db.connect(database.url.render_as_string(hide_password=False)) for _ in range(2)]
    replicas = [repository(engine) for engine in engines]
    start = threading.Barrier(16)

    def claim(number: int) -> object:
        start.wait()
        try:
            return replicas[number % 2].claim("key/1", "k", "print", LEASE)
        except IdempotencyKeyInFlight:
            return None

    with ThreadPoolExecutor(16) as pool:
        claims = [one for one in pool.map(claim, range(16)) if one is not None]
    for engine in engines:
        engine.dispose()
    assert len(claims) == 1


@pytest.fixture(scope="module")
def client(
    tmp_path_factory: pytest.TempPathFactory, samples: tuple[Path, list[Sample]]
) -> Iterator[TestClient]:
    settings = settings_of(
        tmp_path_factory.mktemp("data"),
        samples[0] / "recipes",
    )
    yield from ready_client(settings)


def post(client: TestClient, key: str, good: tuple[bytes, Sample], **more: str) -> httpx2.Response:
    image, sample = good
    headers = {"Content-Type": "image/jpeg", "Idempotency-Key": key}
    return client.post("/v1/inspections", params=values_of(sample) | more, content=image, headers=headers)


def stored(client: TestClient) -> int:
    inspections: InspectionRepository = client.app.state.components.inspections  # type: ignore[attr-defined]
    return len(inspections.page(Filter(), before=None, limit=200))


def test_a_retry_gets_the_first_result(client: TestClient, good: tuple[bytes, Sample]) -> None:
    before = stored(client)
    first = post(client, "part-1", good)
    again = post(client, "part-1", good)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert again.headers["location"] == first.headers["location"]
    assert (first.headers.get("idempotent-replayed"), again.headers["idempotent-replayed"]) == (None, "true")
    assert stored(client) == before + 1


def test_another_request_with_the_same_key_is_refused(client: TestClient, good: tuple[bytes, Sample]) -> None:
    assert post(client, "part-2", good).status_code == 201
    problem = assert_problem(post(client, "part-2", good, part_id="other"), 422, "idempotency_key_reused")
    assert problem["reject"] is True
    assert_problem(post(client, "part-2", (good[0] + b"\0", good[1])), 422, "idempotency_key_reused")


def test_the_same_key_of_another_caller_is_another_key(
    client: TestClient, good: tuple[bytes, Sample]
) -> None:
    first = post(client, "part-3", good)
    other = key_of(client.app, "another camera", Role.CAMERA)  # type: ignore[arg-type]
    headers = {"Content-Type": "image/jpeg", "Idempotency-Key": "part-3", **other}
    second = client.post("/v1/inspections", params=values_of(good[1]), content=good[0], headers=headers)
    assert second.json()["id"] != first.json()["id"]


def test_what_was_refused_may_be_sent_again(
    client: TestClient, good: tuple[bytes, Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_problem(post(client, "part-4", (b"no image", good[1])), 422, "image_undecodable")
    assert post(client, "part-4", good).status_code == 201


def test_a_failed_inspection_is_answered_as_it_was_stored(
    client: TestClient, good: tuple[bytes, Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        failure = EngineFailed("out of order")
        patched.setattr("service.inspections.pipeline.judge", lambda *_: (_ for _ in ()).throw(failure))
        problem = assert_problem(post(client, "part-5", good), 500, "engine_failed")
    again = post(client, "part-5", good)
    assert again.status_code == 201
    assert (again.json()["id"], again.json()["verdict"]) == (problem["inspection_id"], "REVIEW")
    assert again.json()["reject"] is True


def test_a_request_in_flight_is_not_begun_twice(
    client: TestClient, good: tuple[bytes, Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, go_on = threading.Event(), threading.Event()
    pipeline = client.app.state.components.pipeline  # type: ignore[attr-defined]
    store = pipeline._store

    def slow(*arguments: object) -> object:
        entered.set()
        assert go_on.wait(10)
        return store(*arguments)

    monkeypatch.setattr(pipeline, "_store", slow)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(post, client, "part-6", good)
        assert entered.wait(10)
        problem = assert_problem(post(client, "part-6", good), 409, "idempotency_key_in_flight")
        assert problem["reject"] is True
        go_on.set()
        assert post(client, "part-7", good).status_code == 201
        assert post(client, "part-6", good).json()["id"] == first.result().json()["id"]


@pytest.mark.parametrize("key", ["", " ", "a b", "ü".encode().decode("latin-1"), "x" * 129])
def test_a_key_is_printable_ascii(client: TestClient, good: tuple[bytes, Sample], key: str) -> None:
    image, sample = good
    headers = {b"Content-Type": b"image/jpeg", b"Idempotency-Key": key.encode("latin-1")}
    response = client.post("/v1/inspections", params=values_of(sample), content=image, headers=headers)
    assert_problem(response, 422, "value_invalid")

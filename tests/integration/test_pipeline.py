"""The pipeline on a real database and real files, with engines that fail in every way."""

from __future__ import annotations

import asyncio
import datetime as dt
import shutil
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from service.db import engine as db
from service.errors import (
    DeadlinePassed,
    EngineFailed,
    ImageUndecodable,
    NotReady,
    QueueFull,
    StoreUnavailable,
)
from service.imaging.frame import Frame
from service.imaging.regions import Region, View
from service.inspections import repository as inspections_repository
from service.inspections.repository import Filter
from service.matching.outcome import DefectCode, Verdict
from service.ocr.text import Reading
from service.recipes.files import parse_recipe
from service.statistics.tables import TallyRow
from tests.integration.conftest import RECIPE, only_sqlite
from tests.integration.plant import FACTS, IMAGE, SUBMISSION, Plant, reads


def test_the_engine_is_told_what_the_recipe_knows_of_its_images(plant: Plant) -> None:
    known = RECIPE + "image: {roi: [0, 0.5, 1, 0.5], min_glyph_px: 20}\n"
    plant.recipes.sync([(parse_recipe(known, "milk.yaml"), known)])
    seen: list[View] = []

    def engine(frames: Sequence[Frame]) -> list[Reading]:
        seen.extend(frame.view for frame in frames)
        return reads("MILK", "LOT 77A")(frames)

    assert plant.inspect(engine).recipe_version == 2
    assert seen == [View(Region(0, 0.5, 1, 0.5), (), 20)]


def test_what_is_answered_is_what_is_stored(plant: Plant) -> None:
    inspection = plant.inspect(reads("MILK", "LOT 77A"))
    assert (inspection.verdict, inspection.reject) == (Verdict.PASS, False)
    assert plant.inspections.get(inspection.id) == inspection
    assert [path.read_bytes() for path in plant.files()] == [IMAGE]
    assert inspection.origin.bundle_sha256 == FACTS.bundle_sha256
    assert list(inspection.timings_ms) == ["decode", "queue", "detect", "recognise", "match", "total"]


def test_a_wrong_label_fails_and_keeps_its_evidence(plant: Plant) -> None:
    inspection = plant.inspect(reads("MILK", "LOT 78A"))
    assert (inspection.verdict, inspection.reject) == (Verdict.FAIL, True)
    assert plant.stored()[0].fields[1].chars == inspection.fields[1].chars


def test_a_blank_reading_is_review(plant: Plant) -> None:
    inspection = plant.inspect(reads())
    assert (inspection.verdict, inspection.reject) == (Verdict.REVIEW, True)
    assert inspection.defects[0].code is DefectCode.NOTHING_READ


@pytest.mark.parametrize("on_error", ["reject", "accept"])
def test_an_engine_fault_is_stored_and_never_passes(plant: Plant, on_error: str) -> None:
    source = f"on_error: {on_error}\n{RECIPE}"
    plant.recipes.sync([(parse_recipe(source, "milk.yaml"), source)])

    def broken(_frames: Sequence[Frame]) -> list[Reading]:
        raise RuntimeError("no memory")

    with pytest.raises(EngineFailed) as raised:
        plant.inspect(broken)
    (stored,) = plant.stored()
    assert raised.value.inspection_id == stored.id
    assert raised.value.reject is stored.reject is (on_error == "reject")
    assert (stored.verdict, stored.defects[0].code) == (Verdict.REVIEW, DefectCode.ENGINE_FAILED)
    assert "no memory" not in stored.defects[0].detail


def test_a_late_reading_is_stored_and_never_passes(plant: Plant) -> None:
    def slow(frames: Sequence[Frame]) -> list[Reading]:
        time.sleep(0.3)
        return reads("MILK", "LOT 77A")(frames)

    with pytest.raises(DeadlinePassed) as raised:
        plant.inspect(slow, deadline_ms=50)
    (stored,) = plant.stored()
    assert raised.value.inspection_id == stored.id
    assert (stored.verdict, stored.defects[0].code) == (Verdict.REVIEW, DefectCode.DEADLINE_PASSED)
    assert len(plant.files()) == 1


def test_no_row_no_pass(plant: Plant) -> None:
    def then_the_table_is_gone(frames: Sequence[Frame]) -> list[Reading]:
        with db.transaction(plant.database) as session:
            session.execute(sa.text("DROP TABLE inspections"))
        return reads("MILK", "LOT 77A")(frames)

    with pytest.raises(StoreUnavailable) as raised:
        plant.inspect(then_the_table_is_gone)
    assert raised.value.reject


@pytest.mark.parametrize("on_error", ["reject", "accept"])
@pytest.mark.parametrize("lot", ["77A", "78A"])
def test_a_slow_last_commit_lets_no_bad_part_pass(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, on_error: str, lot: str
) -> None:
    source = f"on_error: {on_error}\n{RECIPE}"
    plant.recipes.sync([(parse_recipe(source, "milk.yaml"), source)])
    add = plant.inspections.add

    def slow(*arguments: Any) -> Any:
        stored = add(*arguments)
        time.sleep(0.5)
        return stored

    monkeypatch.setattr(plant.inspections, "add", slow)
    with pytest.raises(DeadlinePassed) as raised:
        plant.inspect(reads("MILK", f"LOT {lot}"), deadline_ms=400)
    assert raised.value.reject is (lot == "78A" or on_error == "reject")
    assert raised.value.inspection_id == plant.stored()[0].id


@only_sqlite
def test_a_verdict_that_waits_too_long_for_the_database_is_late(plant: Plant, tmp_path: Path) -> None:
    def then_somebody_holds_the_database(frames: Sequence[Frame]) -> list[Reading]:
        writer = sqlite3.connect(tmp_path / "test.db", isolation_level=None, check_same_thread=False)
        writer.execute("BEGIN IMMEDIATE")

        def release() -> None:
            writer.execute("ROLLBACK")
            writer.close()

        threading.Timer(0.6, release).start()
        return reads("MILK", "LOT 77A")(frames)

    with pytest.raises(DeadlinePassed) as raised:
        plant.inspect(then_somebody_holds_the_database, deadline_ms=300)
    (stored,) = plant.stored()
    assert raised.value.inspection_id == stored.id
    assert (stored.verdict, stored.reject) == (Verdict.REVIEW, True)
    assert stored.defects[0].code is DefectCode.DEADLINE_PASSED


def test_a_fault_of_our_own_is_stored_and_never_passes(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise IndexError("a bug")

    monkeypatch.setattr("service.inspections.pipeline.judge", broken)
    with pytest.raises(EngineFailed, match="inside the service"):
        plant.inspect(reads("MILK", "LOT 77A"))
    assert [stored.defects[0].code for stored in plant.stored()] == [DefectCode.ENGINE_FAILED]


@only_sqlite
def test_a_replaced_database_is_noticed(plant: Plant, tmp_path: Path) -> None:
    assert plant.inspect(reads("MILK", "LOT 77A")).verdict is Verdict.PASS
    assert plant.inspections.reachable()
    for path in tmp_path.glob("test.db*"):
        path.unlink()
    assert not plant.inspections.reachable()
    with pytest.raises(StoreUnavailable):
        plant.inspect(reads("MILK", "LOT 77A"))


def test_only_so_many_images_are_decoded_and_waiting(plant: Plant) -> None:
    def slow(frames: Sequence[Frame]) -> list[Reading]:
        time.sleep(0.3)
        return reads("MILK", "LOT 77A")(frames)

    with plant.pipeline(slow) as pipeline:

        async def main() -> list[Any]:
            posts = (pipeline.inspect(IMAGE, SUBMISSION, 10_000) for _ in range(6))
            return await asyncio.gather(*posts, return_exceptions=True)

        answers = asyncio.run(main())
    assert [type(answer) for answer in answers].count(QueueFull) == 2
    assert len(plant.stored()) == 4


def test_no_image_no_pass(plant: Plant) -> None:
    def then_the_folder_is_a_file(frames: Sequence[Frame]) -> list[Reading]:
        shutil.rmtree(plant.folder, ignore_errors=True)
        plant.folder.write_text("in the way")
        return reads("MILK", "LOT 77A")(frames)

    with pytest.raises(StoreUnavailable, match="the image cannot be stored"):
        plant.inspect(then_the_folder_is_a_file)
    assert plant.stored() == []


def test_what_is_not_admitted_leaves_nothing(plant: Plant) -> None:
    with plant.pipeline(reads("MILK")) as pipeline, pytest.raises(ImageUndecodable):
        asyncio.run(pipeline.inspect(b"no image", SUBMISSION, 1000))
    with pytest.raises(NotReady):
        asyncio.run(pipeline.inspect(IMAGE, SUBMISSION, 1000))
    assert plant.stored() == []
    assert plant.files() == []


def test_pages_are_stable_while_inspections_arrive(plant: Plant) -> None:
    with plant.pipeline(reads("MILK", "LOT 77A")) as pipeline:

        def inspect(count: int) -> list[str]:
            return [asyncio.run(pipeline.inspect(IMAGE, SUBMISSION, 1000))[0].id for _ in range(count)]

        ids = inspect(5)
        first = plant.inspections.page(Filter(), before=None, limit=2)
        inspect(2)
        second = plant.inspections.page(Filter(), before=first[-1].id, limit=2)
        assert [one.id for one in first + second] == ids[:0:-1]


def test_filters(plant: Plant) -> None:
    before = dt.datetime.now(dt.timezone.utc)
    passed, failed = plant.inspect(reads("MILK", "LOT 77A")), plant.inspect(reads("MILK 100%_", "LOT 78A"))
    for wanted, found in (
        (Filter(verdict=Verdict.FAIL), [failed]),
        (Filter(recipe="milk", station_id="line-1", part_id="part-1"), [failed, passed]),
        (Filter(station_id="line-2"), []),
        (Filter(defect=DefectCode.MISMATCH), [failed]),
        (Filter(defect=DefectCode.NOTHING_READ), []),
        (Filter(text="lot 78"), [failed]),
        (Filter(text="77A"), [failed, passed]),  # one read it, the other should have
        (Filter(text="0%_"), [failed]),
        (Filter(text="%_%"), []),
        (Filter(text='K" OR "'), []),
        (Filter(since=before, until=failed.received_at), [passed]),
        (Filter(since=failed.received_at), [failed]),
        (Filter(until=passed.received_at), []),
    ):
        ids = [one.id for one in plant.inspections.page(wanted, before=None, limit=9)]
        assert ids == [one.id for one in found], wanted
    assert passed.received_at < failed.received_at


def test_what_is_counted_is_what_is_stored(plant: Plant) -> None:
    for texts in (("MILK", "LOT 77A"), ("MILK", "LOT 77A"), ("MILK", "LOT 78A"), ()):
        plant.inspect(reads(*texts))
    counts: Counter[tuple[str, str, str]] = Counter()  # over all minutes: one may end meanwhile
    scores = 0.0
    with db.transaction(plant.database) as session:
        for row in session.scalars(sa.select(TallyRow)):
            counts[row.kind, row.name, row.field] += row.count
            scores += row.total if row.field == "brand" else 0
    assert counts["verdict", "PASS", ""] == 2
    assert counts["verdict", "FAIL", ""] == counts["verdict", "REVIEW", ""] == 1
    assert counts["defect", "MISMATCH", "lot"] == 1
    assert counts["score", "", "brand"] == 3
    assert 0 < scores <= 3


@pytest.mark.parametrize("step", [1, 2, 100])
def test_a_text_is_found_however_common_it_is(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """By walking back in time, by the index of texts, and by the one after the other."""
    monkeypatch.setattr(inspections_repository, "_STEP", step)
    lots = ("LOT 77A", "LOT 78A", "LOT 77A", "LOT 79A", "LOT 78A")
    ids = [plant.inspect(reads("MILK", lot)).id for lot in lots]

    def found(text: str, limit: int = 9, before: str | None = None) -> list[int]:
        page = plant.inspections.page(Filter(text=text), before=before, limit=limit)
        assert [one.id for one in plant.inspections.lines(Filter(text=text), before=before, limit=limit)] == [
            one.id for one in page
        ]
        return [ids.index(one.id) for one in page]

    assert found("milk") == [4, 3, 2, 1, 0]
    assert found("milk", limit=2) == [4, 3]
    assert found("milk", limit=2, before=ids[3]) == [2, 1]
    assert found("lot 78a") == [4, 1]
    assert found("lot 78a", limit=1) == [4]
    assert found("lot 79A") == [3]
    assert found("lot 80") == []

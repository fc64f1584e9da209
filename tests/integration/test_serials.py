"""Numbers that go on from part to part, over inspections that are really stored."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from service.inspections.inspection import Inspection, Submission
from service.matching.outcome import DefectCode, Outcome, Verdict
from service.recipes.files import parse_recipe
from tests.integration.plant import IMAGE, Plant, reads

SOURCE = """
recipe: parts
fields:
  - name: serial
    prefix: "SN"
    pattern: "{digit:5}"
    sequence: {step: 1, max_gap: 1, restart_at: 1, unique_within: 30d}
  - name: brand
    expect: "ALPENGLOW"
"""


@pytest.fixture
def line(plant: Plant) -> Plant:
    plant.recipes.sync([(parse_recipe(SOURCE, "parts.yaml"), SOURCE)])
    return plant


def inspect(
    plant: Plant,
    serial: str,
    *,
    part: str | None = None,
    station: str | None = "line-1",
    brand: str = "ALPENGLOW",
) -> Inspection:
    submission = Submission("parts", {}, station, part)
    with plant.pipeline(reads(f"SN {serial}", brand)) as pipeline:
        return asyncio.run(pipeline.inspect(IMAGE, submission, 10_000))[0]


def test_numbers_that_follow_pass(line: Plant) -> None:
    for serial in ("00007", "00008", "00010", "00011", "00001", "00002"):
        assert inspect(line, serial).verdict is Verdict.PASS, serial


def test_a_gap_and_a_number_out_of_order_fail(line: Plant) -> None:
    inspect(line, "00007")
    gap = inspect(line, "00010")
    assert (gap.verdict, gap.reject, gap.fields[0].outcome) == (Verdict.FAIL, True, Outcome.INVALID)
    assert gap.defects[0].detail == "2 missing between '00007' and '00010'"
    assert inspect(line, "00011").verdict is Verdict.PASS  # one gap is one fault
    assert inspect(line, "00009").defects[0].detail == "'00009' does not follow '00011'"


def test_a_number_must_not_pass_twice(line: Plant) -> None:
    first = inspect(line, "00001")
    again = inspect(line, "00001")
    assert (again.verdict, again.defects[0].code) == (Verdict.FAIL, DefectCode.DUPLICATE)
    assert first.id in again.defects[0].detail
    elsewhere = inspect(line, "00001", station="line-2")
    assert elsewhere.defects[0].code is DefectCode.DUPLICATE


def test_a_rejected_part_may_come_again(line: Plant) -> None:
    assert inspect(line, "00001", brand="SUNRISE").verdict is Verdict.FAIL
    assert inspect(line, "00001").verdict is Verdict.PASS


def test_the_same_part_may_be_looked_at_again(line: Plant) -> None:
    inspect(line, "00006", part="p0")
    assert inspect(line, "00007", part="p1").verdict is Verdict.PASS
    assert inspect(line, "00007", part="p1").verdict is Verdict.PASS
    assert inspect(line, "00007", part="p2").verdict is Verdict.FAIL


def test_each_station_counts_for_itself(line: Plant) -> None:
    assert inspect(line, "00100").verdict is Verdict.PASS
    assert inspect(line, "00500", station="line-2").verdict is Verdict.PASS
    assert inspect(line, "00700", station=None).verdict is Verdict.PASS
    assert inspect(line, "00101").verdict is Verdict.PASS
    assert inspect(line, "00701", station=None).verdict is Verdict.PASS


def test_a_doubtful_number_is_no_number(line: Plant) -> None:
    inspect(line, "00007")
    doubtful = inspect(line, "0000B")
    assert doubtful.fields[0].outcome is Outcome.CONFUSED
    assert inspect(line, "00008").verdict is Verdict.PASS


def test_what_is_stored_is_what_was_answered(line: Plant) -> None:
    inspect(line, "00007")
    answered = inspect(line, "00020")
    stored = line.inspections.get(answered.id)
    assert replace(stored, received_at=answered.received_at) == answered
    assert stored.fields[0].outcome is Outcome.INVALID

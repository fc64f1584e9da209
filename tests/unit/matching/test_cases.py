"""The table of cases: what is expected, what is read, what becomes of it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
import yaml

from service.matching.outcome import VERDICTS, Outcome
from service.matching.verdict import evaluate
from service.recipes.files import parse_recipe
from service.recipes.resolve import resolve
from tests.labels import NOON, label

GROUPS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text("utf-8"))
CASES = [(group, read, outcome) for group in GROUPS for read, outcome in group["cases"].items()]


@pytest.mark.parametrize(
    ("group", "read", "outcome"),
    CASES,
    ids=[f"{group['why']}: {read} is {outcome}" for group, read, outcome in CASES],
)
def test_case(group: dict[str, Any], read: str, outcome: str) -> None:
    document = {"recipe": "test", **group.get("recipe", {}), "fields": [{"name": "x", **group["field"]}]}
    at = dt.datetime.fromisoformat(group["at"]) if "at" in group else NOON
    recipe = resolve(
        parse_recipe(yaml.safe_dump(document, allow_unicode=True), "case"),
        group.get("expected", {}),
        at,
        "received_at",
    )
    evaluation = evaluate(recipe, label(*read.split(" / ")))
    assert evaluation.fields[0].outcome.value == outcome, evaluation
    if evaluation.fields[0].outcome is not Outcome.ABSENT:
        assert evaluation.verdict is VERDICTS[Outcome(outcome)]


def test_there_are_many_cases() -> None:
    assert len(CASES) >= 300
    elsewhere = {  # not decided by the text
        Outcome.LOW_CONFIDENCE,
        Outcome.ROTATED,
        Outcome.INCOMPLETE,
        Outcome.CODE_MISMATCH,
        Outcome.CODE_UNREADABLE,
        Outcome.UNJUDGED,
    }
    assert set(Outcome) - {Outcome(outcome) for _, _, outcome in CASES} == elsewhere

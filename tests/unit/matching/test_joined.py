"""Prints that the reader has run together."""

from __future__ import annotations

import pytest

from service.matching.outcome import Verdict
from service.matching.verdict import evaluate
from service.recipes.recipe import DateRule, Field
from tests.labels import label, recipe

LOT = Field("lot", expect="LOT 12")
EXP = Field("exp", prefix="EXP", date=DateRule("MM/YY"))
LETTER = Field("letter", expect="B")
NUMBER = Field("number", expect="3")


def outcomes(fields: list[Field], *texts: str) -> list[str]:
    return [field.outcome.value for field in evaluate(recipe(fields), label(*texts)).fields]


@pytest.mark.parametrize(
    "texts",
    [("LOT12EXP05/26",), ("LOT 12EXP 05/26",), ("EXP05/26LOT12",), ("KEEP COOL", "LOT12EXP05/26 MILK")],
)
def test_two_prints_in_one_word(texts: tuple[str, ...]) -> None:
    evaluation = evaluate(recipe([LOT, EXP]), label(*texts))
    assert evaluation.verdict is Verdict.PASS, evaluation.defects
    assert "12" in evaluation.fields[0].read


def test_three_prints_in_one_word() -> None:
    assert outcomes([LOT, LETTER, EXP], "LOT12BEXP05/26") == ["MATCH"] * 3


def test_where_one_number_ends_and_the_next_begins_cannot_be_told() -> None:
    assert outcomes([LOT, NUMBER], "LOT123") == ["CONFUSED", "CONFUSED"]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ([LOT], "LOT12EXP05/26"),  # nobody wants what goes on
        ([LOT, EXP], "LOT12EXP05/26X"),
        ([LOT, EXP], "XLOT12EXP05/26"),
        ([LOT, EXP], "LOT12-EXP05/26"),
        ([LOT, EXP], "LOT13EXP05/26"),
        ([LOT, EXP], "LOT12EXP05/2"),
        ([Field("lot", expect="LOT 12", whitespace="exact"), EXP], "LOT 12EXP05/26"),
    ],
)
def test_what_is_not_made_up_of_prints_does_not_pass(fields: list[Field], text: str) -> None:
    assert evaluate(recipe(fields), label(text)).verdict is not Verdict.PASS


def test_a_print_counts_once() -> None:
    assert evaluate(recipe([LOT, EXP]), label("LOT12EXP05/26EXP05/26")).verdict is not Verdict.PASS

"""What once passed, or failed, wrongly."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from service.errors import ExpectedValueInvalid
from service.matching.outcome import DefectCode, Outcome, Verdict
from service.matching.verdict import evaluate
from service.ocr.text import TextLine
from service.recipes.files import parse_recipe
from service.recipes.recipe import DateRule, Field
from tests.labels import for_part, label, line, recipe, turned


@pytest.mark.parametrize(
    ("field", "lines"),
    [
        (Field("x", expect="SN1234"), [line("SN1234"), line("5", x=72)]),
        (Field("x", expect="SN1234"), [line("SN1234"), line("5", x=68)]),
        (Field("x", expect="SN1234"), [line("SN1234"), line("A", x=72)]),
        (Field("x", expect="LOT 12", whitespace="collapse"), [line("LOT 12"), line("3", x=72)]),
        (Field("x", expect="500 g", whitespace="collapse"), [line("1"), line("500 g", x=12)]),
        (Field("x", expect="20 C"), [line("-"), line("20 C", x=12)]),
    ],
)
def test_between_boxes_that_touch_no_space_was_seen(field: Field, lines: list[TextLine]) -> None:
    evaluation = evaluate(recipe([field]), lines)
    assert evaluation.fields[0].outcome is Outcome.CONFUSED
    assert "stands beside it" in evaluation.defects[0].detail


@pytest.mark.parametrize(
    ("field", "read"),
    [
        (Field("x", expect="L12"), "L12 3"),
        (Field("x", pattern="L{digit:6}"), "L123456 7"),
        (Field("x", date=DateRule("MM/YY")), "12/20 27"),
        (Field("x", prefix="EXP", expect="12/20"), "EXP 12/20 27"),
        (Field("x", expect="20 C"), "—20 C"),
        (Field("x", expect="20 C"), "‑20 C"),
        (Field("x", expect="5 mg"), "·5 mg"),
        (Field("x", expect="5 mg"), "•5 mg"),
        (Field("x", prefix="SN", regex="[0-9]{6}", optional=True), "SN12345"),
        (Field("x", prefix="SN", regex="[0-9]{6}", optional=True), "SN1234567"),
        (Field("x", prefix="L", regex="[0-9]{6}", optional=True), "L12345"),
        (
            Field("x", date=DateRule("DD/MM/YY", earliest=dt.date(2026, 12, 1)), repeat=(1, 2)),
            "31/12/27 / 31/12/20",
        ),
        (Field("x", pattern="{digit:13}", check_digit="gs1", repeat=(1, 2)), "4006381333931 / 4006381333932"),
        (Field("x", pattern="L{digit:2}", repeat=(2, 2)), "L12 / L13"),
        (
            Field("x", expect="ACME GmbH\nHamburg"),
            "ACME GmbH / Berlin / Product of / made in / and / Hamburg",
        ),
    ],
)
def test_what_never_passes(field: Field, read: str) -> None:
    brand = Field("brand", expect="ALPENGLOW")
    evaluation = evaluate(recipe([brand, field]), label("ALPENGLOW", *read.split(" / ")))
    assert evaluation.verdict is not Verdict.PASS, evaluation


@pytest.mark.parametrize(
    ("field", "read"),
    [
        (Field("x", prefix="LOT ", whitespace="collapse", regex="[0-9]{3}"), "LOT 123"),
        (Field("x", pattern="GTIN {digit:14}", check_digit="gs1"), "GTIN 04006381333931"),
        (Field("x", pattern="(01){digit:14}", check_digit="gs1"), "(01)04006381333931"),
        (Field("x", pattern="{digit:13}", check_digit="gs1"), "0800123456789 / 4006381333931"),
        (Field("x", date=DateRule("DD/MM/YY", earliest=dt.date(2026, 12, 1))), "01/12/25 / 31/12/27"),
        (Field("x", regex="BATCH NO [0-9]+ LINE [0-9]+", whitespace="collapse"), "BATCH NO 12 LINE 3"),
        (Field("x", pattern="L{digit:2}", repeat=(2, 2)), "L12 / L12"),
        (Field("x", prefix="L", regex="[0-9]{6}", optional=True), "LOT / LEMON"),
    ],
)
def test_what_passes(field: Field, read: str) -> None:
    evaluation = evaluate(
        recipe([Field("brand", expect="ALPENGLOW"), field]), label("ALPENGLOW", *read.split(" / "))
    )
    assert evaluation.verdict is Verdict.PASS, evaluation.defects


def test_as_many_prints_as_possible_stand_exactly() -> None:
    for texts, other in ((("MILK", "MILK & SOY"), "SOY"), (("500 g", "500 g e"), "e")):
        fields = recipe([Field("any", any_of=texts), Field("other", expect=other)])
        assert evaluate(fields, label(texts[1])).verdict is Verdict.PASS


def test_copies_that_may_be_there_are_not_unexpected() -> None:
    for repeat in ((1, 2), (1, None)):
        fields = recipe([Field("x", expect="BRAND", repeat=repeat)], unexpected_text="fail")
        assert evaluate(fields, label("BRAND", "BRAND")).verdict is Verdict.PASS
        assert evaluate(fields, label("BRAND", "OTHER")).verdict is Verdict.FAIL


def test_two_labels_in_one_image() -> None:
    """The second one's lot is wrong, and a right one stands beside it."""
    fields = [
        Field("brand", expect="ALPENGLOW"),
        Field("net", expect="500 ml"),
        Field("lot", prefix="LOT", expect="L240817B"),
    ]
    one, other = ("ALPENGLOW", "500 ml", "LOT L240817B"), ("ALPENGLOW", "500 ml", "LOT L240817C")
    assert evaluate(recipe(fields), label(*one)).verdict is Verdict.PASS
    for second in (one, other):
        evaluation = evaluate(recipe(fields), label(*one, *second))
        assert evaluation.verdict is Verdict.REVIEW
        assert evaluation.defects[0].code is DefectCode.SEVERAL_LABELS
        assert "brand, net" in evaluation.defects[0].detail
    meant = [replace(field, repeat=(1, 2)) for field in fields]
    assert evaluate(recipe(meant), label(*one, *one)).verdict is Verdict.PASS


def test_lines_of_a_print_run_the_same_way() -> None:
    field = Field("x", expect="ACME\nHAMBURG")
    lines = [line("ACME"), line("KEEP COOL AND DRY", row=3), turned(line("HAMBURG", x=-84, row=-1), 2)]
    assert evaluate(recipe([field]), lines).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        ([line("12"), line("34", x=36)], Field("x", regex="[^0-9]+", whitespace="exact")),
        (label("A\ud800B"), Field("x", regex="[A-Z]{2}")),
        (label("1" + "." * 16_000), Field("x", expect="ABC")),
    ],
)
def test_odd_labels_get_a_verdict(lines: list[TextLine], field: Field) -> None:
    assert evaluate(recipe([field]), lines).verdict is not Verdict.PASS


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("date: {format: DD/MM/YYYY, equals: v, tolerance: 1d}", "9999-12-31"),
        ("date: {format: DD/MM/YYYY, equals: v + 1y}", "9999-12-31"),
        ("date: {format: DD/MM/YYYY, equals: v}", "tomorrow"),
    ],
)
def test_values_that_lead_nowhere(field: str, value: str) -> None:
    parsed = parse_recipe(f"recipe: r\nfields:\n  - {{name: x, {field}}}\n", "r")
    with pytest.raises(ExpectedValueInvalid):
        for_part(parsed, {"v": value})

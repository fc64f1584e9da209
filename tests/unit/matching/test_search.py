"""Where prints are found on a label, and where they must not be."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from service.matching.field import FieldResult
from service.matching.outcome import Outcome, Verdict
from service.matching.verdict import evaluate
from service.recipes.recipe import DateRule, Field
from tests.labels import askew, label, line, recipe, turned


def judge(field: Field, *texts: str) -> FieldResult:
    return evaluate(recipe([field]), label(*texts)).fields[0]


@pytest.mark.parametrize(
    ("expect", "read"),
    [
        # a sign, a point or a comparison before a number, a unit behind it
        ("5 mg", ".5 mg"), ("20 C", "-20 C"), ("5%", "<5%"), ("18", "+18"), ("5°C", "\u22125°C"), ("5", "5%"), ("C", "C++"),
        ("VITAMIN B", "VITAMIN B+"),
        # marks that hold a number or a word together
        ("60", "1..60"), ("12", "12.,5"), ("12", "12#3"), ("12", "12\\3"), ("12", "12•5"), ("12", "12、5"), ("5", "3±5"),
        ("X-3011", "YM–X-3011"), ("X-3011", "YM—X-3011"),
        # a space that the reader put into a number
        ("60", "1. 60"), ("5 mg", "1. 5 mg"), ("LOT 12", "LOT 12 3"), ("500 g", "1 500 g"), ("2221 6898", "8709 2221 6898"),
    ],
)  # fmt: skip
def test_part_of_a_print_never_passes(expect: str, read: str) -> None:
    evaluation = evaluate(recipe([Field("x", expect=expect)]), label(read))
    assert evaluation.verdict is not Verdict.PASS, evaluation


def test_a_number_beside_a_number_is_doubt_unless_it_is_claimed() -> None:
    lot, shift = Field("lot", prefix="LOT", expect="12"), Field("shift", expect="3")
    alone = evaluate(recipe([lot]), label("LOT 12 3"))
    assert alone.fields[0].outcome is Outcome.CONFUSED
    assert "'3' stands beside it" in alone.defects[0].detail
    assert evaluate(recipe([lot, shift]), label("LOT 12 3")).verdict is Verdict.PASS
    strict = Field("lot", prefix="LOT ", expect="12", whitespace="collapse")
    assert evaluate(recipe([strict]), label("LOT 12 3")).verdict is Verdict.PASS
    for beside in ("LOT 12 EXP", "LOT 12 05/26", "LOT 12 10:08"):
        assert evaluate(recipe([lot]), label(beside)).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("fields", "read"),
    [
        ([Field("lot", expect="L12345"), Field("q", expect="99")], "L123 99 45"),
        ([Field("d", prefix="EXP", date=DateRule("MM/YY")), Field("t", expect="10:30")], "EXP 10:30 12/26"),
        ([Field("lot", prefix="LOT", expect="12"), Field("net", expect="500 ml")], "LOT 500 ml 12"),
        ([Field("lot", prefix="LOT", expect="127"), Field("net", expect="500ml")], "LOT 12 500ml 7"),
    ],
)
def test_a_print_does_not_reach_over_another_fields_print(fields: list[Field], read: str) -> None:
    assert evaluate(recipe(fields), label(read)).verdict is Verdict.FAIL


@pytest.mark.parametrize("quarters", range(4))
def test_a_print_in_two_pieces_is_found_whichever_way_the_label_lies(quarters: int) -> None:
    lines = [turned(one, quarters) for one in (line("LOT"), line("12", x=60), line("BB 12/26", row=1))]
    assert evaluate(recipe([Field("x", expect="LOT 12")]), lines).verdict is Verdict.PASS


@pytest.mark.parametrize("degrees", [-12, -8, 0, 8, 12])
def test_on_a_label_that_lies_askew_prints_are_not_taken_from_the_next_row(degrees: float) -> None:
    read = [line("MFG"), line("01/26", x=80), line("EXP", row=0.6), line("12/27", x=80, row=0.6)]
    lines = [askew(one, degrees) for one in read]
    right = [Field("mfg", expect="MFG 01/26"), Field("exp", expect="EXP 12/27")]
    swapped = [Field("mfg", expect="MFG 12/27"), Field("exp", expect="EXP 01/26")]
    assert evaluate(recipe(right), lines).verdict is Verdict.PASS
    assert evaluate(recipe(swapped), lines).verdict is Verdict.FAIL


def test_pieces_that_run_opposite_ways_are_no_print() -> None:
    lines = [line("KEEP COOL", row=1), line("LOT"), turned(line("12", x=-90), 2)]
    assert evaluate(recipe([Field("x", expect="LOT 12")]), lines).verdict is Verdict.FAIL


def test_prints_far_apart_are_not_one() -> None:
    for lines in ([line("LOT"), line("12", x=600)], [line("SN12"), line("500", x=600)]):
        assert evaluate(recipe([Field("x", expect="LOT 12")]), lines).verdict is Verdict.FAIL
        assert evaluate(recipe([Field("x", regex="SN[0-9]{4,8}")]), lines).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("field", "read"),
    [
        (Field("x", prefix="LOT", pattern="L{digit:6}{letter}", expect="L240817B"), "LOT L991234C"),
        (Field("x", expect="12"), "13"),
        (Field("x", expect="EU"), "EX"),
        (Field("x", expect="500 g"), "750 g"),
        (Field("x", prefix="BB", date=DateRule("DD/MM/YY"), expect="03/04/26"), "BB 31/12/27"),
        (Field("x", prefix="LOT", pattern="{digit:6}"), "LOT ABCDEF"),
        (Field("x", prefix="BEST BEFORE", date=DateRule("DD/MM/YY")), "BEST BEFORE"),
        (Field("x", prefix="SN", regex="[0-9]{6}"), "SN 12345X"),
        (Field("x", prefix="SERIAL NO", regex="SN[0-9]{4,8}"), "SERIAL NO SN12A4"),
    ],
)
def test_an_optional_print_that_is_there_and_wrong_never_passes(field: Field, read: str) -> None:
    brand = Field("brand", expect="ALPENGLOW")
    evaluation = evaluate(recipe([brand, replace(field, optional=True)]), label("ALPENGLOW", read))
    assert evaluation.verdict is not Verdict.PASS, evaluation
    assert evaluate(recipe([brand, field]), label("ALPENGLOW", read)).verdict is not Verdict.PASS


@pytest.mark.parametrize(
    ("field", "read", "outcome"),
    [
        (Field("x", regex="SN[0-9]+"), "SN1234 05/26", Outcome.MATCH),
        (Field("x", regex="[0-9]{4}"), "1 2345", Outcome.CONFUSED),
        (Field("x", regex="[0-9]{4}"), "A 2345", Outcome.MATCH),
        (Field("x", regex="SN[0-9]{4}"), "SN12O4", Outcome.CONFUSED),
        (Field("x", regex="L[0-9]+"), "L24 08 17", Outcome.CONFUSED),
        (Field("x", regex="LOT[0-9]+"), "LOT 77", Outcome.MATCH),
        (Field("x", regex="LOT [0-9]+", whitespace="collapse"), "LOT  77 X", Outcome.MATCH),
        (Field("x", prefix="LOT", regex="[0-9]{3}"), "LOT 77", Outcome.MISMATCH),
        (Field("x", prefix="LOT", regex="[0-9]{3}"), "LOT", Outcome.MISMATCH),
    ],
)
def test_where_an_expression_matches(field: Field, read: str, outcome: Outcome) -> None:
    assert judge(field, read).outcome is outcome


def test_a_large_label_and_recipe_stay_cheap() -> None:
    """100 fields that fit nowhere on 100 lines took two minutes once."""
    lines = label(*["ABCDE (FG"] * 100)
    fields = [Field(f"f{index}", pattern="{alnum:10}") for index in range(100)]
    started = time.perf_counter()
    evaluate(recipe(fields), lines)
    assert time.perf_counter() - started < 5


def test_a_field_over_two_boxes_and_two_fields_in_one() -> None:
    fields = [
        Field("serial", expect="SERIAL 77"),
        Field("lot", expect="LOT 12"),
        Field("day", expect="01/02/26"),
    ]
    lines = [line("SERIAL"), line("77", x=90), line("LOT 12 01/02/26", row=1)]
    evaluation = evaluate(recipe(fields), lines)
    assert evaluation.verdict is Verdict.PASS
    assert evaluation.fields[0].box == ((0, 0), (114, 0), (114, 20), (0, 20))
    assert evaluation.fields[2].box == ((84, 40), (180, 40), (180, 60), (84, 60))


def test_two_fields_of_equal_text_need_two_prints() -> None:
    fields = [Field("front", expect="12/26"), Field("back", expect="12/26")]
    assert evaluate(recipe(fields), label("12/26", "12/26")).verdict is Verdict.PASS
    assert evaluate(recipe(fields), label("12/26")).verdict is Verdict.FAIL


def test_swapped_prints() -> None:
    fields = [Field("made", prefix="MFD", expect="01/02/26"), Field("best", prefix="EXP", expect="03/04/27")]
    assert evaluate(recipe(fields), label("MFD 03/04/27", "EXP 01/02/26")).verdict is Verdict.FAIL


def test_a_pattern_does_not_take_the_print_of_a_fixed_field() -> None:
    fields = [Field("any", pattern="{digit:4}"), Field("pin", expect="1234")]
    evaluation = evaluate(recipe(fields), label("1234", "9876"))
    assert {field.name: field.read for field in evaluation.fields} == {"any": "9876", "pin": "1234"}
    assert evaluation.verdict is Verdict.PASS


def test_the_box_of_a_print_is_where_the_reader_saw_its_characters() -> None:
    """Six narrow characters, a wide gap, two wide ones."""
    places = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 0.7, 0.9]
    read = line("LOT123 MM")
    read = replace(
        read, chars=tuple(replace(char, place=at) for char, at in zip(read.chars, places, strict=True))
    )
    lot, size = evaluate(recipe([Field("lot", expect="LOT123"), Field("size", expect="MM")]), [read]).fields
    width = read.box[1][0]
    assert lot.box is not None
    assert size.box is not None
    assert [lot.box[0][0], lot.box[1][0]] == pytest.approx([0.0, 0.35 * width], abs=0.1)
    assert [size.box[0][0], size.box[1][0]] == pytest.approx([0.65 * width, 0.95 * width], abs=0.1)

"""Codes against what they should say and against the print beside them."""

from __future__ import annotations

import pytest

from service.errors import ExpectedValueInvalid
from service.imaging.evidence import Code
from service.matching.evidence import Evidence
from service.matching.outcome import DefectCode, Outcome, Verdict
from service.matching.verdict import Evaluation, evaluate
from service.recipes.files import parse_recipe
from tests.labels import for_part, label

RECIPE = """
recipe: r
product: {gtin: "04012345678901"}
fields:
  - {name: brand, expect: "ALPENGLOW"}
  - {name: lot, prefix: "LOT", pattern: "L{digit:6}{letter}"}
  - {name: bb, prefix: "BB", date: {format: "DD/MM/YY"}}
  - name: code
    barcode: {symbology: datamatrix, gs1: {"01": "{gtin}", "17": "@bb", "10": "@lot"}}
"""
PRINTS = ("ALPENGLOW", "LOT L240817B", "BB 28/02/27")
BOX = ((0.0, 0.0), (80.0, 0.0), (80.0, 80.0), (0.0, 80.0))
GOOD = "01040123456789011727022810L240817B"


def judge(text: str | None, *prints: str, recipe: str = RECIPE, gs1: bool = True) -> Evaluation:
    codes = () if text is None else (Code("datamatrix", text, gs1, BOX),)
    resolved = for_part(parse_recipe(recipe, "r"))
    return evaluate(resolved, label(*(prints or PRINTS)), Evidence(codes=codes))


def test_code_and_print_agree() -> None:
    evaluation = judge(GOOD)
    assert evaluation.verdict is Verdict.PASS
    field = evaluation.fields[3]
    assert field.read == "(01)04012345678901(17)270228(10)L240817B"
    assert field.expected == "(01)04012345678901(17)28/02/27(10)L240817B"
    assert field.box == BOX


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("01040123456789181727022810L240817B", "(01) says '04012345678918', expected '04012345678901'"),
        ("01040123456789011727032810L240817B", "(17) says '270328', printed as bb is '28/02/27'"),
        ("01040123456789011727022810L240817C", "(10) says 'L240817C', printed as lot is 'L240817B'"),
        ("010401234567890117270228", "(10) is not in the code"),
        ("01040123456789011727022810L240817B\x1d21X9", "(21) says 'X9', which the recipe does not name"),
        ("01040123456789011727023110L240817B", "it is no GS1 code"),
        ("hello", "it is no GS1 code"),
    ],
)
def test_code_and_print_disagree(text: str, detail: str) -> None:
    evaluation = judge(text)
    assert evaluation.fields[3].outcome is Outcome.CODE_MISMATCH
    assert evaluation.verdict is Verdict.FAIL
    assert detail in evaluation.defects[0].detail


def test_day_00_is_the_last_of_the_month() -> None:
    assert judge("01040123456789011727020010L240817B").verdict is Verdict.PASS


def test_without_its_separator_a_code_is_no_gs1_code() -> None:
    assert judge(GOOD, gs1=False).fields[3].outcome is Outcome.CODE_MISMATCH


def test_a_print_that_may_be_misread_is_no_proof_against_the_code() -> None:
    evaluation = judge(GOOD, "ALPENGLOW", "LOT L24O817B", "BB 28/02/27")
    assert [field.outcome.value for field in evaluation.fields] == ["MATCH", "CONFUSED", "MATCH", "CONFUSED"]
    assert evaluation.verdict is Verdict.REVIEW


def test_a_print_that_is_not_there_cannot_agree() -> None:
    evaluation = judge(GOOD, "ALPENGLOW", "BB 28/02/27")
    assert evaluation.fields[3].outcome is Outcome.CODE_MISMATCH
    assert "lot was not read" in evaluation.defects[1].detail


def test_missing_and_damaged_codes_are_defects_of_their_own() -> None:
    missing, damaged = judge(None), judge("")
    for evaluation, word in ((missing, "is not in view"), (damaged, "is damaged")):
        assert evaluation.verdict is Verdict.FAIL
        assert evaluation.defects[0].code is DefectCode.CODE_UNREADABLE
        assert word in evaluation.defects[0].detail


def test_an_optional_code_may_be_absent_but_a_damaged_one_is_doubt() -> None:
    recipe = RECIPE + "    optional: true\n"
    assert judge(None, recipe=recipe).verdict is Verdict.PASS
    assert judge("", recipe=recipe).verdict is Verdict.REVIEW  # text may resemble a code


def test_without_an_image_a_code_is_not_judged() -> None:
    evaluation = evaluate(for_part(parse_recipe(RECIPE, "r")), label(*PRINTS))
    assert (evaluation.verdict, evaluation.fields[3].outcome) == (Verdict.REVIEW, Outcome.UNJUDGED)


@pytest.mark.parametrize(
    ("rule", "text", "outcome"),
    [
        ("expect: '4012345678901'", "4012345678901", "MATCH"),
        ("expect: '4012345678901'", "4012345678902", "CODE_MISMATCH"),
        ("any_of: ['1', '2']", "2", "MATCH"),
        ("any_of: ['1', '2']", "3", "CODE_MISMATCH"),
        ("pattern: '{digit:4}'", "1234", "MATCH"),
        ("pattern: '{digit:4}'", "123A", "CODE_MISMATCH"),
        ("regex: 'https://id[.]example/.+'", "https://id.example/01/0401", "MATCH"),
        ("regex: 'https://id[.]example/.+'", "http://id.example/01/0401", "CODE_MISMATCH"),
        ("pattern: '{digit:13}', check_digit: gs1", "4012345678902", "CODE_MISMATCH"),
        ("", "anything", "MATCH"),
    ],
)
def test_codes_that_are_not_gs1(rule: str, text: str, outcome: str) -> None:
    comma = ", " if rule else ""
    recipe = f"recipe: r\nfields:\n  - {{name: x, {rule}{comma}barcode: {{symbology: ean13}}}}\n"
    evaluation = evaluate(
        for_part(parse_recipe(recipe, "r")), [], Evidence(codes=(Code("ean13", text, False, BOX),))
    )
    assert evaluation.fields[0].outcome.value == outcome


@pytest.mark.parametrize("texts", [("0104012345678918", GOOD), (GOOD, "0104012345678918")])
def test_a_further_code_that_says_something_else_is_doubt(texts: tuple[str, str]) -> None:
    codes = tuple(Code("datamatrix", text, True, BOX) for text in texts)
    evaluation = evaluate(for_part(parse_recipe(RECIPE, "r")), label(*PRINTS), Evidence(codes=codes))
    assert evaluation.verdict is Verdict.REVIEW
    assert "another datamatrix code says '0104012345678918'" in evaluation.defects[0].detail
    named = for_part(parse_recipe(RECIPE + "  - {name: other, barcode: {symbology: datamatrix}}\n", "r"))
    assert evaluate(named, label(*PRINTS), Evidence(codes=codes)).verdict is Verdict.PASS


def test_equal_codes_are_one() -> None:
    codes = (Code("datamatrix", GOOD, True, BOX),) * 2
    resolved = for_part(parse_recipe(RECIPE, "r"))
    assert evaluate(resolved, label(*PRINTS), Evidence(codes=codes)).verdict is Verdict.PASS


def test_each_code_serves_one_field() -> None:
    two = (
        RECIPE
        + '  - {name: other, barcode: {symbology: datamatrix, gs1: {"10": "*", "01": "*", "17": "*"}}}\n'
    )
    codes = (Code("datamatrix", GOOD, True, BOX),)
    evaluation = evaluate(for_part(parse_recipe(two, "r")), label(*PRINTS), Evidence(codes=codes))
    assert evaluation.fields[4].outcome is Outcome.CODE_UNREADABLE


def test_an_element_that_stands_there_twice_must_say_one_thing() -> None:
    evaluation = judge("01040123456789011727022810L99\x1d10L240817B")
    assert "(10) stands there twice" in evaluation.defects[0].detail


@pytest.mark.parametrize("lot", ["*", "@bb", "@x"])
def test_a_value_is_never_an_operator(lot: str) -> None:
    source = RECIPE.replace('"10": "@lot"', '"10": "{value}"')
    resolve_it = parse_recipe(source, "r")
    if lot == "*":  # may stand in a lot; then the code must say just that
        codes = (Code("datamatrix", GOOD, True, BOX),)
        evaluation = evaluate(for_part(resolve_it, {"value": lot}), label(*PRINTS), Evidence(codes=codes))
        assert evaluation.fields[3].outcome is Outcome.CODE_MISMATCH
    else:
        with pytest.raises(ExpectedValueInvalid, match="can never say"):
            for_part(resolve_it, {"value": lot})


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("pattern: 'L{digit:3}'", "L 1 2 3"),
        ("pattern: 'L{digit:3}'", "Ｌ123"),
        ("regex: 'L[0-9]{3}'", " L123 "),
        ("date: {format: DD.MM.YY}", "0 1.12.26"),
        ("pattern: '{digit:13}', check_digit: gs1", "4006381\n333931"),
    ],
)
def test_codes_are_compared_as_they_are(rule: str, text: str) -> None:
    recipe = f"recipe: r\nfields:\n  - {{name: x, {rule}, barcode: {{symbology: code128}}}}\n"
    evidence = Evidence(codes=(Code("code128", text, False, BOX),))
    evaluation = evaluate(for_part(parse_recipe(recipe, "r")), [], evidence)
    assert evaluation.fields[0].outcome is Outcome.CODE_MISMATCH


def test_a_print_whose_case_does_not_count_is_compared_so() -> None:
    source = RECIPE.replace('prefix: "LOT", ', 'prefix: "LOT", case: ignore, ')
    assert judge(GOOD, recipe=source).verdict is Verdict.PASS


def test_no_text_and_no_code_is_a_blank() -> None:
    recipe = for_part(parse_recipe("recipe: r\nfields:\n  - {name: x, barcode: {symbology: qr}}\n", "r"))
    evaluation = evaluate(recipe, [], Evidence(codes=()))
    assert (evaluation.verdict, evaluation.defects[0].code) == (Verdict.REVIEW, DefectCode.NOTHING_READ)


def test_a_wrong_code_is_certain_even_where_no_text_is_read() -> None:
    codes = (Code("datamatrix", "0104012345678918", True, BOX),)
    evaluation = evaluate(for_part(parse_recipe(RECIPE, "r")), [], Evidence(codes=codes))
    assert evaluation.verdict is Verdict.FAIL
    assert [defect.code.value for defect in evaluation.defects] == ["NOTHING_READ", "CODE_MISMATCH"]


def test_a_code_must_fit_the_rule_of_the_print_it_repeats() -> None:
    source = RECIPE.replace('"L{digit:6}{letter}"', '"L{digit:6}{letter}", confusable: accept')
    wrong = "01040123456789011727022810L24O817B"
    evaluation = judge(wrong, "ALPENGLOW", "LOT L24O817B", "BB 28/02/27", recipe=source)
    assert evaluation.fields[1].outcome is Outcome.MATCH
    assert evaluation.fields[3].outcome is Outcome.CODE_MISMATCH

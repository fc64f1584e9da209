from __future__ import annotations

import string
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from service.matching.field import FieldResult
from service.matching.outcome import VERDICTS, CharState, DefectCode, Outcome, Verdict
from service.matching.verdict import evaluate
from service.ocr.text import CharScore, TextLine
from service.recipes.confusables import confusables
from service.recipes.recipe import DateRule, Field
from tests.labels import label, line, recipe


def judge(field: Field, *texts: str) -> FieldResult:
    return evaluate(recipe([field]), label(*texts)).fields[0]


@pytest.mark.parametrize(
    ("expect", "read", "outcome"),
    [
        ("KIRKLAND", "KIRKLAND", Outcome.MATCH),
        ("KIRKLAND", "KIRKLANT", Outcome.MISMATCH),
        ("KIRKLAND", "KIRKLAN", Outcome.MISMATCH),
        ("KIRKLAND", "KIRKLANDS", Outcome.MISMATCH),
        ("KIRKLAND", "XKIRKLAND", Outcome.MISMATCH),
        ("KIRKLAND", "KIRKLAND MILK", Outcome.MATCH),
        ("KIRKLAND", "FAT FREE MILK", Outcome.MISSING),
        ("6099", "6609", Outcome.MISMATCH),
        ("1.6", "16", Outcome.MISMATCH),
        ("16", "1.6", Outcome.MISMATCH),
        ("60", "1.60", Outcome.MISMATCH),
        ("1.6", "1.60", Outcome.MISMATCH),
        ("1,6", "1.6", Outcome.MISMATCH),
        ("L0A", "LOA", Outcome.CONFUSED),
        ("QX7", "OX7", Outcome.CONFUSED),
        ("B8", "88", Outcome.CONFUSED),
        ("LOT 12", "LOT 123", Outcome.MISMATCH),
        ("LOT 12", "LOT 12", Outcome.MATCH),
        ("LOT 12", "LOT12", Outcome.MATCH),
        ("LOT 12", "LOT 12A", Outcome.MISMATCH),
        ("12", "LOT:12", Outcome.MATCH),
        ("18", "19:18", Outcome.MISMATCH),
        ("X-3011", "YM-X-3011", Outcome.MISMATCH),
        ("8709 2221 6898", "870922216898", Outcome.MATCH),
        ("870922216898", "8709 2221 6898", Outcome.MATCH),
        ("10203", "1203", Outcome.MISMATCH),
        ("m²", "m2", Outcome.MISMATCH),
        ("m2", "m²", Outcome.MISMATCH),
        ("净含量：220ml", "净含量:220ml", Outcome.MATCH),
        ("ＡＢＣ", "ABC", Outcome.MATCH),
        ("护发", "护发素", Outcome.MISMATCH),
        ("(01)04012345678901", "(01)04012345678901", Outcome.MATCH),
    ],
)
def test_fixed_text(expect: str, read: str, outcome: Outcome) -> None:
    assert judge(Field("x", expect=expect), read).outcome is outcome


@pytest.mark.parametrize(
    ("pattern", "read", "outcome"),
    [
        ("L{digit:6}{letter}", "L240817B", Outcome.MATCH),
        ("L{digit:6}{letter}", "L24O817B", Outcome.CONFUSED),
        ("L{digit:6}{letter}", "L24X817B", Outcome.MISMATCH),
        ("L{digit:6}{letter}", "L2408173", Outcome.MISMATCH),
        ("L{digit:6}{letter}", "L24081B", Outcome.MISMATCH),
        ("L{digit:6}{letter}", "L2408177B", Outcome.MISMATCH),
        ("L{digit:6}{letter}", "KEEP REFRIGERATED", Outcome.MISSING),
        ("{digit:4}", "LOT 1234 X", Outcome.MATCH),
    ],
)
def test_patterns(pattern: str, read: str, outcome: Outcome) -> None:
    assert judge(Field("x", pattern=pattern), read).outcome is outcome


@pytest.mark.parametrize(
    ("format_", "read", "outcome"),
    [
        ("DD/MM/YY", "03/04/23", Outcome.MATCH),
        ("DD/MM/YY", "30/02/26", Outcome.INVALID),
        ("DD/MM/YY", "29/02/24", Outcome.MATCH),
        ("DD/MM/YY", "29/02/26", Outcome.INVALID),
        ("DD/MM/YY", "03/13/23", Outcome.INVALID),
        ("DD/MM/YY", "00/01/26", Outcome.INVALID),
        ("DD.MM.YYYY", "30.02.2026", Outcome.INVALID),
        ("DD.MM.YYYY", "28.02.0000", Outcome.INVALID),
        ("DD MMM YYYY", "11 APR 2021", Outcome.MATCH),
        ("DD MMM YYYY", "11APR2021", Outcome.MATCH),
        ("DD MMM YYYY", "11 ABC 2021", Outcome.MISMATCH),
        ("DD MMM YYYY", "31 APR 2021", Outcome.INVALID),
        ("MM/YY", "12/26", Outcome.MATCH),
        ("MM/YY", "13/26", Outcome.INVALID),
        ("MM/YY", "03/12/26", Outcome.MISMATCH),
        ("YYDDD", "24366", Outcome.MATCH),
        ("YYDDD", "26366", Outcome.INVALID),
        ("YYDDD", "26000", Outcome.INVALID),
        ("YYYY.MM.DD", "2021.02.01/10:08", Outcome.MISMATCH),
        ("DD/MM/YY", "O3/04/23", Outcome.CONFUSED),
    ],
)
def test_dates(format_: str, read: str, outcome: Outcome) -> None:
    assert judge(Field("x", date=DateRule(format_)), read).outcome is outcome


@pytest.mark.parametrize(
    ("regex", "read", "outcome"),
    [
        ("SN[0-9]+", "SN1234", Outcome.MATCH),
        ("SN[0-9]+", "sn1234", Outcome.MISSING),
        ("SN[0-9]{2}", "SN1234", Outcome.MISSING),
        ("[A-Z]{2}|[0-9]{3}", "123", Outcome.MATCH),
    ],
)
def test_regular_expressions(regex: str, read: str, outcome: Outcome) -> None:
    assert judge(Field("x", regex=regex), read).outcome is outcome


@pytest.mark.parametrize(
    ("field", "read", "outcome"),
    [
        (Field("x", prefix="BEST BEFORE", date=DateRule("DD/MM/YY")), "BEST BEFORE 03/04/23", Outcome.MATCH),
        (Field("x", prefix="BEST BEFORE", date=DateRule("DD/MM/YY")), "BESTBEFORE03/04/23", Outcome.MATCH),
        (
            Field("x", prefix="BEST BEFORE", date=DateRule("DD/MM/YY")),
            "BEST BEFORE 30/02/23",
            Outcome.INVALID,
        ),
        (
            Field("x", prefix="BEST BEFORE", date=DateRule("DD/MM/YY")),
            "BEST BEF0RE 03/04/23",
            Outcome.CONFUSED,
        ),
        (Field("x", prefix="LOT", regex="[0-9]+"), "LOT 77", Outcome.MATCH),
        (Field("x", prefix="LOT.", regex="7+"), "LOTX77", Outcome.MISSING),
        (Field("x", prefix="A+B", regex="7|8"), "A+B8", Outcome.MATCH),
        (Field("x", expect="Milk", case="ignore"), "MILK", Outcome.MATCH),
        (Field("x", expect="Milk"), "MILK", Outcome.MISMATCH),
        (Field("x", pattern="{upper:2}", case="ignore"), "ab", Outcome.MATCH),
        (Field("x", regex="ab+", case="ignore"), "ABBB", Outcome.MATCH),
        (Field("x", date=DateRule("DD MMM YY"), case="ignore"), "01 apr 26", Outcome.MATCH),
        (Field("x", expect="A B", whitespace="exact"), "A B", Outcome.MATCH),
        (Field("x", expect="A B", whitespace="exact"), "AB", Outcome.MISMATCH),
        (Field("x", expect="A B", whitespace="collapse"), "A   B", Outcome.MATCH),
        (Field("x", expect="A B", whitespace="exact"), "A   B", Outcome.MISMATCH),
    ],
)
def test_normalisation_is_what_the_field_states(field: Field, read: str, outcome: Outcome) -> None:
    assert judge(field, read).outcome is outcome


def test_a_score_that_is_no_number_is_never_enough() -> None:
    evaluation = evaluate(recipe([Field("x", expect="AB")]), [line("AB", score=float("nan"))])
    assert evaluation.fields[0].outcome is Outcome.LOW_CONFIDENCE


def test_low_confidence_is_review() -> None:
    lines = [line("LOT 12", scores={4: 0.5})]
    evaluation = evaluate(recipe([Field("x", expect="LOT 12", min_confidence=0.6)]), lines)
    assert evaluation.verdict is Verdict.REVIEW
    assert evaluation.defects[0].code is DefectCode.LOW_CONFIDENCE
    assert "'1' is uncertain (0.50)" in evaluation.defects[0].detail
    assert [char.state for char in evaluation.fields[0].chars].count(CharState.BAD) == 1


def test_forms_that_count_as_the_same_share_their_probability() -> None:
    chars = (CharScore("净", 0.99), CharScore("：", 0.5, ((":", 0.48),)), CharScore("2", 0.99))
    lines = [TextLine("净：2", 0.8, line("净：2").box, chars)]
    field = evaluate(recipe([Field("x", expect="净:2")]), lines).fields[0]
    assert field.outcome is Outcome.MATCH
    assert field.chars[1].score == pytest.approx(0.98)


def test_a_close_second_of_the_recogniser_is_doubt() -> None:
    chars = (CharScore("L", 0.99), CharScore("5", 0.6, (("6", 0.35),)), CharScore("7", 0.99))
    lines = [TextLine("L57", 0.8, line("L57").box, chars)]
    field = evaluate(recipe([Field("x", expect="L67")]), lines).fields[0]
    assert field.outcome is Outcome.CONFUSED
    assert field.chars[1].state is CharState.CONFUSED_MISMATCH


def test_a_look_alike_is_confused_whatever_its_score() -> None:
    lines = [line("L0T", score=1.0)]
    assert evaluate(recipe([Field("x", expect="LOT")]), lines).verdict is Verdict.REVIEW


def test_character_states() -> None:
    result = judge(Field("x", expect="L240817B"), "L24O817C")
    assert [(char.expected, char.read, char.state.value) for char in result.chars] == [
        ("L", "L", "good"),
        ("2", "2", "good"),
        ("4", "4", "good"),
        ("0", "O", "confused"),
        ("8", "8", "good"),
        ("1", "1", "good"),
        ("7", "7", "good"),
        ("B", "C", "mismatch"),
    ]
    extra = judge(Field("x", expect="L240817B"), "L240817B9")
    assert (extra.chars[-1].expected, extra.chars[-1].read, extra.chars[-1].state) == (
        "",
        "9",
        CharState.EXTRA,
    )
    missing = judge(Field("x", expect="L240817B"), "L24081B")
    assert [char.state for char in missing.chars].count(CharState.MISSING) == 1


def test_the_reason_names_each_difference_once() -> None:
    evaluation = evaluate(recipe([Field("x", expect="2026.04.13")]), label("2O26.05"))
    assert evaluation.defects[0].detail == (
        "expected '2026.04.13', read '2O26.05'; character 2: '0' read as 'O', which looks alike; "
        "character 7: '4' read as '5'; characters 8 to 10: '.13' missing"
    )


def test_optional() -> None:
    field = Field("organic", expect="ORGANIC", optional=True)
    brand = Field("brand", expect="MILK")
    absent = evaluate(recipe([brand, field]), label("MILK"))
    assert (absent.verdict, absent.fields[1].outcome, absent.defects) == (Verdict.PASS, Outcome.ABSENT, ())
    present = evaluate(recipe([brand, field]), label("MILK", "ORGANIC"))
    assert present.fields[1].outcome is Outcome.MATCH
    wrong = evaluate(recipe([brand, field]), label("MILK", "ORGANlC"))
    assert wrong.verdict is Verdict.REVIEW
    assert evaluate(recipe([brand, field]), label("MILK", "ORGAMIC")).verdict is Verdict.FAIL
    unrelated = evaluate(recipe([brand, field]), label("MILK", "KEEP COOL"))
    assert unrelated.fields[1].outcome is Outcome.ABSENT
    loose = evaluate(recipe([brand, field]), label("MILK", "ORGAZZT"))
    assert (loose.fields[1].outcome, loose.verdict) == (Outcome.CONFUSED, Verdict.REVIEW)


def test_nothing_but_unrelated_text_is_no_evidence() -> None:
    only_optional = recipe([Field("x", expect="ORGANIC", optional=True)])
    assert evaluate(only_optional, label("KEEP REFRIGERATED")).verdict is Verdict.REVIEW


@pytest.mark.parametrize(("on_blank", "verdict"), [("review", Verdict.REVIEW), ("fail", Verdict.FAIL)])
def test_nothing_read_never_passes(on_blank: str, verdict: Verdict) -> None:
    for field in (Field("x", expect="A"), Field("x", expect="A", optional=True)):
        evaluation = evaluate(recipe([field], on_blank=on_blank), [])
        assert evaluation.verdict is verdict
        assert [defect.code for defect in evaluation.defects] == [DefectCode.NOTHING_READ]


def test_the_worst_outcome_decides() -> None:
    fields = [Field("a", expect="AAAA"), Field("b", expect="L0"), Field("c", expect="CCCC")]
    assert evaluate(recipe(fields), label("AAAA", "LO", "CCCC")).verdict is Verdict.REVIEW
    assert evaluate(recipe(fields), label("AAAA", "LO", "CCCX")).verdict is Verdict.FAIL


def test_every_outcome_has_its_verdict_and_its_defect() -> None:
    assert set(VERDICTS) == set(Outcome)
    for outcome, verdict in VERDICTS.items():
        assert (verdict is Verdict.PASS) is (outcome.value not in DefectCode.__members__)


LETTERS = "ACEFHKLMNPRTWXY3479"


@given(st.text(LETTERS, min_size=4, max_size=12), st.data())
def test_a_changed_character_never_passes(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.sampled_from(string.ascii_letters + string.digits + "./- "))
    assume(other != text[at])
    changed = text[:at] + other + text[at + 1 :]
    evaluation = evaluate(recipe([Field("x", expect=text)]), label(changed))
    assert evaluation.verdict is not Verdict.PASS


@given(st.text(LETTERS, min_size=4, max_size=12), st.integers(0, 11))
def test_a_missing_or_doubled_character_never_passes(text: str, at: int) -> None:
    at %= len(text)
    fields = recipe([Field("x", expect=text)])
    assert evaluate(fields, label(text[:at] + text[at + 1 :])).verdict is not Verdict.PASS
    assert evaluate(fields, label(text[:at] + text[at] + text[at:])).verdict is not Verdict.PASS


@given(st.permutations(["KIRKLAND", "LOT L240817B", "BEST BEFORE 03/04/23", "KEEP COOL", "1 l"]))
def test_the_verdict_does_not_depend_on_line_order(texts: list[str]) -> None:
    fields = [
        Field("brand", expect="KIRKLAND"),
        Field("lot", pattern="L{digit:6}{letter}"),
        Field("d", date=DateRule("DD/MM/YY")),
    ]
    straight = label("KIRKLAND", "LOT L240817B", "BEST BEFORE 03/04/23", "KEEP COOL", "1 l")
    shuffled = sorted(straight, key=lambda one: texts.index(one.text))
    assert evaluate(recipe(fields), shuffled) == evaluate(recipe(fields), straight)


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=6), st.text(min_size=1, max_size=12))
def test_any_text_gets_a_verdict(texts: list[str], expect: str) -> None:
    assume(expect.strip())
    evaluation = evaluate(recipe([Field("x", expect=expect)]), label(*texts))
    assert len(evaluation.fields) == 1


PRINTS = st.lists(st.text(LETTERS, min_size=4, max_size=10), min_size=2, max_size=5, unique=True)


@given(PRINTS, st.data())
def test_of_several_prints_one_changed_character_never_passes(texts: list[str], data: st.DataObject) -> None:
    which = data.draw(st.integers(0, len(texts) - 1))
    at = data.draw(st.integers(0, len(texts[which]) - 1))
    other = data.draw(st.sampled_from(string.ascii_letters + string.digits + "./-"))
    assume(other != texts[which][at])
    changed = texts[which][:at] + other + texts[which][at + 1 :]
    assume(changed not in texts)
    fields = recipe([Field(f"f{number}", expect=text) for number, text in enumerate(texts)])
    assert evaluate(fields, label(*texts)).verdict is Verdict.PASS
    read = [*texts[:which], changed, *texts[which + 1 :]]
    assert evaluate(fields, label(*read)).verdict is not Verdict.PASS
    assert evaluate(fields, label(*read, "KEEP COOL")).verdict is not Verdict.PASS


@given(PRINTS, st.randoms(use_true_random=False))
def test_the_verdict_does_not_depend_on_the_order_of_what_is_read(texts: list[str], random: Random) -> None:
    fields = recipe([Field(f"f{number}", expect=text) for number, text in enumerate(texts)])
    lines = label(*texts[1:], "KEEP COOL", texts[0][:-1])
    straight = evaluate(fields, lines)
    random.shuffle(lines)
    assert evaluate(fields, lines) == straight


@given(
    st.lists(st.sampled_from(["expect", "pattern", "regex", "any_of", "optional"]), min_size=1, max_size=4)
)
def test_a_blank_is_never_a_pass(rules: list[str]) -> None:
    values: dict[str, dict[str, Any]] = {
        "expect": {"expect": "A"},
        "pattern": {"pattern": "{digit:2}"},
        "regex": {"regex": "[0-9]+"},
        "any_of": {"any_of": ("A", "B")},
        "optional": {"expect": "A", "optional": True},
    }
    fields = recipe([Field(f"f{number}", **values[rule]) for number, rule in enumerate(rules)])
    for lines in ([], label(" "), label("...")):
        assert evaluate(fields, lines).verdict is not Verdict.PASS


def test_look_alikes_are_mutual() -> None:
    for char in string.printable:
        for other in confusables().alike(char):
            assert char != other
            assert char in confusables().alike(other)
    assert frozenset("OoQD") <= confusables().alike("0")

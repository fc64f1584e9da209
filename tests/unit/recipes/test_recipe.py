from __future__ import annotations

import pytest

from service.errors import ExpectedValueInvalid, ExpectedValueMissing, ExpectedValueUnknown
from service.recipes.dates import date_template
from service.recipes.recipe import Field
from tests.labels import for_part, recipe

LOT = recipe([Field("lot", expect="L{lot}", pattern="L{digit:3}"), Field("brand", expect="a{{b}}")])


def test_placeholders_are_filled() -> None:
    resolved = for_part(LOT, {"lot": "123"})
    assert [field.expect for field in resolved.fields] == ["L123", "a{b}"]


def test_a_value_is_missing() -> None:
    with pytest.raises(ExpectedValueMissing, match="lot"):
        for_part(LOT, {})


def test_a_value_is_of_no_use() -> None:
    with pytest.raises(ExpectedValueUnknown, match=r"lott; it takes: lot"):
        for_part(LOT, {"lot": "123", "lott": "1"})


@pytest.mark.parametrize("value", ["", "  ", "12", "1234", "12a", "9" * 300])
def test_a_value_does_not_fit(value: str) -> None:
    with pytest.raises(ExpectedValueInvalid):
        for_part(LOT, {"lot": value})


def test_braces_in_a_value_are_no_placeholder() -> None:
    assert for_part(recipe([Field("x", expect="{a}")]), {"a": "{b}"}).fields[0].expect == "{b}"


@pytest.mark.parametrize(
    ("text", "accepted", "refused"),
    [
        ("L{digit:2}", "L01", "L0A"),
        ("{upper}{lower}", "Ab", "ab"),
        ("{alnum:2}-{hex}", "a9-F", "a9-G"),
        ("{{{letter}}}", "{x}", "x"),
    ],
)
def test_patterns(text: str, accepted: str, refused: str) -> None:
    field = Field("x", pattern=text)
    assert field.rule_fault(accepted) is None
    assert field.rule_fault(refused)


@pytest.mark.parametrize(
    ("format_", "length"),
    [("DD/MM/YY", 8), ("YYYY.MM.DD", 10), ("DD MMM YYYY", 11), ("MM/YY", 5), ("YYDDD", 5), ("YYYYMMDD", 8)],
)
def test_date_formats(format_: str, length: int) -> None:
    assert len(date_template(format_)) == length

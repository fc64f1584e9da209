from __future__ import annotations

from dataclasses import replace

import pytest

from service.ocr.lines import in_reading_order, turned_upright
from service.ocr.text import TextLine
from tests.labels import askew, line, turned


def texts(*lines: TextLine) -> list[str]:
    return [one.text for one in in_reading_order(lines)]


@pytest.mark.parametrize("quarters", range(4))
def test_rows_from_top_to_bottom_each_from_left_to_right(quarters: int) -> None:
    lines = [line("c", row=1), line("b", x=200), line("a"), line("d", row=1, x=90)]
    assert texts(*(turned(one, quarters) for one in lines)) == ["a", "b", "c", "d"]


def test_most_characters_decide_which_way_is_up() -> None:
    sideways = [turned(line("LOT 12", row=row), 1) for row in range(2)]
    boxes = turned_upright([*sideways, line("A")])
    for (x0, y0), (x1, y1), _, _ in boxes[:2]:
        assert x1 > x0
        assert y1 == y0


def test_one_slanted_print_does_not_tilt_the_label() -> None:
    watermark = askew(line("SAMPLE " * 3, row=5), 40)
    level = [line("KEEP REFRIGERATED", row=row) for row in range(2)]
    for (_, y0), (_, y1), _, _ in turned_upright([*level, watermark])[:2]:
        assert y0 == pytest.approx(y1)


def test_nothing_read_has_no_order() -> None:
    assert texts() == []
    assert turned_upright([]) == []


@pytest.mark.parametrize("quarters", range(4))
def test_a_name_and_its_value_are_one_line(quarters: int) -> None:
    name, value = line("SERIAL #:"), line("CNK8181G2C", x=160)
    (joined,) = in_reading_order([turned(value, quarters), turned(name, quarters)])
    assert joined.text == "SERIAL #: CNK8181G2C"
    assert len(joined.chars) == len(joined.text)
    assert joined.box[0] == turned(name, quarters).box[0]
    assert joined.box[2] == turned(value, quarters).box[2]


def test_characters_of_a_name_and_its_value_keep_their_places() -> None:
    name, value = (
        replace(one, chars=tuple(replace(char, place=0.5) for char in one.chars))
        for one in (line("N:"), line("12", x=72))
    )
    (joined,) = in_reading_order([name, value])
    # From 0 to 96: the middle of the name at 12, of the gap at 48, of the value at 84.
    assert [char.place for char in joined.chars] == pytest.approx([0.125, 0.125, 0.5, 0.875, 0.875])


def test_a_box_without_extent_is_no_value() -> None:
    flat = TextLine("12", 0.9, ((60, 10), (84, 10), (84, 10), (60, 10)), line("12").chars)
    assert texts(line("LOT:"), flat) == ["LOT:", "12"]
    assert texts(replace(flat, text="LOT:"), line("12", x=90)) == ["LOT:", "12"]


def test_a_full_width_colon_brings_its_own_gap() -> None:
    assert texts(line("净含量："), line("220ml", x=60)) == ["净含量：220ml"]
    assert texts(line("净含量:"), line("220ml", x=60)) == ["净含量:220ml"]
    assert texts(line("批次2："), line("2408", x=60)) == ["批次2： 2408"]


def test_names_and_values_in_columns_are_joined_pair_by_pair() -> None:
    row = [line("LOT:"), line("L12", x=60), line("EXP:", x=200), line("12/26", x=260)]
    assert texts(*row) == ["LOT: L12", "EXP: 12/26"]


def test_what_runs_another_way_is_no_value() -> None:
    """The value stamped upside down, or sideways, beside its name."""
    for quarters in (1, 2, 3):
        value = turned(line("L12"), quarters)
        (left, top) = min(x for x, _ in value.box), min(y for _, y in value.box)
        box = tuple((x - left + 60, y - top) for x, y in value.box)
        assert sorted(texts(line("LOT:"), replace(value, box=box))) == ["L12", "LOT:"]  # type: ignore[arg-type]  # 4 x 2


@pytest.mark.parametrize("degrees", [-12, -8, 8, 12])
def test_on_a_label_that_lies_askew_names_find_their_own_values(degrees: float) -> None:
    """Rows of 24 pixels: eight degrees lower the values, 140 pixels to the right, by 20."""
    label = [line("MFG:"), line("01/26", x=100), line("EXP:", row=0.6), line("12/27", x=100, row=0.6)]
    assert texts(*(askew(one, degrees) for one in label)) == ["MFG: 01/26", "EXP: 12/27"]


@pytest.mark.parametrize(
    "value",
    [
        line("12", x=48 + 3.1 * 20),  # too far away
        line("12", row=1),  # below
        TextLine("12", 0.9, ((60, -20), (84, -20), (84, 20), (60, 20)), line("12").chars),  # twice as high
    ],
)
def test_what_stands_elsewhere_is_no_value(value: TextLine) -> None:
    assert sorted(texts(line("LOT:"), value)) == ["12", "LOT:"]


def test_lines_without_a_colon_stay_apart() -> None:
    assert texts(line("LOT"), line("12", x=40)) == ["LOT", "12"]

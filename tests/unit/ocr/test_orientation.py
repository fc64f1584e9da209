from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from service.ocr.orientation import running_down, to_reread, undecidable, unsure, upside_down
from service.ocr.text import CharScore

LEVEL = np.array([[0, 0], [100, 0], [100, 20], [0, 20]], np.float32)
UPWARDS = np.array([[0, 100], [0, 0], [20, 0], [20, 100]], np.float32)
BLANK: tuple[CharScore, ...] = ()


def text(score: float, length: int = 6, char: str = "E") -> tuple[CharScore, ...]:
    return (CharScore(char, score),) * length


def turned(
    boxes: list[NDArray[np.float32]],
    texts: list[tuple[CharScore, ...]],
    other: list[tuple[CharScore, ...]],
) -> set[int]:
    return upside_down(boxes, texts, {index: other[index] for index in to_reread(boxes, texts)})


def test_legible_text_is_read_once() -> None:
    assert to_reread([LEVEL] * 3, [text(0.99), text(0.86), BLANK]) == []


def test_text_along_one_axis_is_doubted_together_and_alone() -> None:
    boxes, texts = [LEVEL, UPWARDS, LEVEL, UPWARDS], [text(0.99), text(0.6), text(0.99), text(0.97)]
    assert to_reread(boxes, texts) == [1, 3]


def test_a_label_upside_down_is_turned_whole_even_a_line_that_reads_both_ways() -> None:
    boxes, texts = [LEVEL] * 3, [text(0.6, 12), text(0.95, char="6"), BLANK]
    assert turned(boxes, texts, [text(0.99, 12), text(0.93, char="9"), text(0.9)]) == {0, 1, 2}


def test_a_long_text_upside_down_does_not_turn_a_legible_one() -> None:
    """A lot code on a carton whose other panel stands on its head."""
    boxes, texts = [LEVEL] * 3, [text(0.65, 200), text(0.99, 30), text(0.99, 4, char="8")]
    assert turned(boxes, texts, [text(0.98, 200), text(0.6, 30), text(0.5, 4, char="8")]) == {0}


@pytest.mark.parametrize("others", [0, 1])
def test_a_long_blurred_text_does_not_lose_to_a_short_sharp_one(others: int) -> None:
    boxes = [LEVEL] * (1 + others)
    texts = [text(0.78, 20), text(0.99, 60)][: 1 + others]
    assert turned(boxes, texts, [text(0.97, 1, char="L"), BLANK][: 1 + others]) == set()


def test_texture_beside_text_is_read_once() -> None:
    assert to_reread([LEVEL, UPWARDS, UPWARDS], [text(0.99), BLANK, BLANK]) == []


def test_where_nothing_is_legible_everything_is_read_the_other_way() -> None:
    assert turned([LEVEL, UPWARDS], [BLANK, BLANK], [text(0.9, 3), BLANK]) == {0}


def box(width: float, height: float) -> NDArray[np.float32]:
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)


def test_tall_boxes_run_down_and_short_prints_as_most_text_does() -> None:
    assert running_down(np.stack([box(20, 100), box(100, 20), box(20, 20)])).tolist() == [True, False, False]
    assert running_down(np.stack([box(20, 100), box(20, 22), box(22, 20)])).tolist() == [True, True, True]
    assert running_down(np.stack([box(20, 22)])).tolist() == [False]
    assert running_down(np.empty((0, 4, 2), np.float32)).tolist() == []


def test_short_prints_run_as_a_recipe_states() -> None:
    boxes = np.stack([box(20, 100), box(20, 22), box(100, 20)])
    assert running_down(boxes, 90).tolist() == [True, True, False]
    assert running_down(boxes, 180).tolist() == [True, False, False]
    lone = np.stack([box(21, 36)])  # a 1
    assert running_down(lone, 0).tolist() == [False]
    assert running_down(lone).tolist() == [True]


def test_a_doubtful_label_that_reads_no_better_the_other_way_stays() -> None:
    assert turned([LEVEL] * 2, [text(0.7), text(0.8)], [text(0.5), text(0.6)]) == set()


def test_one_line_upside_down_between_others() -> None:
    texts = [text(0.99, 60), text(0.5), text(0.65)]
    assert to_reread([LEVEL] * 3, texts) == [1, 2]
    assert turned([LEVEL] * 3, texts, [BLANK, text(0.98), text(0.7)]) == {1}


def test_a_line_that_reads_both_ways_stands_as_its_neighbours_do() -> None:
    texts = [text(0.99, 60), text(0.5, char="6")]
    assert turned([LEVEL] * 2, texts, [BLANK, text(0.98, char="9")]) == set()


def test_two_way_text_follows_the_one_clear_text_beside_it() -> None:
    """Upside down: the lot is read with certainty, and wrongly; only the brand tells."""
    texts = [text(0.6, 3), text(0.99, 6, char="6")]
    assert to_reread([LEVEL] * 2, texts) == [0, 1]
    assert turned([LEVEL] * 2, texts, [text(0.99, 3), text(0.98, 6, char="9")]) == {0, 1}


def test_two_way_text_stays_with_legible_text_beside_a_turned_line() -> None:
    texts = [text(0.6, 3), text(0.99, 6, char="6"), text(0.99, 40)]
    assert turned([LEVEL] * 3, texts, [text(0.99, 3), text(0.99, 6, char="9"), BLANK]) == {0}


def test_a_faint_text_is_not_given_up_for_nothing() -> None:
    assert turned([LEVEL], [text(0.38, 12)], [BLANK]) == set()
    assert turned([LEVEL], [text(0.38, 20)], [text(0.97, 1, char="L")]) == set()


@pytest.mark.parametrize(
    ("sideways", "unknown"),
    [("9968", [1]), ("8118", []), ("LOT 9968", []), ("H", [])],
)
def test_sideways_text_that_reads_both_ways_is_never_certain(sideways: str, unknown: list[int]) -> None:
    texts = [text(0.99), tuple(CharScore(char, 0.99) for char in sideways)]
    assert undecidable([LEVEL, UPWARDS], texts) == unknown
    assert undecidable([LEVEL, UPWARDS, UPWARDS], [*texts, text(0.9)]) == []
    assert {char.score for char in unsure(texts[1])} == {0.5}


def test_nothing_found() -> None:
    assert to_reread([], []) == []
    assert upside_down([], [], {}) == set()

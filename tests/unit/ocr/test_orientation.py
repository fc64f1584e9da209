from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.ocr.orientation import to_reread, upside_down
from service.ocr.text import CharScore

LEVEL = np.array([[0, 0], [100, 0], [100, 20], [0, 20]], np.float32)
UPWARDS = np.array([[0, 100], [0, 0], [20, 0], [20, 100]], np.float32)
BLANK: tuple[CharScore, ...] = ()


def text(score: float, length: int = 6) -> tuple[CharScore, ...]:
    return (CharScore("8", score),) * length


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
    boxes, texts = [LEVEL] * 3, [text(0.6, 12), text(0.95), BLANK]
    assert turned(boxes, texts, [text(0.99, 12), text(0.93), text(0.9)]) == {0, 1, 2}


def test_a_doubtful_label_that_reads_no_better_the_other_way_stays() -> None:
    assert turned([LEVEL] * 2, [text(0.7), text(0.8)], [text(0.5), text(0.6)]) == set()


def test_one_line_upside_down_between_others() -> None:
    texts = [text(0.99, 60), text(0.5), text(0.65)]
    assert to_reread([LEVEL] * 3, texts) == [1, 2]
    assert turned([LEVEL] * 3, texts, [BLANK, text(0.98), text(0.7)]) == {1}


def test_nothing_found() -> None:
    assert to_reread([], []) == []
    assert upside_down([], [], {}) == set()

from __future__ import annotations

import numpy as np
import pytest

from service.imaging.frame import Frame
from service.imaging.regions import Region, View
from service.ocr.text import CharScore
from service.ocr.view import inside_roi, stated_boxes, trimmed

PIXELS = np.zeros((200, 400, 3), np.uint8)


def frame(view: View) -> Frame:
    return Frame(PIXELS, "image/png", view)


@pytest.mark.parametrize(
    ("left", "top", "kept"),
    [(20, 20, True), (-5, 20, False), (120, 20, False), (20, -5, False), (20, 75, False)],
)
def test_a_box_over_an_edge_of_the_region_is_cut(left: float, top: float, kept: bool) -> None:
    boxes = np.array([[[left, top], [left + 90, top], [left + 90, top + 30], [left, top + 30]]], np.float32)
    found = inside_roi(boxes, frame(View(roi=Region(0.25, 0.25, 0.5, 0.5))))
    assert len(found) == kept
    if kept:
        assert found[0][0].tolist() == [120, 70]


def test_an_edge_of_the_image_cuts_nothing_that_was_not_cut() -> None:
    boxes = np.array([[[-5, -5], [500, -5], [500, 60], [-5, 60]]], np.float32)
    assert len(inside_roi(boxes, frame(View()))) == 1
    assert len(inside_roi(boxes, frame(View(roi=Region(0, 0, 1, 0.5))))) == 1
    assert len(inside_roi(boxes, frame(View(roi=Region(0, 0, 1, 0.25))))) == 0


def chars(*places: float) -> tuple[CharScore, ...]:
    return tuple(CharScore("1", 0.99, (), place) for place in places)


def test_a_stated_line_is_looked_at_beyond_both_ends() -> None:
    boxes, down = stated_boxes(frame(View(lines=(Region(0.25, 0.5, 0.5, 0.1), Region(0.1, 0.1, 0.05, 0.5)))))
    assert down.tolist() == [False, True]
    assert boxes[0].tolist() == [[90, 100], [310, 100], [310, 120], [90, 120]]
    assert boxes[1].tolist() == [[40, 10], [60, 10], [60, 130], [40, 130]]


@pytest.mark.parametrize(("rotate", "down"), [(None, False), (0, False), (90, True), (270, True)])
def test_a_stated_line_of_one_letter_runs_as_the_label_does(rotate: int | None, down: bool) -> None:
    """30 x 40 pixels: taller than wide, and no text that runs down."""
    _, runs = stated_boxes(frame(View(lines=(Region(0.25, 0.5, 30 / 400, 40 / 200),), rotate=rotate)))
    assert runs.tolist() == [down]


def test_text_that_goes_on_beyond_its_rectangle_is_not_read() -> None:
    (box,), _ = stated_boxes(frame(View(lines=(Region(0.25, 0.5, 0.5, 0.1),))))
    # Of 220 pixels ten were added at each end.
    kept, rectangle = trimmed(chars(20 / 220, 110 / 220, 200 / 220), box)
    assert [char.place for char in kept] == pytest.approx([0.05, 0.5, 0.95])
    assert rectangle.tolist() == [[100, 100], [300, 100], [300, 120], [100, 120]]
    for beyond in (chars(8 / 220, 0.5), chars(0.5, 212 / 220)):
        assert trimmed(beyond, box)[0] == ()
    assert trimmed((), box)[0] == ()

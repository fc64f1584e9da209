from __future__ import annotations

import numpy as np
import pytest

from service.imaging.frame import Frame
from service.imaging.regions import Region, View
from service.ocr.text import CharScore
from service.ocr.view import inside_roi, reaches_out, stated_boxes

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


def chars(*places: float) -> list[CharScore]:
    return [CharScore("1", 0.99, (), place) for place in places]


def test_text_beyond_the_ends_of_its_rectangle_reaches_out() -> None:
    level, upright = stated_boxes(
        frame(View(lines=(Region(0.25, 0.5, 0.5, 0.1), Region(0.1, 0.1, 0.05, 0.5))))
    )
    assert level.tolist() == [[90, 100], [310, 100], [310, 120], [90, 120]]
    assert upright[0].tolist() == [40, 10]
    assert upright[2].tolist() == [60, 130]
    # A tenth of 220 pixels are 22, and 10 were added at each end.
    assert not reaches_out(chars(0.1, 0.5, 0.9), level)
    assert reaches_out(chars(0.03, 0.5), level)
    assert reaches_out(chars(0.5, 0.97), level)
    assert not reaches_out([], level)

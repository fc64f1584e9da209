"""Boxes where the recipe says what is to be looked at. What reaches over the edge of that is not read.

A print that is cut off reads like a shorter one: `LOT 1234` through a window that ends after the 2 would pass for `LOT 12`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from service.imaging.frame import Frame
    from service.ocr.text import CharScore


def inside_roi(boxes: NDArray[np.float32], frame: Frame) -> NDArray[np.float32]:
    """Boxes found in the region of interest (N x 4 x 2, in its pixels), in pixels of the frame.

    Without those that reach over an edge of the region which is not an edge of the image: detectors draw a box wider than
    its print by about half of its height, so these prints are cut, or may be.
    """
    left, top, right, bottom = frame.view.area(frame.width, frame.height)
    moved = boxes + np.array([left, top], np.float32)
    lowest, highest = moved.min(axis=1), moved.max(axis=1)
    cut = (lowest < [left, top]) & (np.array([left, top]) > 0)
    cut |= (highest > [right, bottom]) & (np.array([right, bottom]) < [frame.width, frame.height])
    return np.asarray(moved[~cut.any(axis=1)], np.float32)


def stated_boxes(frame: Frame) -> NDArray[np.float32]:
    """The rectangles of the view's lines, N x 4 x 2 in pixels, each half as wide again as it is high at both ends."""
    boxes = []
    for region in frame.view.lines:
        left, top, right, bottom = region.pixels(frame.width, frame.height)
        width, height = right - left, bottom - top
        across, down = (height / 2, 0.0) if width >= height else (0.0, width / 2)
        xs, ys = (left - across, right + across), (top - down, bottom + down)
        boxes.append([(xs[0], ys[0]), (xs[1], ys[0]), (xs[1], ys[1]), (xs[0], ys[1])])
    return np.array(boxes, np.float32).reshape(-1, 4, 2)


def reaches_out(chars: Sequence[CharScore], box: NDArray[Any]) -> bool:
    """Whether text in one of `stated_boxes` begins or ends in what was added to the rectangle."""
    length, height = (float(np.linalg.norm(box[0] - box[corner])) for corner in (1, 3))
    added = height / 2 / length
    places = [char.place for char in chars if char.place is not None]
    return bool(places) and (min(places) < added or max(places) > 1 - added)

"""Boxes where the recipe says what is to be looked at. What goes on beyond the end of a line's place is not read.

A print that is cut off reads like a shorter one: `LOT 1234` through a window that ends after the 2 would pass for `LOT 12`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from service.ocr.orientation import running_down

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


def stated_boxes(frame: Frame) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The rectangles of the view's lines, N x 4 x 2 in pixels, and which of them hold text that runs down.

    Each is half as much longer at both ends, along its text, as it is high: what stands there belongs to the print, too.
    """
    rectangles = [region.pixels(frame.width, frame.height) for region in frame.view.lines]
    sides = np.array(rectangles, np.float32).reshape(-1, 4)
    boxes = sides[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2)
    down = running_down(boxes, frame.view.rotate, stated=True)
    width, height = sides[:, 2] - sides[:, 0], sides[:, 3] - sides[:, 1]
    more = np.stack([np.where(down, 0, height / 2), np.where(down, width / 2, 0)], axis=1)
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
    return np.asarray(boxes + signs * more[:, None], np.float32), down


def trimmed(chars: tuple[CharScore, ...], box: NDArray[Any]) -> tuple[tuple[CharScore, ...], NDArray[Any]]:
    """Text read in one of `stated_boxes` and the rectangle itself; no text where it begins or ends beyond the rectangle."""
    length, height = (float(np.linalg.norm(box[0] - box[corner])) for corner in (1, 3))
    added = height / 2 / length
    end, side = added * (box[1] - box[0]), added * (box[2] - box[3])
    rectangle = np.stack([box[0] + end, box[1] - end, box[2] - side, box[3] + side])
    inside = tuple(
        replace(char, place=(char.place - added) / (1 - 2 * added))
        for char in chars
        if char.place is not None
    )
    if any(not 0 <= (char.place or 0) <= 1 for char in inside):
        return (), rectangle
    return inside, rectangle

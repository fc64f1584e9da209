"""Lines on a label: which way is up, which comes first, which belong together. Pure geometry."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from service.ocr.text import CharScore, Point, Quad, TextLine, is_glyph_gap

MAX_GAP: Final = 3.0  # of the lower line's height: prints further apart have nothing to do with each other
# A name and its value, as in `LOT:    12`, are one line however wide the gap that a detector splits them at.
NAME_ENDS: Final = (":", "：")
MAX_OFFSET: Final = 0.3  # of the name's height, between the two middles
MAX_HEIGHT_RATIO: Final = 1.4


def turned_upright(lines: Sequence[TextLine]) -> list[Quad]:
    """The boxes of all lines, turned about the origin until most text runs from left to right, level."""
    if not lines:
        return []
    corners = np.array([line.box for line in lines])
    weights = np.array([len(line.chars) for line in lines])
    across, down = (corners[:, 1] - corners[:, 0]).T
    level = np.abs(across) >= np.abs(down)
    right = np.where(level, np.where(across >= 0, 1, -1), 0)
    below = np.where(level, 0, np.where(down > 0, 1, -1))
    main = max(
        ((1, 0), (0, 1), (0, -1), (-1, 0)),
        key=lambda one: int(weights[(right == one[0]) & (below == one[1])].sum()),
    )
    # The angle that half of the characters are under and half over: one slanted print does not tilt the label.
    alike = (right == main[0]) & (below == main[1])
    off = np.arctan2(main[0] * down - main[1] * across, main[0] * across + main[1] * down)[alike]
    slant = _median(sorted(zip(off.tolist(), weights[alike].tolist(), strict=True)))
    x_part, y_part = (
        main[0] * math.cos(slant) - main[1] * math.sin(slant),
        main[1] * math.cos(slant) + main[0] * math.sin(slant),
    )
    xs, ys = corners[:, :, 0], corners[:, :, 1]
    turned = np.stack((x_part * xs + y_part * ys, x_part * ys - y_part * xs), axis=-1)
    return [(tuple(a), tuple(b), tuple(c), tuple(d)) for a, b, c, d in turned.tolist()]


def in_reading_order(lines: Sequence[TextLine]) -> list[TextLine]:
    """Rows from top to bottom as the text stands, each from left to right; a name and its value become one line.

    Lines share a row when one's middle lies inside the other.
    """
    boxes = turned_upright(lines)
    rows: list[list[int]] = []
    for index in sorted(range(len(lines)), key=lambda one: _middle(boxes[one])):
        row = rows[-1] if rows else []
        if row and _top(boxes[row[0]]) < _middle(boxes[index]) < _bottom(boxes[row[0]]):
            row.append(index)
        else:
            rows.append([index])
    ordered: list[TextLine] = []
    for row in rows:
        row.sort(key=lambda one: min(x for x, _ in boxes[one]))
        last: Quad | None = None
        for index in row:
            if last is not None and _is_value(ordered[-1], last, boxes[index]):
                ordered[-1] = _joined(ordered[-1], lines[index])
            else:
                ordered.append(lines[index])
            last = boxes[index]
    return ordered


def _is_value(name: TextLine, name_box: Quad, box: Quad) -> bool:
    """Whether a box holds the value that a line with a colon at its end announces."""
    height, other = _bottom(name_box) - _top(name_box), _bottom(box) - _top(box)
    gap = min(x for x, _ in box) - max(x for x, _ in name_box)
    return (
        name.text.endswith(NAME_ENDS)
        and _direction(box) == _direction(name_box) == (1, 0)
        and -height / 2 <= gap <= MAX_GAP * min(height, other)
        and abs(_middle(box) - _middle(name_box)) <= MAX_OFFSET * height
        and 0 < max(height, other) <= MAX_HEIGHT_RATIO * min(height, other)
    )


def _joined(name: TextLine, value: TextLine) -> TextLine:
    box = (name.box[0], value.box[1], value.box[2], name.box[3])
    whole = math.dist(box[0], box[1])
    name_end, value_begin = (
        math.dist(name.box[0], name.box[1]) / whole,
        1 - math.dist(value.box[0], value.box[1]) / whole,
    )
    carried = is_glyph_gap(f"{name.text} {value.text}", len(name.text))
    gap = () if carried else (CharScore(" ", 1.0, (), (name_end + value_begin) / 2),)
    chars = (*_placed(name.chars, 0, name_end), *gap, *_placed(value.chars, value_begin, 1))
    read = [char.score for char in (*name.chars, *value.chars)]
    return TextLine("".join(char.char for char in chars), sum(read) / len(read), box, chars)


def _placed(chars: Sequence[CharScore], begin: float, end: float) -> Iterator[CharScore]:
    """Characters of a line that becomes the part from `begin` to `end` of a longer one."""
    for char in chars:
        yield char if char.place is None else replace(char, place=begin + char.place * (end - begin))


def _direction(box: Quad) -> tuple[int, int]:
    """Unit vector of the quarter turn that is nearest to the direction of a box's text."""
    across, down = _along(box)
    if abs(across) >= abs(down):
        return (1 if across >= 0 else -1, 0)
    return (0, 1 if down > 0 else -1)


def _median(weighted: Sequence[tuple[float, int]]) -> float:
    """Of values in order, each with its weight, the one in the middle of all weights."""
    half = sum(weight for _, weight in weighted) / 2
    for value, weight in weighted:
        half -= weight
        if half <= 0:
            return value
    return 0.0


def _along(box: Quad) -> Point:
    """From where the text of a box begins to where it ends."""
    (x0, y0), (x1, y1) = box[0], box[1]
    return x1 - x0, y1 - y0


def _top(box: Quad) -> float:
    return min(y for _, y in box)


def _bottom(box: Quad) -> float:
    return max(y for _, y in box)


def _middle(box: Quad) -> float:
    return (_top(box) + _bottom(box)) / 2

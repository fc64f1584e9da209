"""Lines on a label: which way is up, which comes first, which belong together. Pure geometry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from service.ocr.text import CharScore, Point, Quad, TextLine

# A name and its value, as in `LOT:    12`, are one line however wide the gap that a detector splits them at; prints
# more than three heights apart have nothing to do with each other (service/matching/layout.py draws the same limit).
NAME_ENDS: Final = (":", "：")
MAX_GAP: Final = 3.0
MAX_OFFSET: Final = 0.3  # of the name's height, between the two middles
MAX_HEIGHT_RATIO: Final = 1.4


def turned_upright(lines: Sequence[TextLine]) -> list[Quad]:
    """The boxes of all lines, turned about the origin by quarters until most text runs from left to right."""
    votes: Counter[tuple[int, int]] = Counter()
    for line in lines:
        votes[_direction(line.box)] += len(line.chars)
    if not votes:
        return []
    (x_part, y_part), _ = max(votes.items(), key=lambda vote: (vote[1], vote[0]))

    def turn(point: Point) -> Point:
        x, y = point
        return (x_part * x + y_part * y, x_part * y - y_part * x)

    return [(turn(a), turn(b), turn(c), turn(d)) for a, b, c, d in (line.box for line in lines)]


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
        and -height / 2 <= gap <= MAX_GAP * height
        and abs(_middle(box) - _middle(name_box)) <= MAX_OFFSET * height
        and 1 / MAX_HEIGHT_RATIO <= other / height <= MAX_HEIGHT_RATIO
    )


def _joined(name: TextLine, value: TextLine) -> TextLine:
    # Full-width punctuation carries its gap in the glyph.
    gap = () if name.text.endswith("：") else (CharScore(" ", 1.0),)
    chars = (*name.chars, *gap, *value.chars)
    box = (name.box[0], value.box[1], value.box[2], name.box[3])
    return TextLine(
        "".join(char.char for char in chars), sum(char.score for char in chars) / len(chars), box, chars
    )


def _direction(box: Quad) -> tuple[int, int]:
    """Unit vector of the quarter turn that is nearest to the direction of a box's text."""
    (x0, y0), (x1, y1) = box[0], box[1]
    across, down = x1 - x0, y1 - y0
    if abs(across) >= abs(down):
        return (1 if across >= 0 else -1, 0)
    return (0, 1 if down > 0 else -1)


def _top(box: Quad) -> float:
    return min(y for _, y in box)


def _bottom(box: Quad) -> float:
    return max(y for _, y in box)


def _middle(box: Quad) -> float:
    return (_top(box) + _bottom(box)) / 2

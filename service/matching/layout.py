"""The lines of a label as one text to search in.

A detector splits one print at a gap or joins two neighbours, depending on the photograph; a field must be found either
way. So lines on the same height that stand close to each other are joined by a space into rows, and fields are looked
for in rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from service.ocr.lines import MAX_GAP, turned_upright
from service.ocr.text import CharScore, Quad, TextLine
from service.recipes.normalise import ROW_BREAK

MAX_SLOPE: Final = 0.27  # 15 degrees: steeper lines make rows of their own
MIN_OVERLAP: Final = 0.5  # of the lower line's height


@dataclass(frozen=True, slots=True)
class LabelChar:
    """A character of the label; `line` and `column` say where it was read, both -1 between two lines."""

    char: CharScore
    line: int
    column: int


_GAP: Final = LabelChar(CharScore(" ", 1.0), -1, -1)
_BREAK: Final = LabelChar(CharScore(ROW_BREAK, 1.0), -1, -1)


def read_as_rows(lines: Sequence[TextLine]) -> list[LabelChar]:
    """All characters, row after row; a space between two lines of a row, a break between rows.

    The order of `lines` does not matter.
    """
    chars: list[LabelChar] = []
    for row in _rows(lines):
        if chars:
            chars.append(_BREAK)
        for place, index in enumerate(row):
            if place:
                chars.append(_GAP)
            chars += [LabelChar(char, index, column) for column, char in enumerate(lines[index].chars)]
    return chars


def _rows(lines: Sequence[TextLine]) -> list[list[int]]:
    """Indices of the lines of each row, in the direction that most of the text runs in."""
    boxes = turned_upright(lines)
    rows: list[list[int]] = []
    for index in sorted(range(len(lines)), key=lambda one: (*boxes[one][0], lines[one].text)):
        for row in rows:
            if _follows(boxes[index], boxes[row[-1]]):
                row.append(index)
                break
        else:
            rows.append([index])
    return sorted(rows, key=lambda row: (boxes[row[0]][0][1], boxes[row[0]][0][0]))


def _follows(box: Quad, left: Quad) -> bool:
    """Whether a line continues the one on its left."""
    if _steep(box) or _steep(left):
        return False
    (top, bottom), (left_top, left_bottom) = _heights(box), _heights(left)
    height = min(bottom - top, left_bottom - left_top)
    overlap = min(bottom, left_bottom) - max(top, left_top)
    gap = box[0][0] - left[1][0]
    return overlap >= MIN_OVERLAP * height and -0.5 * height <= gap <= MAX_GAP * height


def _steep(box: Quad) -> bool:
    """Whether a line runs up, down or backwards among lines that run from left to right."""
    (x0, y0), (x1, y1) = box[0], box[1]
    return abs(y1 - y0) > MAX_SLOPE * (x1 - x0)


def _heights(box: Quad) -> tuple[float, float]:
    return (box[0][1] + box[1][1]) / 2, (box[2][1] + box[3][1]) / 2


def span_box(chars: Sequence[LabelChar], lines: Sequence[TextLine]) -> Quad | None:
    """Box of some characters, from where the reader saw them; where it did not say, their index stands for the place."""
    parts: list[Quad] = []
    for line in dict.fromkeys(char.line for char in chars if char.line >= 0):
        columns = [char.column for char in chars if char.line == line]
        edges = _edges(lines[line].chars)
        parts.append(_slice(lines[line].box, edges[min(columns)][0], edges[max(columns)][1]))
    if len(parts) <= 1:
        return parts[0] if parts else None
    xs, ys = ([point[axis] for part in parts for point in part] for axis in (0, 1))
    return (min(xs), min(ys)), (max(xs), min(ys)), (max(xs), max(ys)), (min(xs), max(ys))


def _edges(chars: Sequence[CharScore]) -> list[tuple[float, float]]:
    """Where each character begins and ends along its line: half-way to its neighbours, but not far into a gap."""
    count = len(chars)
    known = [char.place for char in chars if char.place is not None]
    places = known if len(known) == count else [(index + 0.5) / count for index in range(count)]
    pitch = median(after - before for before, after in pairwise(places)) if count > 1 else 1.0
    middles = [0.0, *((before + after) / 2 for before, after in pairwise(places)), 1.0]
    return [
        (max(begin, place - pitch), min(end, place + pitch))
        for place, begin, end in zip(places, middles, middles[1:], strict=False)
    ]


def _slice(box: Quad, start: float, end: float) -> Quad:
    top_left, top_right, bottom_right, bottom_left = box

    def between(a: tuple[float, float], b: tuple[float, float], share: float) -> tuple[float, float]:
        return round(a[0] + (b[0] - a[0]) * share, 1), round(a[1] + (b[1] - a[1]) * share, 1)

    return (
        between(top_left, top_right, start),
        between(top_left, top_right, end),
        between(bottom_left, bottom_right, end),
        between(bottom_left, bottom_right, start),
    )

"""Lines as rows: what stands side by side is searched as one text.

A detector splits one print at a wide gap or joins two neighbours, depending on the photograph; a field must be found
either way. So lines on the same height are joined by a space, and fields are looked for in rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.ocr.text import CharScore, Quad, TextLine

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_SLOPE: Final = 0.27  # 15 degrees: steeper lines make rows of their own
MIN_OVERLAP: Final = 0.5  # of the lower line's height
_GAP: Final = CharScore(" ", 1.0)


@dataclass(frozen=True, slots=True)
class RowChar:
    """A character of a row; `line` and `column` say where it was read, both -1 for the space between two lines."""

    char: CharScore
    line: int
    column: int


Row = tuple[RowChar, ...]


def rows(lines: Sequence[TextLine]) -> list[Row]:
    """Lines that share a height, each row from left to right; the order of `lines` does not matter."""
    groups: list[list[int]] = []
    for index in sorted(
        range(len(lines)), key=lambda one: (lines[one].box[0][1], lines[one].box[0][0], lines[one].text)
    ):
        for group in groups:
            if all(_side_by_side(lines[index], lines[other]) for other in group):
                group.append(index)
                break
        else:
            groups.append([index])
    return [_join(sorted(group, key=lambda one: lines[one].box[0][0]), lines) for group in groups]


def _side_by_side(first: TextLine, second: TextLine) -> bool:
    if _steep(first.box) or _steep(second.box):
        return False
    (top, bottom), (other_top, other_bottom) = _heights(first.box), _heights(second.box)
    overlap = min(bottom, other_bottom) - max(top, other_top)
    if overlap < MIN_OVERLAP * min(bottom - top, other_bottom - other_top):
        return False
    left, right = sorted((first, second), key=lambda line: line.box[0][0])
    return left.box[1][0] - right.box[0][0] < 0.5 * (
        bottom - top
    )  # boxes one over the other are not neighbours


def _steep(box: Quad) -> bool:
    (x0, y0), (x1, y1) = box[0], box[1]
    return abs(y1 - y0) > MAX_SLOPE * abs(x1 - x0)


def _heights(box: Quad) -> tuple[float, float]:
    return (box[0][1] + box[1][1]) / 2, (box[2][1] + box[3][1]) / 2


def _join(group: list[int], lines: Sequence[TextLine]) -> Row:
    row: list[RowChar] = []
    for index in group:
        if row:
            row.append(RowChar(_GAP, -1, -1))
        row += [RowChar(char, index, column) for column, char in enumerate(lines[index].chars)]
    return tuple(row)


def span_box(chars: Sequence[RowChar], lines: Sequence[TextLine]) -> Quad | None:
    """Box of some characters of a row; inside a line a character's place is taken to be proportional to its index."""
    parts: list[Quad] = []
    for line in dict.fromkeys(char.line for char in chars if char.line >= 0):
        columns = [char.column for char in chars if char.line == line]
        count = len(lines[line].chars)
        parts.append(_slice(lines[line].box, min(columns) / count, (max(columns) + 1) / count))
    if len(parts) <= 1:
        return parts[0] if parts else None
    xs, ys = ([point[axis] for part in parts for point in part] for axis in (0, 1))
    return (min(xs), min(ys)), (max(xs), min(ys)), (max(xs), max(ys)), (min(xs), max(ys))


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

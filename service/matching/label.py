"""The lines of a label as one text to search in.

A detector splits one print at a gap or joins two neighbours, depending on the photograph; a field must be found either
way. So lines on the same height that stand close to each other are joined by a space into rows, and fields are looked
for in rows.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from service.ocr.lines import MAX_GAP, turned_upright
from service.ocr.text import CharScore, Quad, TextLine
from service.recipes.normalise import ROW_BREAK

MAX_SLOPE: Final = 0.27  # 15 degrees: steeper lines make rows of their own
MIN_OVERLAP: Final = 0.5  # of the lower line's height
MIN_SPACE: Final = 0.1  # of that, between two boxes: less is no space that anybody has seen

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_GAP: Final = CharScore(" ", 1.0)


@dataclass(frozen=True, slots=True)
class Part:
    """Characters of one line, from `begin` to `end`, and the box around them."""

    box: Quad
    _chars: tuple[CharScore, ...]
    begin: int
    end: int
    _extent: tuple[float, float]

    def inked(self) -> tuple[str, list[float]]:
        """The characters that leave ink, and where along the box each stands (0 to 1)."""
        start, width = self._extent[0], (self._extent[1] - self._extent[0]) or 1.0
        places = _places(self._chars)
        shown = [
            (
                self._chars[at].char if len(self._chars[at].char) == 1 else "\ufffd",
                (places[at] - start) / width,
            )
            for at in range(self.begin, self.end + 1)
            if not self._chars[at].char.isspace()
        ]
        return "".join(char for char, _ in shown), [place for _, place in shown]


class Label:
    """All characters, row after row: a space between two lines of a row, a break between rows.

    `chars` are as they were read, with a sure space for what separates lines; `text` holds one code point for each. An
    index into them names a character of the label everywhere in the comparison.
    The order of `lines` does not matter.
    """

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self.lines = lines
        parts: list[str] = []
        self.chars: list[CharScore] = []
        self._starts: list[int] = []
        self._order: list[int] = []
        self.touching: set[int] = set()
        """Separators between boxes that touch: whether anything is between them cannot be told."""
        for row in _rows(lines):
            separator = ROW_BREAK if self.chars else ""
            for index, gap in row:
                if separator:
                    if separator != ROW_BREAK and gap < MIN_SPACE:
                        self.touching.add(len(self.chars))
                    parts.append(separator)
                    self.chars.append(_GAP)
                self._starts.append(len(self.chars))
                self._order.append(index)
                parts.append(_plain(lines[index]))
                self.chars += lines[index].chars
                separator = " "
        self.text = "".join(parts)

    def read(self, first: int, last: int) -> str:
        """What was read from one character to another."""
        return "".join([char.char for char in self.chars[first : last + 1]])

    def degrees(self, index: int) -> float:
        """Direction of the line that a character belongs to, clockwise from level."""
        box = self.lines[self._order[bisect_right(self._starts, index) - 1]].box
        (x0, y0), (x1, y1) = box[0], box[1]
        return math.degrees(math.atan2(y1 - y0, x1 - x0))

    def box(self, first: int, last: int) -> Quad:
        """Box from one character to another.

        From where the reader saw them; where it did not say, a character's index stands for its place.
        """
        return hull([part.box for part in self.parts(first, last)])

    def parts(self, first: int, last: int) -> list[Part]:
        """What of each line lies between two characters."""
        parts: list[Part] = []
        for at in range(bisect_right(self._starts, first) - 1, bisect_right(self._starts, last)):
            line, start = self.lines[self._order[at]], self._starts[at]
            begin, end = max(first - start, 0), min(last - start, len(line.chars) - 1)
            if begin <= end:
                extent = _extent(line.chars, begin, end)
                parts.append(Part(_slice(line.box, *extent), line.chars, begin, end, extent))
        return parts


def hull(boxes: Sequence[Quad]) -> Quad:
    """One box itself; of several, the upright rectangle around them."""
    return boxes[0] if len(boxes) == 1 else upright(boxes)


def upright(boxes: Sequence[Quad]) -> Quad:
    """The upright rectangle around some boxes."""
    xs, ys = ([point[axis] for box in boxes for point in box] for axis in (0, 1))
    return (min(xs), min(ys)), (max(xs), min(ys)), (max(xs), max(ys)), (min(xs), max(ys))


def _plain(line: TextLine) -> str:
    if len(line.text) == len(line.chars):
        text = line.text
    else:  # a character of several code points is none that a recipe can expect
        text = "".join(char.char if len(char.char) == 1 else "\ufffd" for char in line.chars)
    return _SURROGATES.sub("\ufffd", text.replace(ROW_BREAK, " "))


def _rows(lines: Sequence[TextLine]) -> Iterator[list[tuple[int, float]]]:
    """Indices of the lines of each row from top to bottom, in the direction that most of the text runs in.

    With each goes how far behind the one on its left it begins, as a share of the lower one's height.
    """
    boxes = turned_upright(lines)
    level = [not _steep(box) for box in boxes]
    spans = [_heights(box) for box in boxes]
    tallest = max(
        (bottom - top for (top, bottom), flat in zip(spans, level, strict=True) if flat), default=0.0
    )
    rows: list[list[tuple[int, float]]] = []
    ends: list[tuple[float, int]] = []  # middle of the last line of each row, and the row; by middle
    for index in sorted(range(len(lines)), key=lambda one: (*boxes[one][0], lines[one].text)):
        top, bottom = spans[index]
        middle = (top + bottom) / 2
        nearest: tuple[float, int] | None = None
        if level[index]:
            begin = bisect_left(ends, (middle - tallest, -1))
            end = bisect_right(ends, (middle + tallest, len(rows)))
            for place in range(begin, end):
                last = rows[ends[place][1]][-1][0]
                gap = _gap(boxes[index], spans[index], boxes[last], spans[last])
                if gap is not None and (nearest is None or gap < nearest[0]):
                    nearest = gap, place
        if nearest is not None:
            row = ends.pop(nearest[1])[1]
            rows[row].append((index, nearest[0]))
        else:
            row = len(rows)
            rows.append([(index, 0.0)])
        if level[index]:
            insort(ends, (middle, row))
    yield from sorted(rows, key=lambda row: (boxes[row[0][0]][0][1], boxes[row[0][0]][0][0]))


def _gap(box: Quad, span: tuple[float, float], left: Quad, left_span: tuple[float, float]) -> float | None:
    """How far behind the line on its left a line begins, in heights; None if it does not continue it."""
    (top, bottom), (left_top, left_bottom) = span, left_span
    height = min(bottom - top, left_bottom - left_top)
    overlap = min(bottom, left_bottom) - max(top, left_top)
    gap = box[0][0] - left[1][0]
    if height <= 0 or overlap < MIN_OVERLAP * height or not -0.5 <= gap / height <= MAX_GAP:
        return None
    return gap / height


def _steep(box: Quad) -> bool:
    """Whether a line runs up, down or backwards among lines that run from left to right."""
    (x0, y0), (x1, y1) = box[0], box[1]
    return abs(y1 - y0) > MAX_SLOPE * (x1 - x0)


def _heights(box: Quad) -> tuple[float, float]:
    return (box[0][1] + box[1][1]) / 2, (box[2][1] + box[3][1]) / 2


def _extent(chars: Sequence[CharScore], first: int, last: int) -> tuple[float, float]:
    """Where some characters of a line begin and end along it: half-way to their neighbours, but not far into a gap."""
    count = len(chars)
    places = _places(chars)
    pitches = sorted(after - before for before, after in pairwise(places))
    pitch = pitches[len(pitches) // 2] if pitches else 1.0
    before = (places[first - 1] + places[first]) / 2 if first else 0.0
    after = (places[last] + places[last + 1]) / 2 if last + 1 < count else 1.0
    return max(before, places[first] - pitch), min(after, places[last] + pitch)


def _places(chars: Sequence[CharScore]) -> list[float]:
    """Where along its line each character stands; where the reader did not say, its index stands for that."""
    count = len(chars)
    return [(index + 0.5) / count if char.place is None else char.place for index, char in enumerate(chars)]


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

"""What was read: pure values, no arrays, no I/O."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Corners of a text box in pixels of the upright image: top left, top right, bottom right, bottom left,
as seen along the reading direction of the text."""


@dataclass(frozen=True, slots=True)
class CharScore:
    """One character as the recogniser saw it.

    `score` is the softmax probability (0..1) at the time step where the character peaks, `alternatives` are the
    runner-up characters of that step with their probabilities, best first. `place` is where along its line that step
    lies (0 at the beginning, 1 at the end), None if it is not known.
    """

    char: str
    score: float
    alternatives: tuple[tuple[str, float], ...] = ()
    place: float | None = None


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text; `score` (0..1) is the mean over its characters."""

    text: str
    score: float
    box: Quad
    chars: tuple[CharScore, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """All lines of one image in reading order, and how long its batch took per stage, in milliseconds."""

    lines: tuple[TextLine, ...]
    timings_ms: dict[str, float]


def is_glyph_gap(text: str, at: int) -> bool:
    """Whether the space at `text[at]` is the empty half of full-width punctuation beside it, no printed space.

    So it is behind an ideograph, and a colon there is full-width even where the recogniser takes it for the other form.
    Between Latin characters a space may end a word.
    """
    before, mark, after = text[at - 2 : at - 1], text[at - 1 : at], text[at + 1 : at + 2]
    behind_mark = (_is_wide_mark(mark) or mark == ":") and _is_ideograph(before)
    return at > 0 and (behind_mark or (_is_wide_mark(after) and _is_ideograph(mark)))


def _is_ideograph(char: str) -> bool:
    return char != "" and _is_wide(char) and unicodedata.category(char) == "Lo"


def _is_wide_mark(char: str) -> bool:
    return char != "" and _is_wide(char) and unicodedata.category(char).startswith("P")


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in {"W", "F"}

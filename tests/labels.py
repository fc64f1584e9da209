"""Builds read lines and recipes for tests of the comparison."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from service.ocr.text import CharScore, TextLine
from service.recipes.recipe import Field, Recipe
from service.recipes.resolve import resolve

CHAR_WIDTH = 12.0
LINE_HEIGHT = 20.0
NOON = dt.datetime(2026, 12, 1, 12, tzinfo=dt.timezone.utc)


def line(
    text: str, *, row: float = 0, x: float = 0, score: float = 0.99, scores: dict[int, float] | None = None
) -> TextLine:
    """A horizontal line in a row of 40 pixels; `scores` are those of single characters, by index."""
    y = 40.0 * row
    width = CHAR_WIDTH * len(text)
    chars = tuple(CharScore(char, (scores or {}).get(at, score)) for at, char in enumerate(text))
    box = ((x, y), (x + width, y), (x + width, y + LINE_HEIGHT), (x, y + LINE_HEIGHT))
    return TextLine(text, sum(char.score for char in chars) / len(chars), box, chars)


def label(*texts: str) -> list[TextLine]:
    """One line of text under the other."""
    return [line(text, row=row) for row, text in enumerate(texts)]


def moved(line: TextLine, x: float, y: float) -> TextLine:
    """The line elsewhere."""
    return replace(line, box=tuple((left + x, top + y) for left, top in line.box))  # type: ignore[arg-type]  # 4 x 2


def turned(line: TextLine, quarters: int) -> TextLine:
    """The line on an image turned clockwise about the origin; its box still begins where its text does."""
    box = line.box
    for _ in range(quarters):
        box = tuple((-y, x) for x, y in box)  # type: ignore[assignment]  # 4 x 2
    return replace(line, box=box)


def askew(line: TextLine, degrees: float) -> TextLine:
    """The line on an image turned clockwise about the origin by a few degrees."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    box = tuple((cos * x - sin * y, sin * x + cos * y) for x, y in line.box)
    return replace(line, box=box)  # type: ignore[arg-type]  # 4 x 2


def recipe(fields: Sequence[Field], **values: object) -> Recipe:
    return Recipe("test", tuple(fields), **values)  # type: ignore[arg-type]


def for_part(recipe: Recipe, expected: Mapping[str, str] | None = None) -> Recipe:
    """The recipe for a part made at noon of 1 December 2026, UTC."""
    return resolve(recipe, expected or {}, NOON, "received_at")

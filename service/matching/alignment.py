"""Where in a text does a template stand, and character by character how well.

The closest place is found by approximate string matching with free ends (P. H. Sellers, "The theory and computation of
evolutionary distances", J. Algorithms 1, 1980), with one addition: a print begins and ends where a word does, so
cutting a word in two costs as much as a wrong character. LOT 12 is therefore never found inside LOT 123.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from service.matching.confusables import alike
from service.recipes.template import Position, Template, literal

if TYPE_CHECKING:
    from collections.abc import Iterable

WRONG: Final = 1.0
ALIKE: Final = 0.4  # a look-alike, or the letter in its other case, is likelier than an unrelated character
CUT: Final = 1.0

# Letters and digits, and the marks that hold them together: 1.60 and YM-X are one word, EXP:03 is two, 19:18 one.
_WORD: Final = re.compile(r"[^\W_](?:[^\W_]|[.,/_+&'’·*-](?=[^\W_])|(?<=\d):(?=\d))*")


@dataclass(frozen=True, slots=True)
class Text:
    """Normalised characters, and for each its index in the row it came from.

    `boundaries[at]` says whether a print may begin or end before `plain[at]`: not inside a word.
    """

    plain: str
    indices: tuple[int, ...]
    boundaries: tuple[bool, ...]

    @classmethod
    def of(cls, chars: Iterable[tuple[str, int]]) -> Text:
        pairs = list(chars)
        plain = "".join(char for char, _ in pairs)
        indices = tuple(index for _, index in pairs)
        boundaries = [True] * (len(plain) + 1)
        start = 0
        for end in range(1, len(plain) + 1):
            # A gap in the indices is white space that the field ignores, or another field's print.
            if end == len(plain) or indices[end] != indices[end - 1] + 1:
                for word in _WORD.finditer(plain, start, end):
                    boundaries[word.start() + 1 : word.end()] = [False] * (word.end() - word.start() - 1)
                start = end
        return cls(plain, indices, tuple(boundaries))

    def without(self, taken: set[int]) -> Text:
        """The characters whose indices are not taken."""
        pairs = zip(self.plain, self.indices, strict=True)
        return Text.of((char, index) for char, index in pairs if index not in taken)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an alignment: a position, the index of the character read there, or both.

    Without a character the position is missing; without a position the character is extra.
    """

    position: Position | None
    index: int | None


@dataclass(frozen=True, slots=True)
class Alignment:
    """`cost` is 0 where every position accepts its character."""

    cost: float
    steps: tuple[Step, ...]

    @property
    def indices(self) -> list[int]:
        return [step.index for step in self.steps if step.index is not None]


def exact(template: Template, text: Text) -> list[Alignment]:
    """Every place where the whole template stands as a print of its own, left to right."""
    length = len(template)
    return [
        _straight(template, text, start)
        for start in range(len(text.plain) - length + 1)
        if text.boundaries[start]
        and text.boundaries[start + length]
        and all(text.plain[start + at] in template[at].allowed for at in range(length))
    ]


def matches(compiled: Any, text: Text) -> list[Alignment]:
    """Every match of a compiled expression that stands as a print of its own, left to right."""
    spans = (match.span() for match in compiled.finditer(text.plain))
    return [
        _straight(literal(text.plain[start:end]), text, start)
        for start, end in spans
        if start < end and text.boundaries[start] and text.boundaries[end]
    ]


def _straight(template: Template, text: Text, start: int) -> Alignment:
    return Alignment(0, tuple(Step(one, text.indices[start + at]) for at, one in enumerate(template)))


def closest(template: Template, text: Text, max_cost_share: float) -> Alignment | None:
    """The best place for a template that stands nowhere exactly; None if it costs more than that share of its length.

    The rest of a word that the place cuts is added as extra characters.
    """
    height, width = len(template), len(text.plain)
    cut = [0.0 if boundary else CUT for boundary in text.boundaries]
    table = [cut]
    for row, position in enumerate(template, 1):
        above, line = table[-1], [row * WRONG]
        for column, char in enumerate(text.plain, 1):
            line.append(
                min(
                    above[column - 1] + _cost(position, char), above[column] + WRONG, line[column - 1] + WRONG
                )
            )
        table.append(line)
    end = min(range(width + 1), key=lambda at: (table[height][at] + cut[at], at))
    cost = table[height][end] + cut[end]
    if cost > max_cost_share * height:
        return None
    return Alignment(cost, tuple(_trace(template, text, table, end)))


def _cost(position: Position, char: str) -> float:
    if char in position.allowed:
        return 0
    if char.swapcase() in position.allowed or any(alike(char, one) for one in position.allowed):
        return ALIKE
    return WRONG


def _trace(template: Template, text: Text, table: list[list[float]], end: int) -> list[Step]:
    steps: list[Step] = []
    row, column = len(template), end
    while row:
        here = table[row][column]
        swap = _cost(template[row - 1], text.plain[column - 1]) if column else WRONG
        paired = column and here == table[row - 1][column - 1] + swap
        dropped = here == table[row - 1][column] + WRONG
        # Of equally cheap explanations, a print that breaks off is told as that, not as shifted characters.
        if paired and not (swap and dropped):
            row, column = row - 1, column - 1
            steps.append(Step(template[row], text.indices[column]))
        elif dropped:
            row -= 1
            steps.append(Step(template[row], None))
        else:
            column -= 1
            steps.append(Step(None, text.indices[column]))
    steps.reverse()
    while not text.boundaries[column]:
        column -= 1
        steps.insert(0, Step(None, text.indices[column]))
    while not text.boundaries[end]:
        steps.append(Step(None, text.indices[end]))
        end += 1
    return steps

"""Where on a label does a print stand, and character by character how well.

The closest place is found by approximate string matching with free ends (P. H. Sellers, "The theory and computation of
evolutionary distances", J. Algorithms 1, 1980), with one addition: a print begins and ends where a word does, so
cutting a word in two costs as much as a wrong character. LOT 12 is therefore never found inside LOT 123.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.matching.confusables import look_alikes
from service.recipes.normalise import ROW_BREAK
from service.recipes.template import Position, Template, literal

WRONG: Final = 1.0
ALIKE: Final = 0.4  # a look-alike, or the letter in its other case, is likelier than an unrelated character
CUT: Final = 1.0
MAX_WORDS: Final = 8  # of one print with spaces in it
NEVER: Final = 1e6  # more than any alignment costs: the end of a row, or a character of another field

# Letters and digits with what belongs to them: marks between them (1.60 and YM-X are one word, EXP:03 is two), any mark
# but brackets between digits (19:18), a sign or point before a number, a + or a unit sign behind. Where a reader puts a
# space after a decimal mark (1. 60) it is one number all the same.
_WORD: Final = re.compile(
    r"""(?:[.,+\-\u2212\u2013<>~\u00b1\u2264\u2265\u2248]+(?=\d))?
        [^\W_]
        (?: [^\W_]
          | [.,/_+&'\u2019\u00b7*\-\u2010-\u2015\u2212]+(?=[^\W_])
          | (?<=\d)[^\w\s()\[\]{}|;!?"\u201c\u201d\u3010\u3011]+(?=\d)
        )*
        [+%\u2030\u00b0\u2103\u2109]*""",
    re.VERBOSE,
)
_SPACED_DECIMAL: Final = re.compile(r"\d[.,](?=\d)")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an alignment: a position, the index of the character read there, or both.

    Without a character the position is missing; without a position the character is extra.
    """

    position: Position | None
    index: int | None


@dataclass(frozen=True, slots=True)
class Alignment:
    """`cost` is 0 where nothing is missing, extra or shifted. Indices are those of the label's characters."""

    cost: float
    steps: tuple[Step, ...]

    @property
    def indices(self) -> list[int]:
        return [step.index for step in self.steps if step.index is not None]


class Text:
    """The characters of a label that count for a field, each with its index on the label.

    A print may begin or end before `plain[at]` where `boundaries[at]` is true: not inside a word. White space that the
    field ignores is gone from `plain`, but still ends a word.
    """

    def __init__(self, chars: Iterable[tuple[str, int]]) -> None:
        pairs = list(chars)
        self.plain = "".join(char for char, _ in pairs)
        self.indices = [index for _, index in pairs]
        self.boundaries = np.ones(len(pairs) + 1, bool)
        alphabet = sorted(set(self.plain))
        self._alphabet = alphabet
        self._rows: dict[frozenset[str], NDArray[np.float64]] = {}
        codes = {char: code for code, char in enumerate(alphabet)}
        self._codes = np.array([codes[char] for char in self.plain], np.intp)
        self._free = np.array([char != ROW_BREAK for char in self.plain], bool)
        for start, end in self._runs():
            for word in _WORD.finditer(self.plain, start, end):
                self.boundaries[word.start() + 1 : word.end()] = False
        for mark in _SPACED_DECIMAL.finditer(self.plain):
            self.boundaries[mark.start() + 1 : mark.end() + 1] = False

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Stretches without ignored white space in them."""
        start = 0
        for end in range(1, len(self.plain) + 1):
            if end == len(self.plain) or self.indices[end] != self.indices[end - 1] + 1:
                yield start, end
                start = end

    def take(self, indices: Iterable[int]) -> None:
        """Characters that a field has claimed are there for no other."""
        taken = set(indices)
        self._free &= np.array([index not in taken for index in self.indices], bool)

    def is_free(self, start: int, end: int) -> bool:
        return bool(self._free[start:end].all())

    def number_beside(self, alignment: Alignment, *, open_ended: bool) -> str:
        """The number that stands beside one at the begin or end of a place, with only ignored space between.

        Two numbers, or one that the reader has split: `12 3` on the label, where 12 is expected, may well be 123.
        Where the length of the print is open, any digit at its end may go on like that. A number that a field has
        claimed is its own.
        """
        first, last = (self.indices.index(alignment.indices[at]) for at in (0, -1))
        for edge, neighbour in ((first, first - 1), (last, last + 1)):
            if not 0 <= neighbour < len(self.plain) or abs(self.indices[edge] - self.indices[neighbour]) == 1:
                continue
            goes_on = self.plain[edge].isdigit() if open_ended else self._is_number(*self._word(edge))
            start, end = self._word(neighbour)
            if goes_on and self._is_number(start, end) and self.is_free(start, end):
                return self.plain[start:end]
        return ""

    def _word(self, at: int) -> tuple[int, int]:
        start, end = at, at + 1
        while not self.boundaries[start]:
            start -= 1
        while not self.boundaries[end]:
            end += 1
        return start, end

    def _is_number(self, start: int, end: int) -> bool:
        return _NUMBER.fullmatch(self.plain[start:end]) is not None

    def costs(self, template: Template) -> NDArray[np.float64]:
        """Cost of reading each character at each position, positions x characters."""
        rows = np.stack([self._row(position.allowed) for position in template])
        rows[:, ~self._free] = NEVER
        return rows

    def _row(self, allowed: frozenset[str]) -> NDArray[np.float64]:
        row = self._rows.get(allowed)
        if row is None:
            row = np.array([_cost(allowed, char) for char in self._alphabet], np.float64)[self._codes]
            self._rows[allowed] = row
        return row

    def cuts(self) -> NDArray[np.float64]:
        """Cost of beginning or ending before each character, and at the end."""
        fenced = np.concatenate(([True], ~self._free)) | np.concatenate((~self._free, [True]))
        return np.where(self.boundaries | fenced, 0.0, CUT)

    def extras(self) -> NDArray[np.float64]:
        """Cost of passing over each character inside a print."""
        return np.where(self._free, WRONG, NEVER)


def first_exact(template: Template, text: Text) -> Alignment | None:
    """The first place where the whole template stands as a print of its own."""
    length = len(template)
    for start in _places(template, text):
        if text.boundaries[start + length]:
            return _straight(template, text, start)
    return None


def _places(template: Template, text: Text) -> list[int]:
    """Where a template stands and a print may begin; it may go on behind it."""
    length, width = len(template), len(text.plain)
    if not 0 < length <= width:
        return []
    fits = text.boundaries[: width - length + 1].copy()
    for at, row in enumerate(text.costs(template)):
        fits &= row[at : at + width - length + 1] == 0
    places: list[int] = np.flatnonzero(fits).tolist()
    return places


def first_match(prefix: Template, compiled: Any, text: Text) -> Alignment | None:
    """The place where an expression matches as a print of its own, behind its prefix if it has one.

    Inside one word rather than over several, then the longest, then the first. Where there is none, one where a single
    look-alike, exchanged, would make it match.
    """
    spans = sorted(_spans(prefix, text), key=lambda span: (span[2], span[0] - span[1], span[0]))
    for start, end, _ in spans:
        if compiled.fullmatch(text.plain[start:end]):
            return _straight(prefix + literal(text.plain[start:end]), text, start - len(prefix))
    for start, end, words in spans:
        for at in range(start, end) if words == 1 else ():
            for other in sorted(look_alikes(text.plain[at])):
                meant = text.plain[start:at] + other + text.plain[at + 1 : end]
                if compiled.fullmatch(meant):
                    return _straight(prefix + literal(meant), text, start - len(prefix))
    return None


def _spans(prefix: Template, text: Text) -> Iterator[tuple[int, int, int]]:
    """Where the value behind a prefix may stand: begin, end and number of words, inside a row and not taken."""
    edges: list[int] = np.flatnonzero(text.boundaries).tolist()
    starts = [place + len(prefix) for place in _places(prefix, text)] if prefix else edges
    for start in starts:
        following = edges[bisect_right(edges, start) :][:MAX_WORDS]
        for words, end in enumerate(following, 1):
            if not text.is_free(start, end):
                break
            yield start, end, words


def prefix_and_word(prefix: Template, rule: str, text: Text, max_cost: float) -> Alignment | None:
    """A prefix that is not followed by what its expression asks for, with the word that stands there instead."""
    at = closest(prefix, text, max_cost)
    if at is None:
        return None
    behind = text.indices.index(at.indices[-1]) + 1
    end = behind
    if at.steps[-1].position is not None:  # else the rest of the word is there already
        while (
            end < len(text.plain)
            and text.is_free(end, end + 1)
            and (end == behind or not text.boundaries[end])
        ):
            end += 1
    instead = tuple(Step(None, index) for index in text.indices[behind:end])
    nothing = (Step(Position(rule, frozenset()), None),)
    return Alignment(at.cost + WRONG, at.steps + (instead or nothing))


def _straight(template: Template, text: Text, start: int) -> Alignment:
    steps = tuple(Step(one, text.indices[start + at]) for at, one in enumerate(template))
    return Alignment(0, steps)


def closest(template: Template, text: Text, max_cost: float) -> Alignment | None:
    """The best place for a template that stands nowhere exactly; None if it would cost more than `max_cost`.

    The rest of a word that the place cuts is added as extra characters.
    """
    cut, extras = text.cuts(), text.extras()
    # What passing over all characters up to here costs: turns the chain of extra characters into a running minimum.
    passed = np.concatenate(([0.0], np.cumsum(extras)))
    costs = text.costs(template)
    table = [cut]
    for row, cost in enumerate(costs, 1):
        above = table[-1]
        best = above + WRONG
        best[1:] = np.minimum(best[1:], above[:-1] + cost)
        best[0] = row * WRONG
        table.append(passed + np.minimum.accumulate(best - passed))
    total = table[-1] + cut
    end = int(total.argmin())
    if total[end] > max_cost:
        return None
    return Alignment(float(total[end]), tuple(_trace(template, text, table, costs, end)))


def _trace(
    template: Template, text: Text, table: list[NDArray[np.float64]], costs: NDArray[np.float64], end: int
) -> list[Step]:
    steps: list[Step] = []
    row, column = len(template), end
    while row:
        here = table[row][column]
        swap = costs[row - 1, column - 1] if column else NEVER
        paired = column > 0 and _same(here, table[row - 1][column - 1] + swap)
        dropped = _same(here, table[row - 1][column] + WRONG)
        # Of equally cheap explanations, a print that breaks off at its end is told as that.
        breaks_off = swap > 0 and dropped and all(step.index is None for step in steps)
        if paired and not breaks_off:
            row, column = row - 1, column - 1
            steps.append(Step(template[row], text.indices[column]))
        elif dropped or not column:
            row -= 1
            steps.append(Step(template[row], None))
        else:
            column -= 1
            steps.append(Step(None, text.indices[column]))
    steps.reverse()
    cut = table[0]
    while cut[column]:
        column -= 1
        steps.insert(0, Step(None, text.indices[column]))
    while cut[end]:
        steps.append(Step(None, text.indices[end]))
        end += 1
    return steps


def _same(first: float, second: float) -> bool:
    # Costs are sums of 1 and 0.4 in different orders, up to NEVER in size.
    return abs(first - second) < 1e-6


def _cost(allowed: frozenset[str], char: str) -> float:
    if char in allowed:
        return 0
    return ALIKE if char.swapcase() in allowed or not allowed.isdisjoint(look_alikes(char)) else WRONG

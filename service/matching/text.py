"""The label's text as one kind of field sees it: normalised, and with the places where a print may begin and end."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.recipes.confusables import Confusables
from service.recipes.normalise import ROW_BREAK, Case, Whitespace, codes_of, fold_text, normalise_text

# Letters and digits with what belongs to them: marks between them (1.60 and YM-X are one word, EXP:03 is two), any mark
# but brackets between digits (19:18), a sign or point before a number, a + or a unit sign behind. Where a reader puts a
# space after a decimal mark (1. 60) it is one number all the same.
_WORD: Final = re.compile(
    r"""(?:[.,+\-\u2010-\u2015\u2212\u30fc\u00b7\u2022\u2219<>~\u00b1\u2264\u2265\u2248]{1,4}(?=\d))?
        [^\W_]
        (?: [^\W_]
          | [.,/_+&'\u2019\u00b7*\-\u2010-\u2015\u2212]{1,8}(?=[^\W_])
          | (?<=\d)[^\w\s()\[\]{}|;!?"\u201c\u201d\u3010\u3011]{1,8}(?=\d)
        )*
        [+%\u2030\u00b0\u2103\u2109]{0,8}""",
    re.VERBOSE,
)
_SPACED_DECIMAL: Final = re.compile(r"\d[.,](?=\d)")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")

WRONG: Final = 10
ALIKE: Final = 4  # a look-alike, or the letter in its other case, is likelier than an unrelated character
NEVER: Final = 10_000  # more than any alignment costs: the end of a row, or a character of another field


def words_of(text: str) -> Iterator[tuple[int, int, str]]:
    """Begin, end and text of each word."""
    for word in _WORD.finditer(text):
        yield word.start(), word.end(), word[0]


class Text:
    """A print may begin or end before `plain[at]` where `boundaries[at]` is true: not inside a word.

    White space that the field ignores is gone from `plain`, but still ends a word. `indices` are those of the label.
    Costs are in tenths of a wrong character.
    """

    def __init__(
        self,
        label_text: str,
        whitespace: Whitespace,
        case: Case,
        confusables: Confusables,
        touching: Collection[int] = (),
    ) -> None:
        self._touching = touching
        self.plain, self.indices = normalise_text(label_text, whitespace, case)
        self.ignores_space = whitespace == "ignore"
        self._width = len(label_text)
        inside = np.zeros(self._width + 1, bool)
        for start, end, _ in words_of(fold_text(label_text, case)):
            inside[start + 1 : end] = True
        self.boundaries = np.append(~inside[self.indices], True)
        for mark in _SPACED_DECIMAL.finditer(self.plain):
            self.boundaries[mark.start() + 1 : mark.end() + 1] = False
        self._codes = codes_of(self.plain)
        self.confusables = confusables
        self._costs: dict[frozenset[str], NDArray[np.int32]] = {}
        self.free = self._codes != ord(ROW_BREAK)

    @cached_property
    def _alphabet(self) -> tuple[dict[str, int], NDArray[np.intp]]:
        """Each character that occurs with a number, and the numbers of the whole text."""
        codes, numbers = np.unique(self._codes, return_inverse=True)
        return {chr(code): at for at, code in enumerate(codes.tolist())}, numbers

    @cached_property
    def edges(self) -> list[int]:
        """All places where a print may begin or end."""
        edges: list[int] = np.flatnonzero(self.boundaries).tolist()
        return edges

    def at(self, label_index: int) -> int:
        """The place in `plain` of a character of the label that counts."""
        return int(np.searchsorted(self.indices, label_index))

    def take(self, indices: Iterable[int]) -> None:
        """Characters that a field has claimed are there for no other."""
        taken = np.zeros(self._width, bool)
        taken[list(indices)] = True
        self.free &= ~taken[self.indices]

    def is_free(self, start: int, end: int) -> bool:
        return bool(self.free[start:end].all())

    def costs(self, allowed: frozenset[str]) -> NDArray[np.int32]:
        """What reading each character costs where one of `allowed` is expected."""
        row = self._costs.get(allowed)
        if row is None:
            alphabet, numbers = self._alphabet
            by_char = np.full(len(alphabet), WRONG, np.int32)
            for wanted in allowed:
                for char in (wanted.swapcase(), *self.confusables.alike(wanted)):
                    if (at := alphabet.get(char)) is not None:
                        by_char[at] = ALIKE
            for wanted in allowed:
                if (at := alphabet.get(wanted)) is not None:
                    by_char[at] = 0
            row = self._costs[allowed] = by_char[numbers]
        return row

    def number_beside(self, first: int, last: int) -> str:
        """The number that stands beside a digit at the begin or end of a print, with only ignored space between.

        Two numbers, or one that the reader has split: `12 3` on the label, where 12 is expected, may well be 123. A
        number that a field has claimed is its own. `first` and `last` are places in `plain`.
        """
        for edge, neighbour in ((first, first - 1), (last, last + 1)):
            if not 0 <= neighbour < len(self.plain) or self.indices[neighbour] == self.indices[edge] + (
                neighbour - edge
            ):
                continue
            start, end = self._word(neighbour)
            if self.plain[edge].isdigit() and self._is_number(start, end) and self.is_free(start, end):
                return self.plain[start:end]
        return ""

    def text_touching(self, first: int, last: int) -> str:
        """What stands in a box that touches the box of a print, at its begin or end, and belongs to no other print.

        The reader has split one print, most likely: no space was seen there.
        """
        for edge, step in ((first, -1), (last, 1)):
            if int(self.indices[edge]) + step not in self._touching:
                continue
            neighbour = edge + step
            if 0 <= neighbour < len(self.plain) and self.plain[neighbour] == " ":
                neighbour += step
            if 0 <= neighbour < len(self.plain) and self.is_free(neighbour, neighbour + 1):
                start, end = self._word(neighbour)
                return self.plain[start:end]
        return ""

    def number_joined(self, start: int, end: int) -> bool:
        """Whether a print runs into another, or another into it, between two digits."""
        return any(
            not self.boundaries[at] and self.plain[at - 1].isdigit() and self.plain[at].isdigit()
            for at in (start, end)
        )

    def _word(self, at: int) -> tuple[int, int]:
        start, end = at, at + 1
        while not self.boundaries[start]:
            start -= 1
        while not self.boundaries[end]:
            end += 1
        return start, end

    def _is_number(self, start: int, end: int) -> bool:
        return _NUMBER.fullmatch(self.plain[start:end]) is not None

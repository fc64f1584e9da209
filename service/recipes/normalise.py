"""What counts as the same: only what a field states, plus one fold that is always on."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from service.recipes.template import Position, Template

Whitespace = Literal["ignore", "collapse", "exact"]
Case = Literal["exact", "ignore"]

ROW_BREAK: Final = "\n"
"""Stands between the rows of a label; it is never ignored, so that no print runs over it."""

_SPACES: Final = re.compile(" +")


@cache
def fold_width(char: str) -> str:
    """The ordinary form of a full-width or half-width character, any other unchanged.

    These are the characters whose Unicode decomposition is `<wide>` or `<narrow>`. No wider compatibility fold: NFKC
    would make m² equal m2, a silent correction.
    """
    form, _, code = unicodedata.decomposition(char).partition(" ")
    return chr(int(code, 16)) if form in {"<wide>", "<narrow>"} else char


def fold_case(char: str) -> str:
    lowered = char.lower()
    return lowered if len(lowered) == 1 else char


def fold(char: str, case: Case) -> str:
    """A character as it is compared."""
    folded = fold_width(char)
    return fold_case(folded) if case == "ignore" else folded


class _Folds(dict[int, str]):
    """Table for `str.translate` that learns each character when it is first met: as it is compared, any space a blank."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self._case: Case = case

    def __missing__(self, code: int) -> str:
        char = fold(chr(code), self._case)
        self[code] = " " if char.isspace() and char != ROW_BREAK else char
        return self[code]


_FOLDS: Final[dict[Case, _Folds]] = {"exact": _Folds("exact"), "ignore": _Folds("ignore")}


def fold_text(text: str, case: Case) -> str:
    """A text as it is compared, character by character: its length stays."""
    return text.translate(_FOLDS[case])


def normalise_text(text: str, whitespace: Whitespace, case: Case) -> tuple[str, NDArray[np.intp]]:
    """The characters that count, and the index in `text` of each."""
    folded = fold_text(text, case)
    if whitespace == "exact":
        return folded, np.arange(len(folded))
    codes = codes_of(folded)
    keep = codes != ord(" ")
    if whitespace == "collapse":
        for run in _SPACES.finditer(folded):
            start, end = run.span()
            # White space beside a break or an end is none.
            keep[start] = folded[start - 1 : start] not in {"", ROW_BREAK} and folded[end : end + 1] not in {
                "",
                ROW_BREAK,
            }
    return text_of(codes[keep]), np.flatnonzero(keep)


def normalise_template(template: Template, whitespace: Whitespace, case: Case) -> Template:
    """The same for a template: its positions and the characters they allow."""
    # A character class is no white space, so any letter can stand for it here.
    shown = "".join(next(iter(position.allowed)) for position in template)
    plain, indices = normalise_text(shown, whitespace, case)
    return tuple(
        Position(" ", frozenset(" "))
        if char == " "
        else Position(template[index].shown, frozenset(fold(one, case) for one in template[index].allowed))
        for char, index in zip(plain, indices.tolist(), strict=True)
    )


def codes_of(text: str) -> NDArray[np.uint32]:
    """The code points of a text; a lone surrogate is one too."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def text_of(codes: NDArray[np.uint32]) -> str:
    return codes.tobytes().decode("utf-32-le", "surrogatepass")

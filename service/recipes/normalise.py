"""What counts as the same: only what a field states, plus one fold that is always on."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

from service.recipes.template import Position, Template

Whitespace = Literal["ignore", "collapse", "exact"]
Case = Literal["exact", "ignore"]

ROW_BREAK: Final = "\n"
"""Stands between the rows of a label; it is never ignored, so that no print runs over it."""


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


def normalise_text(chars: Sequence[str], whitespace: Whitespace, case: Case) -> list[tuple[str, int]]:
    """The characters that count, each with its index in `chars`."""
    kept: list[tuple[str, int]] = []
    for index, char in enumerate(chars):
        folded = fold(char, case)
        if folded.isspace() and folded != ROW_BREAK:
            if whitespace == "ignore" or (whitespace == "collapse" and (not kept or kept[-1][0].isspace())):
                continue
            folded = " "
        elif folded == ROW_BREAK and whitespace == "collapse" and kept and kept[-1][0] == " ":
            kept.pop()
        kept.append((folded, index))
    if whitespace == "collapse" and kept and kept[-1][0] == " ":
        kept.pop()
    return kept


def normalise_template(template: Template, whitespace: Whitespace, case: Case) -> Template:
    """The same for a template: its positions and the characters they allow."""
    # A character class is no white space, so any letter can stand for it here.
    shown = [next(iter(position.allowed)) for position in template]
    return tuple(
        Position(template[index].shown, frozenset(fold(char, case) for char in template[index].allowed))
        if not char.isspace()
        else Position(" ", frozenset(" "))
        for char, index in normalise_text(shown, whitespace, case)
    )

"""What counts as the same: only what the field states, plus one fold that is always on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.recipes.template import Position, Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.recipes.recipe import Case, Whitespace

# Unicode block "Halfwidth and Fullwidth Forms": FF01..FF5E are ASCII 21..7E, 3000 is the full-width space.
_FULL_WIDTH_FIRST: Final = 0xFF01
_FULL_WIDTH_LAST: Final = 0xFF5E
_FULL_WIDTH_OFFSET: Final = 0xFEE0
_FULL_WIDTH_SPACE: Final = "\u3000"


def fold_width(char: str) -> str:
    """The half-width form of a full-width character, any other unchanged.

    No wider compatibility fold: NFKC would make m² equal m2, a silent correction.
    """
    if char == _FULL_WIDTH_SPACE:
        return " "
    code = ord(char)
    return chr(code - _FULL_WIDTH_OFFSET) if _FULL_WIDTH_FIRST <= code <= _FULL_WIDTH_LAST else char


def fold_case(char: str) -> str:
    lowered = char.lower()
    return lowered if len(lowered) == 1 else char


def normalise_text(chars: Sequence[str], whitespace: Whitespace, case: Case) -> list[tuple[str, int]]:
    """The characters that count, each with its index in `chars`."""
    kept: list[tuple[str, int]] = []
    for index, char in enumerate(chars):
        folded = fold_width(char)
        if folded.isspace():
            if whitespace == "ignore" or (whitespace == "collapse" and (not kept or kept[-1][0] == " ")):
                continue
            folded = " "
        kept.append((fold_case(folded) if case == "ignore" else folded, index))
    if whitespace == "collapse" and kept and kept[-1][0] == " ":
        kept.pop()
    return kept


def normalise_template(template: Template, whitespace: Whitespace, case: Case) -> Template:
    """The same for a template: its positions and their allowed characters."""
    shown = ["".join(position.allowed) if len(position.allowed) == 1 else "\0" for position in template]
    kept = []
    for char, index in normalise_text(shown, whitespace, case):
        position = template[index]
        allowed = (
            {char}
            if char != "\0"
            else {fold_case(one) if case == "ignore" else one for one in position.allowed}
        )
        kept.append(Position(position.shown, frozenset(allowed)))
    return tuple(kept)

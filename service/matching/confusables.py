"""Pairs of characters that neither a camera nor a person can tell apart with certainty in a print.

Confused by shape in the fonts of coders and labels (OCR-B, dot matrix, sans serif). The groups follow the pairs that
Unicode's confusables list (UTS #39) holds for digits and Latin letters, and those that 5 x 7 dot matrices make alike.
"""

from __future__ import annotations

from typing import Final

GROUPS: Final = (
    "0OoQD",
    "1Il|!",
    "2Zz",
    "5Ss",
    "6Gb",
    "8B",
    "9gq",
    "4A",
    "7T",
    "VU",
    "vu",
    "cC",
    "kK",
    "pP",
    "wW",
    "xX",
)

_ALIKE: Final = frozenset(
    frozenset((first, second)) for group in GROUPS for first in group for second in group if first != second
)


def alike(first: str, second: str) -> bool:
    """Whether two different characters are a listed pair."""
    return frozenset((first, second)) in _ALIKE

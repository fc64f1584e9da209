"""Characters that neither a camera nor a person can tell apart with certainty in a print.

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

_ALIKE: Final = {
    char: frozenset(other for group in GROUPS if char in group for other in group if other != char)
    for char in "".join(GROUPS)
}


def look_alikes(char: str) -> frozenset[str]:
    """The characters listed as alike to one, without itself."""
    return _ALIKE.get(char, frozenset())

"""Characters that neither a camera nor a person can tell apart with certainty in a print.

The built-in groups hold what looks alike in the fonts of coders and labels (OCR-B, dot matrix, sans serif): the pairs of
Unicode's confusables list (UTS #39) among digits, Latin, Greek and Cyrillic letters, those that 5 x 7 dot matrices make
alike, and Chinese characters that differ in a stroke. A recipe may add groups of its own. Full-width forms need none:
they are folded before.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from service.recipes.normalise import Case, fold_text

GROUPS: Final = (
    # digits with letters
    "0OoQDОоΟοØø〇",
    "1Il|!ıІіΙι",
    "2Zz",
    "3ЗзЭэ",
    "5SsЅѕ",
    "6Gbб",
    "8BВβß",
    "9gq",
    "4A", "4ч",
    "7T",
    # letters of several scripts, and both cases of one shape
    "AАΑ", "aа", "BВΒ", "CcСсϹ", "EЕΕ", "eе", "HНΗ", "hһ", "JЈ", "jј", "KkКкΚκ", "MМΜ", "NΝ", "PpРрΡρ", "TТΤт", "UVυ",
    "uv", "Ww", "XxХхΧχ×", "YУΥ", "yу", "ZΖz", "iі", "rг", "nп", "mм", "uμµ",
    # marks
    "-‐‑‒–—−ー一", "·•∙・", "'’‘`´", '"“”″', "°º˚", "~∼〜",
    # Chinese characters that differ in a stroke or in its length
    "净凈浄", "己已巳", "未末", "日曰", "土士", "人入", "口囗", "大太犬", "干千于", "王玉主", "天夭", "田由甲申",
)  # fmt: skip


class Confusables:
    """Which characters are listed as alike; instances with equal groups are one."""

    def __init__(self, groups: Iterable[str]) -> None:
        self._alike: dict[str, frozenset[str]] = {}
        for group in groups:
            for char in group:
                self._alike[char] = self._alike.get(char, frozenset()) | (frozenset(group) - {char})

        self._ordered = {char: "".join(sorted(others)) for char, others in self._alike.items()}
        self._ascii = {char: "".join(filter(str.isascii, others)) for char, others in self._ordered.items()}

    def alike(self, char: str) -> frozenset[str]:
        """The characters listed as alike to one, without itself."""
        return self._alike.get(char, frozenset())

    def exchanges(self, char: str, *, only_ascii: bool) -> str:
        """The same, in a fixed order."""
        return (self._ascii if only_ascii else self._ordered).get(char, "")


@cache
def confusables(own: tuple[str, ...] = (), case: Case = "exact") -> Confusables:
    """The built-in groups and those of a recipe, as they are compared."""
    return Confusables(fold_text(group, case) for group in (*GROUPS, *own))

"""Regular expressions on RE2, whose time is linear in the text: no expression can stall an inspection."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import re2

from service.recipes.normalise import Case, Whitespace, fold_width


class Expression:
    """The expression of a field; it must match a print as a whole."""

    def __init__(self, text: str, case: Case) -> None:
        _compile(text, case)  # by itself first: brackets that only close within ours are no expression
        self._lines = _compile(f"(?m)^(?:{text})$", case)
        self._anywhere = _compile(f"(?:{text})", case)
        self.is_ascii = text.isascii()

    def matches(self, text: str) -> bool:
        return self._anywhere.fullmatch(text) is not None

    def found_in(self, text: str) -> list[int]:
        """Where parts of a text match that do not overlap; none reaches over a line break."""
        return [match.start() for match in self._anywhere.finditer(text)]

    def fitting(self, texts: Sequence[str]) -> list[int]:
        """Indices of the texts (without line breaks) that match as a whole; one call of RE2 for all of them."""
        starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
        found = self._lines.finditer("\n".join(texts))
        return [bisect_right(starts, match.start()) - 1 for match in found if match.end() > match.start()]


@lru_cache(maxsize=1024)
def compile_regex(text: str, whitespace: Whitespace, case: Case) -> Expression:
    """Compile the expression of a field; it is matched against normalised text.

    Raises:
        ValueError: RE2 does not accept it, it accepts the empty text and so would accept anything, or it can never
            match what it is given.
    """
    if text.startswith("^") or (text.endswith("$") and not text.endswith("\\$")):
        raise ValueError("leave out ^ and $: the whole print must match anyway")
    if "\\A" in text or "\\z" in text:
        raise ValueError("leave out \\A and \\z: the whole print must match anyway")
    if whitespace == "ignore" and (" " in text or "\\s" in text):
        raise ValueError("it asks for a space, but white space is ignored: leave it out, or set whitespace")
    if any(fold_width(char) != char for char in text):
        raise ValueError("it holds full-width forms, which are read as ordinary ones: write those")
    if "\\C" in text:
        raise ValueError("\\C matches half a character; use . for any character")
    expression = Expression(text, case)
    if expression.matches(""):
        raise ValueError("it matches the empty text, so it would accept anything")
    return expression


def _compile(text: str, case: Case) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = case == "exact"
    options.never_nl = True  # a print is searched for in one row: no class and no dot matches a break
    options.max_mem = 1 << 20
    try:
        return re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "unknown fault"
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"RE2 does not accept it: {reason}") from None

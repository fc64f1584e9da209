"""Regular expressions on RE2, whose time is linear in the text: no expression can stall an inspection."""

from __future__ import annotations

from typing import Any

import re2

from service.recipes.normalise import Case, Whitespace


def compile_regex(text: str, whitespace: Whitespace, case: Case) -> Any:
    """Compile the expression of a field; it is matched as a whole against normalised text.

    Raises:
        ValueError: RE2 does not accept it, it accepts the empty text and so would accept anything, or it can never
            match what it is given.
    """
    if text.startswith("^") or (text.endswith("$") and not text.endswith("\\$")):
        raise ValueError("leave out ^ and $: the whole print must match anyway")
    if whitespace == "ignore" and (" " in text or "\\s" in text):
        raise ValueError("it asks for a space, but white space is ignored: leave it out, or set whitespace")
    if "\\C" in text:
        raise ValueError("\\C matches half a character; use . for any character")
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = case == "exact"
    options.max_mem = 1 << 20
    try:
        compiled = re2.compile(f"(?:{text})", options)
    except re2.error as error:
        reason = error.args[0] if error.args else "unknown fault"
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"RE2 does not accept it: {reason}") from None
    if compiled.fullmatch(""):
        raise ValueError("it matches the empty text, so it would accept anything")
    return compiled

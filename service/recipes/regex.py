"""Regular expressions on RE2, whose time is linear in the text: no expression can stall an inspection."""

from __future__ import annotations

from typing import Any

import re2


def compile_regex(text: str, *, ignore_case: bool = False) -> Any:
    """Compile an expression.

    Raises:
        ValueError: RE2 does not accept it, or it matches the empty text and so would accept anything.
    """
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    options.max_mem = 1 << 20
    try:
        compiled = re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "unknown fault"
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"RE2 does not accept it: {reason}") from None
    if compiled.fullmatch(""):
        raise ValueError("it matches the empty text, so it would accept anything")
    return compiled


def escape(text: str) -> str:
    """A text as an RE2 expression that matches just it."""
    return "".join(char if char.isalnum() or char.isspace() else f"\\x{{{ord(char):x}}}" for char in text)

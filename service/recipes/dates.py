"""Dates as printed: formats as templates, and whether a date exists."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

from service.recipes.template import CLASSES, Position, Template, literal

TOKENS: Final[dict[str, str]] = {
    "YYYY": "year with century",
    "YY": "year of this century",
    "MMM": "month name, English, three letters",
    "MM": "month",
    "DDD": "day of the year",
    "DD": "day",
}
MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")

_PART: Final = re.compile("|".join(TOKENS) + "|.", re.DOTALL)
_COMBINATIONS: Final = ("D M Y", "M Y", "J Y")
_KINDS: Final = {"YYYY": "Y", "YY": "Y", "MMM": "M", "MM": "M", "DDD": "J", "DD": "D"}


def date_template(format_: str) -> Template:
    """Template of a date format such as `DD/MM/YY`, `YYYY.MM.DD`, `DD MMM YYYY`, `MM/YY` or `YYDDD`.

    Raises:
        ValueError: its tokens name no date.
    """
    positions: list[Position] = []
    for token in _tokens(format_):
        if token in TOKENS:
            kind = "letter" if token == "MMM" else "digit"  # noqa: S105 (a part of a date)
            positions += [Position(f"{{{kind}}}", CLASSES[kind])] * len(token)
        else:
            positions += literal(token)
    return tuple(positions)


def printed_length(format_: str) -> int:
    """Characters of a date in this format, white space not counted."""
    return sum(map(len, _printed_tokens(format_)))


def date_fault(text: str, format_: str) -> str | None:
    """Why a text that fits `format_` character by character is no date of the calendar; None if it is one.

    White space is left out of `text` and does not count in `format_`: readers do not keep it reliably. A two-digit year
    is of this century (labels state the near future); a month and year alone need an existing month.
    """
    parts: dict[str, str] = {}
    at = 0
    for token in _printed_tokens(format_):
        if token in TOKENS:
            parts[token] = text[at : at + len(token)]
        at += len(token)
    year = int(parts["YYYY"]) if "YYYY" in parts else 2000 + int(parts["YY"])
    if year < dt.MINYEAR:
        return f"there is no year {year}"
    if "DDD" in parts:
        days = dt.date(year, 12, 31).timetuple().tm_yday
        return None if 1 <= int(parts["DDD"]) <= days else f"{year} has no day {parts['DDD']}"
    name = parts.get("MMM", "").upper()
    if name and name not in MONTHS:
        return f"{parts['MMM']} is no month"
    month = MONTHS.index(name) + 1 if name else int(parts["MM"])
    if not 1 <= month <= 12:
        return f"there is no month {parts['MM']}"
    try:
        dt.date(year, month, int(parts.get("DD", 1)))
    except ValueError:
        return f"{MONTHS[month - 1]} {year} has no day {parts['DD']}"
    return None


def _printed_tokens(format_: str) -> list[str]:
    return [token for token in _tokens(format_) if not token.isspace()]


def _tokens(format_: str) -> list[str]:
    tokens: list[str] = _PART.findall(format_)
    kinds = sorted(_KINDS[token] for token in tokens if token in TOKENS)
    stray = [token for token in tokens if token in {"D", "M", "Y"}]
    if " ".join(kinds) not in _COMBINATIONS or stray:
        raise ValueError(
            f"{format_!r} names no date: it takes day, month and year (DD MM YY), month and year (MM/YY) "
            "or day of the year and year (YYDDD)"
        )
    return tokens

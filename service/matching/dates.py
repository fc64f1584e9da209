"""Dates as printed."""

from __future__ import annotations

import datetime as dt
from typing import Final

from service.recipes.template import DATE_TOKENS, date_tokens

MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


def date_fault(text: str, format_: str) -> str | None:
    """Why a text that fits `format_` character by character is no date of the calendar; None if it is one.

    White space is left out of `text` and does not count in `format_`: readers do not keep it reliably. A two-digit year is of this century (labels state the near future); a month and year alone need an existing month.
    """
    parts: dict[str, str] = {}
    at = 0
    for token in _printed_tokens(format_):
        if token in DATE_TOKENS:
            parts[token] = text[at : at + len(token)]
        at += len(token)
    year = int(parts["YYYY"]) if "YYYY" in parts else 2000 + int(parts["YY"])
    if year < dt.MINYEAR:
        return f"there is no year {year}"
    if "DDD" in parts:
        days = 366 if dt.date(year, 12, 31).timetuple().tm_yday == 366 else 365
        return None if 1 <= int(parts["DDD"]) <= days else f"{year} has no day {parts['DDD']}"
    if "MMM" in parts:
        if parts["MMM"].upper() not in MONTHS:
            return f"{parts['MMM']} is no month"
        month = MONTHS.index(parts["MMM"].upper()) + 1
    else:
        month = int(parts["MM"])
        if not 1 <= month <= 12:
            return f"there is no month {parts['MM']}"
    if "DD" in parts:
        try:
            dt.date(year, month, int(parts["DD"]))
        except ValueError:
            return f"{dt.date(year, month, 1):%B %Y} has no day {parts['DD']}"
    return None


def printed_length(format_: str) -> int:
    """Characters of a date in this format, white space not counted."""
    return sum(map(len, _printed_tokens(format_)))


def _printed_tokens(format_: str) -> list[str]:
    return [token for token in date_tokens(format_) if not token.isspace()]

"""Dates as printed: formats as templates, what a printed date means, and whether it exists."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from service.recipes.template import CLASSES, Position, Template, literal

TOKENS: Final[dict[str, str]] = {
    "YYYY": "year with century",
    "YY": "year without century",
    "MMM": "name of the month",
    "MM": "month",
    "DDD": "day of the year",
    "DD": "day",
}
GS1: Final = "GS1"
"""Format of the GS1 application identifiers for dates: YYMMDD, where day 00 is the last of the month."""

# As coders print them: three letters, no accents.
MONTHS: Final[dict[str, tuple[str, ...]]] = {
    language: tuple(names.split())
    for language, names in {
        "en": "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC",
        "de": "JAN FEB MRZ APR MAI JUN JUL AUG SEP OKT NOV DEZ",
        "fr": "JAN FEV MAR AVR MAI JUN JUL AOU SEP OCT NOV DEC",
        "es": "ENE FEB MAR ABR MAY JUN JUL AGO SEP OCT NOV DIC",
        "it": "GEN FEB MAR APR MAG GIU LUG AGO SET OTT NOV DIC",
        "pt": "JAN FEV MAR ABR MAI JUN JUL AGO SET OUT NOV DEZ",
        "nl": "JAN FEB MRT APR MEI JUN JUL AUG SEP OKT NOV DEC",
        "pl": "STY LUT MAR KWI MAJ CZE LIP SIE WRZ PAZ LIS GRU",
        "sv": "JAN FEB MAR APR MAJ JUN JUL AUG SEP OKT NOV DEC",
    }.items()
}

_PART: Final = re.compile("|".join(TOKENS) + "|.", re.DOTALL)
_COMBINATIONS: Final = ("D M Y", "M Y", "J Y")
_KINDS: Final = {"YYYY": "Y", "YY": "Y", "MMM": "M", "MM": "M", "DDD": "J", "DD": "D"}


def date_template(format_: str, months: Sequence[str] = MONTHS["en"]) -> Template:
    """Template of a date format such as `DD/MM/YY`, `YYYY.MM.DD`, `DD MMM YYYY`, `MM/YY`, `YYDDD` or `GS1`.

    A position of a month's name allows the letters that any of the names has there.

    Raises:
        ValueError: its tokens name no date.
    """
    positions: list[Position] = []
    for token in _tokens(format_):
        if token == "MMM":  # noqa: S105 (a part of a date)
            positions += [Position("{letter}", frozenset(letters)) for letters in zip(*months, strict=True)]
        elif token in TOKENS:
            positions += [Position("{digit}", CLASSES["digit"])] * len(token)
        else:
            positions += literal(token)
    return tuple(positions)


def printed_length(format_: str, months: Sequence[str] = MONTHS["en"]) -> int:
    """Characters of a date in this format, white space not counted."""
    return sum(_length(token, months) for token in _printed_tokens(format_))


def print_date(date: dt.date, format_: str, months: Sequence[str] = MONTHS["en"]) -> str:
    """A date as it is printed."""
    parts = {
        "YYYY": f"{date.year:04}",
        "YY": f"{date.year % 100:02}",
        "MMM": months[date.month - 1],
        "MM": f"{date.month:02}",
        "DDD": f"{date.timetuple().tm_yday:03}",
        "DD": f"{date.day:02}",
    }
    return "".join(parts.get(token, token) for token in _tokens(format_))


def read_date(text: str, format_: str, today: dt.date, months: Sequence[str] = MONTHS["en"]) -> dt.date:
    """The date that a text states which fits `format_` character by character.

    White space is left out of `text` and does not count in `format_`: readers do not keep it reliably. A month without a
    day means its last day, as on a best-before date.

    Raises:
        ValueError: there is no such date.
    """
    parts: dict[str, str] = {}
    at = 0
    for token in _printed_tokens(format_):
        length = _length(token, months)
        if token in TOKENS:
            parts[token] = text[at : at + length]
        at += length
    year = int(parts["YYYY"]) if "YYYY" in parts else _with_century(int(parts["YY"]), today)
    if year < dt.MINYEAR:
        raise ValueError(f"there is no year {year}")
    if "DDD" in parts:
        days = 366 if calendar.isleap(year) else 365
        if not 1 <= int(parts["DDD"]) <= days:
            raise ValueError(f"{year} has no day {parts['DDD']}")
        return dt.date(year, 1, 1) + dt.timedelta(int(parts["DDD"]) - 1)
    if "MMM" in parts:
        month = _month(parts["MMM"], months)
    else:
        month = int(parts["MM"])
        if not 1 <= month <= 12:
            raise ValueError(f"there is no month {parts['MM']}")
    last = calendar.monthrange(year, month)[1]
    day = int(parts.get("DD", last))
    if day == 0 and format_ == GS1:
        day = last
    if not 1 <= day <= last:
        raise ValueError(f"{MONTHS['en'][month - 1]} {year} has no day {parts['DD']}")
    return dt.date(year, month, day)


def add_months(date: dt.date, months: int) -> dt.date:
    """The same day of another month, or its last day where it has no such day."""
    year, month = divmod(date.year * 12 + date.month - 1 + months, 12)
    return dt.date(year, month + 1, min(date.day, calendar.monthrange(year, month + 1)[1]))


def _with_century(two_digits: int, today: dt.date) -> int:
    """The year within 49 years before and 50 years after today (GS1 General Specifications, section 7.12)."""
    year = today.year - today.year % 100 + two_digits
    if year - today.year > 50:
        return year - 100
    return year + 100 if today.year - year > 49 else year


def _month(name: str, months: Sequence[str]) -> int:
    found = [number for number, one in enumerate(months, 1) if one.lower() == name.lower()]
    if not found:
        raise ValueError(f"{name} is no month")
    return found[0]


def _length(token: str, months: Sequence[str]) -> int:
    return len(months[0]) if token == "MMM" else len(token)  # noqa: S105 (a part of a date)


def _printed_tokens(format_: str) -> list[str]:
    return [token for token in _tokens(format_) if not token.isspace()]


@lru_cache(maxsize=256)
def _tokens(format_: str) -> list[str]:
    tokens: list[str] = _PART.findall("YYMMDD" if format_ == GS1 else format_)
    kinds = sorted(_KINDS[token] for token in tokens if token in TOKENS)
    stray = [token for token in tokens if token in {"D", "M", "Y"}]
    if " ".join(kinds) not in _COMBINATIONS or stray:
        raise ValueError(
            f"{format_!r} names no date: it takes day, month and year (DD MM YY), month and year (MM/YY), "
            f"day of the year and year (YYDDD), or {GS1}"
        )
    return tokens

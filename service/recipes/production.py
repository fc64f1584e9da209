"""When a part was made: production date, shift, and dates computed from them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal
from zoneinfo import ZoneInfo

from service.recipes.dates import add_months

PRODUCTION_DATE: Final = "production_date"
SHIFT: Final = "shift"

Source = Literal["expected", "captured_at", "received_at"]

_EXPRESSION: Final = re.compile(r"\s*([a-z][a-z0-9_]*)((?:\s*[+-]\s*\d{1,5}[dwmy])*)\s*")
_TERM: Final = re.compile(r"([+-])\s*(\d+)([dwmy])")


@dataclass(frozen=True, slots=True)
class Clock:
    """How a production line counts its days. `shifts` begin at minutes after midnight, the first one begins the day."""

    timezone: str
    shifts: tuple[tuple[str, int], ...] = ()

    def at(self, moment: dt.datetime) -> tuple[dt.date, str | None]:
        """Production date and shift of a moment: what is made before the first shift begins belongs to the day before."""
        local = moment.astimezone(ZoneInfo(self.timezone))
        minute = local.hour * 60 + local.minute
        date = local.date()
        if not self.shifts:
            return date, None
        day_begins = self.shifts[0][1]
        if minute < day_begins:
            date -= dt.timedelta(1)
        since = (minute - day_begins) % 1440
        running = [name for name, begin in self.shifts if (begin - day_begins) % 1440 <= since]
        return date, running[-1]


@dataclass(frozen=True, slots=True)
class Production:
    """The production date that an inspection was judged by, and where it came from."""

    date: dt.date
    shift: str | None
    source: Source


@dataclass(frozen=True, slots=True)
class DateExpression:
    """A date given by name, and what is added to it: `production_date + 180d`."""

    base: str
    terms: tuple[tuple[int, str], ...]

    def on(self, dates: Mapping[str, dt.date]) -> dt.date:
        """The date that it means; a month later is the same day or the last of its month.

        Raises:
            ValueError: it lies outside of the calendar.
        """
        date = dates[self.base]
        try:
            for count, unit in self.terms:
                if unit in "my":
                    date = add_months(date, count * (12 if unit == "y" else 1))
                else:
                    date += dt.timedelta(count * (7 if unit == "w" else 1))
        except (OverflowError, ValueError):
            raise ValueError(f"{self.base} {date} leads out of the calendar") from None
        return date


def date_expression(text: str) -> DateExpression:
    """Parse `NAME`, or `NAME + 180d`: any number of days, weeks, months or years (`d w m y`), added or taken away.

    Raises:
        ValueError: it is none.
    """
    found = _EXPRESSION.fullmatch(text)
    if found is None:
        raise ValueError(
            f"{text!r} is no date: write production_date, or the name of a value, and what is added: production_date + 180d"
        )
    terms = tuple((int(sign + count), unit) for sign, count, unit in _TERM.findall(found[2]))
    return DateExpression(found[1], terms)

"""Numbers that go on from part to part: counters, gaps, and what must not come twice. Pure values."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Final

_NUMBER: Final = re.compile(r"(\d+)\D*$", re.ASCII)


@dataclass(frozen=True, slots=True)
class SequenceRule:
    """`step` is what the number at the end of a print grows by from part to part, `max_gap` how many may be missing.

    After the last number of a series, `restart_at` begins the next. A print must not come a second time `unique_within`
    a time.
    """

    step: int | None = None
    max_gap: int = 0
    restart_at: int | None = None
    unique_within: dt.timedelta | None = None

    def fault(self, value: str, last: str | None) -> str | None:
        """Why a value does not follow the last one of its station; None if it does."""
        if self.step is None or last is None:
            return None
        number, before = number_of(value), number_of(last)
        if number is None or before is None or number == self.restart_at:
            return None
        steps, rest = divmod(number - before, self.step)
        if rest or steps < 1:
            return f"{value!r} does not follow {last!r}"
        if steps - 1 > self.max_gap:
            return f"{steps - 1} missing between {last!r} and {value!r}"
        return None


def number_of(value: str) -> int | None:
    """The number at the end of a print, such as 123 of SN00123-A."""
    found = _NUMBER.search(value)
    return int(found[1]) if found else None

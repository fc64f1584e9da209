"""Where hours, days and shifts begin in a plant's time zone. Pure values."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from enum import Enum
from typing import Final
from zoneinfo import ZoneInfo

from service.recipes.production import Clock

_OFFSETS_MINUTES: Final = 15  # every time zone of today is a multiple of it away from UTC


class Bucket(str, Enum):
    MINUTE = "minute"
    HOUR = "hour"
    SHIFT = "shift"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class Start:
    """When a bucket begins, in the plant's time, and the shift's name if it is one."""

    at: dt.datetime
    shift: str | None = None


@dataclass(frozen=True, slots=True)
class Calendar:
    """A plant's time zone and its shifts, which begin at minutes after midnight."""

    timezone: str
    shifts: tuple[tuple[str, int], ...] = ()

    def step(self, bucket: Bucket) -> int:
        """Into how many minutes counts may be taken together so that none lies in two buckets."""
        if bucket is Bucket.MINUTE:
            return 1
        begins = [begin for _, begin in self.shifts] if bucket is Bucket.SHIFT else []
        return math.gcd(_OFFSETS_MINUTES, *begins)

    def start(self, bucket: Bucket, moment: dt.datetime) -> Start:
        """The bucket in which a moment lies.

        Hours are those of the clock on the wall: the one that comes twice in autumn is two buckets, told apart by
        their offset; days and shifts have the length that they have, 23 and 25 hours too.
        """
        zone = ZoneInfo(self.timezone)
        local = moment.astimezone(zone)
        if bucket is Bucket.MINUTE:
            return Start(_fixed(local.replace(second=0, microsecond=0)))
        if bucket is Bucket.HOUR:
            return Start(_fixed(local.replace(minute=0, second=0, microsecond=0)))
        if bucket is Bucket.DAY or not self.shifts:
            return Start(_fixed(local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)))
        date, shift = Clock(self.timezone, self.shifts).at(moment)
        begin = dict(self.shifts)[shift or ""]
        day_begins = self.shifts[0][1]
        midnight = dt.datetime.combine(date, dt.time())
        wall = midnight + dt.timedelta(minutes=day_begins + (begin - day_begins) % 1440)
        return Start(_fixed(wall.replace(tzinfo=zone)), shift)


def _fixed(local: dt.datetime) -> dt.datetime:
    """The same time with its offset alone: two times of one zone are equal to Python if their clocks show the same."""
    return local.replace(tzinfo=dt.timezone(local.utcoffset() or dt.timedelta(0)))

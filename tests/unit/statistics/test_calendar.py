from __future__ import annotations

import datetime as dt

import pytest

from service.statistics.calendar import Bucket, Calendar

SHIFTS = (("early", 6 * 60), ("late", 14 * 60), ("night", 22 * 60))
BERLIN = Calendar("Europe/Berlin", SHIFTS)


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.timezone.utc)


@pytest.mark.parametrize(
    ("moment", "start", "shift"),
    [
        ("2026-12-01T04:59", "2026-11-30T22:00:00+01:00", "night"),  # of the day before
        ("2026-12-01T05:00", "2026-12-01T06:00:00+01:00", "early"),
        ("2026-12-01T20:59", "2026-12-01T14:00:00+01:00", "late"),
        ("2026-12-01T23:30", "2026-12-01T22:00:00+01:00", "night"),  # across midnight
        ("2026-12-02T00:30", "2026-12-01T22:00:00+01:00", "night"),
        ("2026-03-29T03:59", "2026-03-28T22:00:00+01:00", "night"),  # 7 hours: the clock is put forward
        ("2026-03-29T04:00", "2026-03-29T06:00:00+02:00", "early"),
        ("2026-10-25T04:59", "2026-10-24T22:00:00+02:00", "night"),  # 9 hours
        ("2026-10-25T05:00", "2026-10-25T06:00:00+01:00", "early"),
    ],
)
def test_shifts(moment: str, start: str, shift: str) -> None:
    found = BERLIN.start(Bucket.SHIFT, utc(moment))
    assert (found.at.isoformat(), found.shift) == (start, shift)


@pytest.mark.parametrize(
    ("timezone", "moment", "start"),
    [
        ("Europe/Berlin", "2026-10-25T00:30", "2026-10-25T02:00:00+02:00"),
        (
            "Europe/Berlin",
            "2026-10-25T01:30",
            "2026-10-25T02:00:00+01:00",
        ),  # the same hour on the wall, a second time
        ("Europe/Berlin", "2026-03-29T01:10", "2026-03-29T03:00:00+02:00"),
        ("Asia/Kolkata", "2026-12-01T10:20", "2026-12-01T15:00:00+05:30"),
        ("Asia/Kathmandu", "2026-12-01T10:20", "2026-12-01T16:00:00+05:45"),
    ],
)
def test_hours(timezone: str, moment: str, start: str) -> None:
    assert Calendar(timezone).start(Bucket.HOUR, utc(moment)).at.isoformat() == start


def test_days_and_minutes() -> None:
    day = BERLIN.start(Bucket.DAY, utc("2026-10-25T22:59")).at
    assert day.isoformat() == "2026-10-25T00:00:00+02:00"
    assert BERLIN.start(Bucket.DAY, utc("2026-10-25T23:00")).at.isoformat() == "2026-10-26T00:00:00+01:00"
    minute = BERLIN.start(Bucket.MINUTE, utc("2026-12-01T10:20:59")).at
    assert minute.isoformat() == "2026-12-01T11:20:00+01:00"


def test_without_shifts_a_shift_is_a_day() -> None:
    found = Calendar("UTC").start(Bucket.SHIFT, utc("2026-12-01T10:20"))
    assert (found.at.isoformat(), found.shift) == ("2026-12-01T00:00:00+00:00", None)


def test_no_step_lies_in_two_buckets() -> None:
    assert BERLIN.step(Bucket.MINUTE) == 1
    assert BERLIN.step(Bucket.HOUR) == BERLIN.step(Bucket.SHIFT) == 15
    odd = Calendar("Asia/Kathmandu", (("a", 6 * 60 + 10), ("b", 18 * 60)))
    assert odd.step(Bucket.SHIFT) == 5
    for calendar in (BERLIN, odd):
        for bucket in Bucket:
            step = calendar.step(bucket)
            for minute in range(29_900_000, 29_903_000):
                first = dt.datetime.fromtimestamp(minute // step * step * 60, dt.timezone.utc)
                moment = dt.datetime.fromtimestamp(minute * 60, dt.timezone.utc)
                assert calendar.start(bucket, moment) == calendar.start(bucket, first)

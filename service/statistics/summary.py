"""Yields, defects by frequency, trends and scores, out of counts. Pure functions."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from service.statistics.calendar import Bucket, Calendar, Start


@dataclass(slots=True)
class Counts:
    """Inspections by verdict, and what people made of them."""

    passed: int = 0
    failed: int = 0
    review: int = 0
    confirmed: int = 0
    false_rejects: int = 0
    escapes: int = 0
    corrected: int = 0
    """By how many good labels reviews have changed the number of those that passed."""

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.review

    @property
    def first_pass_yield(self) -> float | None:
        """Share of what passed by itself; None without an inspection."""
        return self.passed / self.total if self.total else None

    @property
    def reviewed_yield(self) -> float | None:
        """Share of what was good after people had looked at it."""
        return (self.passed + self.corrected) / self.total if self.total else None

    def add(self, name: str, count: int, total: float) -> None:
        """`name` is a verdict, or the outcome of a review; `total` is what reviews change the number of good labels by."""
        self.corrected += round(total)
        attribute = _ATTRIBUTES[name]
        setattr(self, attribute, getattr(self, attribute) + count)


_ATTRIBUTES = {
    "PASS": "passed",
    "FAIL": "failed",
    "REVIEW": "review",
    "confirmed": "confirmed",
    "false_reject": "false_rejects",
    "escape": "escapes",
}


@dataclass(frozen=True, slots=True)
class DefectShare:
    """One bar of a Pareto chart: how often a defect came, its share of all, and that of it and all before it."""

    code: str
    field: str | None
    count: int
    share: float
    cumulative: float


@dataclass(frozen=True, slots=True)
class FieldScore:
    """Mean score of a field's weakest characters in a bucket; it falls before labels are misread."""

    start: Start
    recipe_version: int
    field: str
    count: int
    mean: float


def counts_by(rows: Iterable[tuple[Any, ...]]) -> dict[Any, Counts]:
    """Rows of key, verdict or review outcome, count, and what good labels change by."""
    found: defaultdict[Any, Counts] = defaultdict(Counts)
    for key, name, count, total in rows:
        found[key].add(name, count, total)
    return dict(found)


def pareto(rows: Iterable[tuple[str, str, int]]) -> list[DefectShare]:
    """Rows of code, field and count, the most frequent first."""
    ordered = sorted(rows, key=lambda row: (-row[2], row[0], row[1]))
    total = sum(count for _, _, count in ordered)
    bars, sum_so_far = [], 0
    for code, field, count in ordered:
        sum_so_far += count
        bars.append(DefectShare(code, field or None, count, count / total, sum_so_far / total))
    return bars


def trend(rows: Iterable[tuple[Any, ...]], calendar: Calendar, bucket: Bucket) -> list[tuple[Start, Counts]]:
    """Rows of minute and then as for `counts_by`; buckets in which nothing was inspected are left out."""
    starts = _Starts(calendar, bucket)
    counts = counts_by((starts[row[0]], *row[1:]) for row in rows)
    return sorted(counts.items(), key=lambda item: item[0].at)


def scores(
    rows: Sequence[tuple[int, int, str, int, float]], calendar: Calendar, bucket: Bucket
) -> list[FieldScore]:
    """Rows of minute, recipe version, field, count and sum of scores."""
    starts = _Starts(calendar, bucket)
    counts: defaultdict[tuple[Start, int, str], int] = defaultdict(int)
    totals: defaultdict[tuple[Start, int, str], float] = defaultdict(float)
    for minute, version, field, count, total in rows:
        counts[starts[minute], version, field] += count
        totals[starts[minute], version, field] += total
    found = [FieldScore(*key, count, totals[key] / count) for key, count in counts.items() if count]
    return sorted(found, key=lambda one: (one.start.at, one.recipe_version, one.field))


class _Starts(dict[int, Start]):
    """The bucket of each minute, computed once."""

    def __init__(self, calendar: Calendar, bucket: Bucket) -> None:
        self._calendar, self._bucket = calendar, bucket

    def __missing__(self, minute: int) -> Start:
        moment = dt.datetime.fromtimestamp(minute * 60, dt.timezone.utc)
        self[minute] = self._calendar.start(self._bucket, moment)
        return self[minute]

from __future__ import annotations

import pytest

from service.statistics.calendar import Bucket, Calendar
from service.statistics.summary import Counts, counts_by, pareto, scores, trend

MIDNIGHT = 29_901_600  # 2026-11-07T00:00Z, in minutes


def test_yields() -> None:
    counts = counts_by(
        [
            (None, "PASS", 90, 0.0),
            (None, "FAIL", 8, 0.0),
            (None, "REVIEW", 2, 0.0),
            (None, "false_reject", 3, 3.0),
            (None, "escape", 1, -1.0),
            (None, "escape", 1, 0.0),  # of a REVIEW that was not rejected
        ]
    )[None]
    assert (counts.total, counts.first_pass_yield, counts.reviewed_yield) == (100, 0.9, 0.92)
    assert (Counts().first_pass_yield, Counts().reviewed_yield) == (None, None)


def test_pareto() -> None:
    bars = pareto(
        [("MISSING", "lot", 1), ("MISMATCH", "lot", 6), ("MISMATCH", "date", 2), ("NOTHING_READ", "", 1)]
    )
    assert [(bar.code, bar.field, bar.count) for bar in bars] == [
        ("MISMATCH", "lot", 6), ("MISMATCH", "date", 2), ("MISSING", "lot", 1), ("NOTHING_READ", None, 1),
    ]  # fmt: skip
    assert [bar.cumulative for bar in bars] == pytest.approx([0.6, 0.8, 0.9, 1.0])
    assert pareto([]) == []


def test_trend() -> None:
    rows = [
        (MIDNIGHT + 75, "PASS", 2, 0.0),
        (MIDNIGHT, "PASS", 1, 0.0),
        (MIDNIGHT + 59, "FAIL", 3, 0.0),
        (MIDNIGHT + 60, "REVIEW", 1, 0.0),
    ]
    found = trend(rows, Calendar("UTC"), Bucket.HOUR)
    assert [(start.at.hour, counts.passed, counts.failed, counts.review) for start, counts in found] == [
        (0, 1, 3, 0),
        (1, 2, 0, 1),
    ]


def test_scores() -> None:
    rows = [
        (MIDNIGHT, 1, "lot", 2, 1.8),
        (MIDNIGHT + 15, 1, "lot", 2, 1.6),
        (MIDNIGHT + 60, 1, "lot", 1, 0.5),
        (MIDNIGHT, 2, "lot", 0, 0.0),
    ]
    found = scores(rows, Calendar("UTC"), Bucket.HOUR)
    assert [(one.start.at.hour, one.count, one.mean) for one in found] == [
        (0, 4, pytest.approx(0.85)),
        (1, 1, 0.5),
    ]


def test_the_hour_that_comes_twice_is_two() -> None:
    first = 29_881_440  # 2026-10-25T00:00Z: 02:00 in Berlin, as an hour later again
    rows = [(first, "PASS", 3, 0.0), (first + 60, "PASS", 5, 0.0)]
    found = trend(rows, Calendar("Europe/Berlin"), Bucket.HOUR)
    assert [(start.at.isoformat(), counts.passed) for start, counts in found] == [
        ("2026-10-25T02:00:00+02:00", 3),
        ("2026-10-25T02:00:00+01:00", 5),
    ]

"""What the store does at the volume of a plant: how long queries take among many rows, and how many inserts it takes.

Inserts are compared with the same inserts of one commit each, in alternating rounds.
"""

from __future__ import annotations

import datetime as dt
import re
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from uuid_utils import uuid7

from models.bench.plant import RECIPES, STATIONS
from service.db import writer as db_writer
from service.db.engine import transaction
from service.db.writer import GroupWriter
from service.inspections.export import csv_lines
from service.inspections.inspection import Inspection
from service.inspections.repository import Filter, InspectionRepository, ReviewState
from service.matching.outcome import DefectCode, Verdict
from service.recipes.tables import RecipeVersionRow
from service.stations.tables import StationRow
from service.statistics.calendar import Bucket, Calendar
from service.statistics.repository import Scope, StatisticsRepository, write_pending
from service.statistics.summary import pareto, scores, trend

HEADINGS: Final = {"postgresql": "### PostgreSQL", "sqlite": "### SQLite"}
RUNS: Final = 9
PAGE: Final = 51
THREADS: Final = 16
SECONDS: Final = 5.0
ROUNDS: Final = 3
_SHIFTS: Final = Calendar("Europe/Berlin", (("early", 360), ("late", 840), ("night", 1320)))


@dataclass(frozen=True, slots=True)
class Timed:
    """A query: milliseconds, median and longest of the runs, after one that is not counted."""

    what: str
    found: int
    median_ms: float
    longest_ms: float


@dataclass(frozen=True, slots=True)
class Inserted:
    """Inserts of many threads: a second, and milliseconds that each waited for its commit."""

    how: str
    a_second: float
    median_ms: float
    p99_ms: float


def count_rows(engine: sa.Engine) -> int:
    """As the statistics know it: counting 10 million rows one by one takes longer than a statement may."""
    always = Scope(
        dt.datetime(2000, 1, 1, tzinfo=dt.timezone.utc), dt.datetime(2100, 1, 1, tzinfo=dt.timezone.utc)
    )
    return sum(count for _, count, _ in StatisticsRepository(engine).sums(["verdict"], always, ["name"]))


def is_made_up(engine: sa.Engine) -> bool:
    """Whether a database holds nothing but what the bench has written: others are not touched."""
    with transaction(engine) as session:
        stations = session.scalars(sa.select(StationRow.id).order_by(StationRow.id))
        versions = session.scalars(sa.select(RecipeVersionRow.name).limit(1))
        return list(stations) == sorted(STATIONS) and versions.first() is None


def measure_queries(engine: sa.Engine) -> list[Timed]:
    """Through the repositories, as the handlers call them."""
    return [_time(what, query) for what, query in _queries(engine)]


def _queries(engine: sa.Engine) -> Iterator[tuple[str, Callable[[], int]]]:
    inspections = InspectionRepository(engine, GroupWriter(engine, before_commit=write_pending))
    counted = StatisticsRepository(engine)
    (newest,) = inspections.page(Filter(), before=None, limit=1)
    now = newest.received_at + dt.timedelta(milliseconds=1)
    shift = Scope(now - dt.timedelta(hours=8), now)
    week = Scope(now - dt.timedelta(days=7), now)
    lot = newest.submission.expected["lot"]
    in_shift = Filter(since=shift.since, until=shift.until)

    def page(wanted: Filter, before: str | None = None) -> Callable[[], int]:
        return lambda: len(inspections.page(wanted, before=before, limit=PAGE))

    old = inspections.page(Filter(until=now - dt.timedelta(hours=12)), before=None, limit=1)
    yield "page: newest", page(Filter())
    yield "page: 12 hours back", page(Filter(), before=old[0].id if old else None)
    yield "page: one shift, FAIL", page(replace(in_shift, verdict=Verdict.FAIL))
    yield (
        "page: one shift, station and FAIL",
        page(replace(in_shift, verdict=Verdict.FAIL, station_id=STATIONS[3])),
    )
    yield "page: verdict FAIL", page(Filter(verdict=Verdict.FAIL))
    yield "page: recipe", page(Filter(recipe=RECIPES[1]))
    yield "page: station and REVIEW", page(Filter(station_id=STATIONS[3], verdict=Verdict.REVIEW))
    yield "page: station and recipe that never met", page(Filter(station_id=STATIONS[3], recipe=RECIPES[0]))
    yield "page: part", page(Filter(part_id=newest.submission.part_id))
    yield "page: defect MISMATCH", page(Filter(defect=DefectCode.MISMATCH))
    yield "page: defect DUPLICATE (2 in 100,000)", page(Filter(defect=DefectCode.DUPLICATE))
    yield "page: open reviews", page(Filter(review=ReviewState.OPEN))
    yield "page: overruled", page(Filter(review=ReviewState.FALSE_REJECT))
    yield "page: text of one label", page(Filter(text=(newest.submission.part_id or "").replace("P", "SN")))
    yield "page: text of one lot", page(Filter(text=lot))
    yield "page: text on every label", page(Filter(text="refrigerated"))
    yield "page: text on no label", page(Filter(text="no such text"))
    yield (
        "table (CSV): 10,000 rows of one shift",
        lambda: sum(piece.count("\n") for piece in islice(csv_lines(inspections, in_shift), 10)),
    )
    yield (
        "statistics: yield, trend by hour and defects, one shift",
        lambda: _statistics(counted, shift, Bucket.HOUR),
    )
    yield (
        "statistics: yield, trend by shift and defects, a week",
        lambda: _statistics(counted, week, Bucket.SHIFT),
    )
    yield "statistics: one shift by minute", lambda: _statistics(counted, shift, Bucket.MINUTE)
    yield (
        "statistics: one shift by line",
        lambda: len(counted.sums(["verdict", "review"], shift, ["line", "name"])),
    )
    drift = replace(shift, recipe=RECIPES[0])
    yield (
        "statistics: scores of a recipe's fields, one shift",
        lambda: len(
            scores(
                counted.sums(["score"], drift, ["minute", "recipe_version", "field"], 15),
                _SHIFTS,
                Bucket.HOUR,
            )
        ),
    )
    yield (
        "statistics: parts in a row, 10 stations",
        lambda: sum(inspections.streak(name).count for name in STATIONS),
    )


def _statistics(counted: StatisticsRepository, scope: Scope, bucket: Bucket) -> int:
    rows = counted.sums(["verdict", "review"], scope, ["minute", "name"], _SHIFTS.step(bucket))
    defects = counted.sums(["defect"], scope, ["name", "field"])
    bars = pareto((code, field, count) for code, field, count, _ in defects)
    return len(trend(rows, _SHIFTS, bucket)) + len(bars)


def _time(what: str, query: Callable[[], int]) -> Timed:
    found, spent = query(), []
    for _ in range(RUNS):
        started = time.perf_counter()
        query()
        spent.append(1000 * (time.perf_counter() - started))
    return Timed(what, found, statistics.median(spent), max(spent))


def measure_inserts(engine: sa.Engine) -> list[Inserted]:
    """Each thread stores one inspection after the other, in alternating rounds with grouped and single commits."""
    writer = GroupWriter(engine, before_commit=write_pending)
    inspections = InspectionRepository(engine, writer)
    (example,) = inspections.page(Filter(verdict=Verdict.PASS), before=None, limit=1)
    waits: dict[str, list[float]] = {"grouped": [], "one commit each": []}
    for _ in range(ROUNDS):
        waits["grouped"] += _insert(inspections, example)
        with _groups_of_one():
            waits["one commit each"] += _insert(inspections, example)
    return [
        Inserted(
            how,
            len(spent) / (ROUNDS * SECONDS),
            statistics.median(spent),
            statistics.quantiles(spent, n=100)[-1],
        )
        for how, spent in waits.items()
    ]


@contextmanager
def _groups_of_one() -> Iterator[None]:
    most, db_writer.MAX_GROUP = db_writer.MAX_GROUP, 1
    try:
        yield
    finally:
        db_writer.MAX_GROUP = most


def _insert(inspections: InspectionRepository, example: Inspection) -> list[float]:
    waits: list[float] = []
    give_up = time.perf_counter() + SECONDS

    def work() -> None:
        while (started := time.perf_counter()) < give_up:
            now = dt.datetime.now(dt.timezone.utc)
            inspection_id = str(uuid7(nanoseconds=int(now.timestamp() * 1000) * 10**6))
            inspections.add(lambda _log: (replace(example, id=inspection_id, received_at=now), {}))  # noqa: B023 (called before the next)
            waits.append(1000 * (time.perf_counter() - started))

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return waits


def report(database: str, rows: int, queries: list[Timed], inserts: list[Inserted]) -> str:
    """A section of Markdown."""
    lines = [f"{HEADINGS[database]}, {rows:,} rows", ""]
    lines += [f"| query, {RUNS} runs | found | median ms | longest ms |", "|---|---|---|---|"]
    lines += [
        f"| {one.what} | {one.found:,} | {one.median_ms:.1f} | {one.longest_ms:.1f} |" for one in queries
    ]
    lines += [
        "",
        f"| inserts, {THREADS} threads, {ROUNDS} rounds of {SECONDS:.0f} s each | a second | median ms | p99 ms |",
    ]
    lines += ["|---|---|---|---|"]
    lines += [
        f"| {one.how} | {one.a_second:.0f} | {one.median_ms:.1f} | {one.p99_ms:.1f} |" for one in inserts
    ]
    return "\n".join([*lines, ""])


def write_section(page: Path, section: str) -> None:
    """Put a section into a page: in the place of the one about the same database, or at the end."""
    text = page.read_text("utf-8") if page.exists() else ""
    heading = section.partition(",")[0]
    found = re.search(rf"^{re.escape(heading)},.*?(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    start, end = found.span() if found else (len(text), len(text))
    page.write_text(f"{text[:start]}{section.rstrip()}\n\n{text[end:]}".rstrip() + "\n", "utf-8")

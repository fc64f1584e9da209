"""A made-up plant's results, as many as are wanted: ten stations, five recipes, 1,000 labels a minute up to now."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import sqlalchemy as sa
from uuid_utils import uuid7

from service.db.engine import is_sqlite
from service.db.partitions import add_months
from service.inspections.reviews.tables import ReviewRow
from service.inspections.tables import InspectionDefectRow, InspectionRow, InspectionTextRow
from service.stations.tables import StationRow
from service.statistics.tables import TallyRow
from service.statistics.tallies import Tallies, Tally, minute_of

A_MINUTE: Final = 1000
STATIONS: Final = tuple(f"station-{number}" for number in range(10))
RECIPES: Final = ("fresh-milk", "yoghurt", "tablets", "shampoo", "olive-oil")
_CHUNK: Final = 50_000
_BOX: Final = [[100.0, 200.0], [400.0, 200.0], [400.0, 240.0], [100.0, 240.0]]
_TABLES: Final = (InspectionRow, InspectionTextRow, InspectionDefectRow, ReviewRow)

Row = dict[str, Any]


@dataclass(slots=True)
class _Chunk:
    rows: dict[str, list[Row]] = field(default_factory=lambda: {one.__tablename__: [] for one in _TABLES})


def fill(engine: sa.Engine, count: int, say: Callable[[str], None]) -> None:
    """Write inspections and what is found and counted with them; secondary indexes are made at the end."""
    random, tallies, now = Random(7), Tallies(), dt.datetime.now(dt.timezone.utc)
    first = now - dt.timedelta(minutes=count / A_MINUTE)
    with engine.begin() as connection:
        if not is_sqlite(connection):
            add_months(connection, first, now)
            connection.exec_driver_sql("SET statement_timeout = 0")
        for index in _indexes(connection):
            index.drop(connection, checkfirst=True)
        done = 0
        for chunk in _chunks(random, count, first, tallies):
            for table in _TABLES:
                _write(connection, table.__tablename__, chunk.rows[table.__tablename__])
            done += len(chunk.rows[InspectionRow.__tablename__])
            say(f"{done:,} of {count:,} rows")
        _write(connection, TallyRow.__tablename__, [dict(row) for row in tallies.rows()])
        stations = [
            {"id": name, "recipe": RECIPES[number % 5], "since": first, "line": f"line {number // 5 + 1}"}
            for number, name in enumerate(STATIONS)
        ]
        _write(connection, StationRow.__tablename__, stations)
    for index in _indexes(engine):
        say(f"index {index.name}")
        with engine.begin() as connection:
            if not is_sqlite(connection):
                connection.exec_driver_sql("SET statement_timeout = 0")
                connection.exec_driver_sql("SET maintenance_work_mem = '1GB'")
            index.create(connection)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE" if is_sqlite(connection) else "VACUUM ANALYZE")


def _indexes(bind: sa.Engine | sa.Connection) -> list[sa.Index]:
    tables: list[Any] = [one.__table__ for one in (InspectionRow, InspectionTextRow)]
    of_postgresql = bind.dialect.name == "postgresql"
    indexes = [index for table in tables for index in table.indexes]
    return sorted(
        (one for one in indexes if of_postgresql or one.table.name != InspectionTextRow.__tablename__),
        key=lambda index: str(index.name),
    )


def _write(connection: sa.Connection, table: str, rows: list[Row]) -> None:
    if not rows:
        return
    names = list(rows[0])
    if is_sqlite(connection):
        marks = ", ".join("?" * len(names))
        columns = ", ".join(f'"{name}"' for name in names)
        statement = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608 (names of our tables)
        connection.exec_driver_sql(statement, [tuple(map(_for_sqlite, row.values())) for row in rows])
        return
    quoted = ", ".join(f'"{name}"' for name in names)
    cursor = connection.connection.cursor()
    with cursor.copy(f"COPY {table} ({quoted}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(tuple(row.values()))


def _for_sqlite(value: Any) -> Any:
    return value.strftime("%Y-%m-%d %H:%M:%S.%f") if isinstance(value, dt.datetime) else value


def _chunks(random: Random, count: int, first: dt.datetime, tallies: Tallies) -> Iterator[_Chunk]:
    chunk = _Chunk()
    for number in range(count):
        at = first + dt.timedelta(minutes=number / A_MINUTE)
        _add(chunk, tallies, random, number, at, until_review=count - number)
        if len(chunk.rows[InspectionRow.__tablename__]) == _CHUNK:
            yield chunk
            chunk = _Chunk()
    yield chunk


def _add(
    chunk: _Chunk, tallies: Tallies, random: Random, number: int, at: dt.datetime, until_review: int
) -> None:
    station = number % len(STATIONS)
    recipe = RECIPES[station % len(RECIPES)]
    lot = f"L{at:%y%j}{station}{at.hour // 2:02d}"
    serial = f"SN{number:09d}"
    verdict = random.choices(("PASS", "FAIL", "REVIEW"), (97, 2, 1))[0]
    code = {"PASS": None, "FAIL": "MISMATCH", "REVIEW": "LOW_CONFIDENCE"}[verdict]
    if verdict == "FAIL" and random.random() < 0.001:
        code = "DUPLICATE"
    texts = ["ALPENGLOW", "FRESH MILK 3.5% FAT", f"LOT {lot}", serial, "KEEP REFRIGERATED 4-8 C"]
    fields = [
        _field(name, text, random, code)
        for name, text in zip(("brand", "lot", "serial"), texts[::2], strict=False)
    ]
    defects = [{"code": code, "field": "lot", "detail": f"expected 'LOT {lot}'"}] if code else []
    row_id = str(uuid7(nanoseconds=int(at.timestamp() * 1000) * 10**6))
    chunk.rows[InspectionRow.__tablename__].append(
        {
            "id": row_id,
            "received_at": at,
            "recipe": recipe,
            "recipe_version": 3,
            "station_id": STATIONS[station],
            "part_id": f"P{number:09d}",
            "expected": json.dumps({"lot": lot}),
            "verdict": verdict,
            "reject": verdict != "PASS",
            "fields": json.dumps(fields),
            "defects": json.dumps(defects),
            "lines": json.dumps([{"text": text, "score": 0.98, "box": _BOX} for text in texts]),
            "timings_ms": '{"decode": 4.1, "queue": 0.2, "detect": 20.5, "recognise": 15.1, "match": 0.8, "total": 41.2}',
            "width": 1280,
            "height": 960,
            "media_type": "image/jpeg",
            "notes": "[]",
            "image_sha256": "0" * 64,
            "image_bytes": 180_000,
            "image_key": f"{at:%Y/%m/%d}/{row_id}.jpg",
            "bundle": "ppocr-v6-small",
            "bundle_sha256": "0" * 64,
            "runtime": "onnxruntime",
            "service_version": "0",
        }
    )
    chunk.rows[InspectionTextRow.__tablename__].append(
        {"inspection_id": row_id, "text": "\n".join([*texts, lot])}
    )
    if code:
        chunk.rows[InspectionDefectRow.__tablename__].append({"code": code, "inspection_id": row_id})
    if verdict == "REVIEW" and until_review > A_MINUTE * 60 and random.random() < 0.9:
        chunk.rows[ReviewRow.__tablename__].append(
            {
                "inspection_id": row_id,
                "at": at,
                "by": "ann",
                "verdict": "PASS",
                "outcome": "false_reject",
                "reason": "smudge",
            }
        )
        reviewed = Tally("review", minute_of(at), STATIONS[station], recipe, 3, "false_reject", "")
        tallies.add(reviewed, total=1)
    key = (minute_of(at), STATIONS[station], recipe, 3)
    tallies.add(Tally("verdict", *key, verdict, ""))
    for one in fields:
        tallies.add(Tally("score", *key, "", one["name"]), total=one["score"])
    if code:
        tallies.add(Tally("defect", *key, code, "lot"))


def _field(name: str, text: str, random: Random, code: str | None) -> dict[str, Any]:
    chars: list[Mapping[str, Any]] = []
    if code:  # of what passed no evidence is kept
        chars = [{"expected": one, "read": one, "state": "good", "score": 0.98} for one in text]
    score = round(0.9 + random.random() / 10, 4)
    shown = {"name": name, "outcome": "MATCH", "expected": text, "read": text, "score": score, "box": _BOX}
    return {**shown, "chars": chars, "print": None}

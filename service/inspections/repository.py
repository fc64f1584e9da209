"""Stored inspections."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import sqlalchemy as sa

from service.db.engine import is_sqlite, transaction
from service.db.types import first_id_of
from service.errors import InspectionNotFound, StoreUnavailable
from service.idempotency.repository import finish
from service.inspections import rows
from service.inspections.counting import count
from service.inspections.inspection import Inspection, Submission
from service.inspections.reviews.tables import ReviewRow
from service.inspections.tables import InspectionDefectRow, InspectionRow, InspectionTextRow, SerialRow
from service.matching.outcome import DefectCode, Verdict
from service.stations.tables import StationRow
from service.statistics.repository import pending

if TYPE_CHECKING:
    from sqlalchemy.orm import InstrumentedAttribute, Session

    from service.db.writer import GroupWriter
    from service.idempotency.repository import Claim

_SERIALS_LOCK: Final = 0x5050_0002
_SWEEP_LOCK: Final = 0x5050_0003
_LATEST: Final = dt.timedelta(minutes=2)
"""By which an id may be later than the receipt: until this version ids were made when a result was stored."""

MAX_STREAK: Final = 1000
_STEP: Final = 1000
_MAX_STEPS: Final = 20


@dataclass(frozen=True, slots=True)
class Streak:
    """Parts of a station in a row, up to now, that did not pass; at most `MAX_STREAK` are counted."""

    station_id: str
    count: int
    since: dt.datetime | None
    last_inspection: str | None


@dataclass(frozen=True, slots=True)
class KeptImage:
    """An image in the store, and its size in bytes."""

    inspection_id: str
    key: str
    size: int


class ReviewState(str, Enum):
    """`open` is a verdict REVIEW on which nobody has decided; the others are outcomes of a review."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    FALSE_REJECT = "false_reject"
    ESCAPE = "escape"


@dataclass(frozen=True, slots=True)
class Filter:
    """What to list; None is any. `since` is the first moment of receipt, `until` the first that is too late."""

    verdict: Verdict | None = None
    not_passed: bool = False
    recipe: str | None = None
    recipe_version: int | None = None
    station_id: str | None = None
    line: str | None = None
    part_id: str | None = None
    defect: DefectCode | None = None
    review: ReviewState | None = None
    text: str | None = None
    since: dt.datetime | None = None
    until: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """An inspection as a line of a table: columns of its own, then those of its review."""

    id: str
    received_at: dt.datetime
    captured_at: dt.datetime | None
    verdict: str
    reject: bool
    recipe: str
    recipe_version: int
    station_id: str | None
    part_id: str | None
    defects: list[dict[str, Any]]
    expected: dict[str, str]
    reviewed: str | None
    reviewed_by: str | None
    review_reason: str | None


_OF_REVIEW: Final = 3
_OF_LINE: Final = tuple(one.name for one in fields(Line))[:-_OF_REVIEW]


class SerialLog:
    """The numbers of earlier parts, as they are in the transaction that stores the next one."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def last(self, field: str, submission: Submission) -> str | None:
        """What the part before at the same station had in a field."""
        query = (
            self._of_other_parts(SerialRow.value, field, submission)
            .where(SerialRow.station_id.is_not_distinct_from(submission.station_id))
            .order_by(SerialRow.id.desc())
        )
        return self._first(query)

    def passed_before(self, field: str, value: str, since: dt.datetime, submission: Submission) -> str | None:
        """The inspection in which another part passed with a value, if there is one."""
        query = self._of_other_parts(SerialRow.inspection_id, field, submission).where(
            SerialRow.value == value, SerialRow.passed, SerialRow.at >= since
        )
        return self._first(query)

    def _of_other_parts(
        self, column: InstrumentedAttribute[str], field: str, submission: Submission
    ) -> sa.Select[Any]:
        query = sa.select(column).where(SerialRow.recipe == submission.recipe, SerialRow.field == field)
        if submission.part_id is None:
            return query
        return query.where(
            SerialRow.part_id.is_distinct_from(submission.part_id)
        )  # it may be looked at again

    def _first(self, query: sa.Select[Any]) -> str | None:
        connection = self._session.connection()
        if not is_sqlite(connection):  # no other replica stores a number between this look and the commit
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SERIALS_LOCK)))
        found: str | None = self._session.scalars(query.limit(1)).first()
        return found


class InspectionRepository:
    def __init__(self, engine: sa.Engine, writer: GroupWriter) -> None:
        self._engine = engine
        self._writer = writer

    def add(
        self, row: Callable[[SerialLog], tuple[Inspection, Mapping[str, str]]], claim: Claim | None = None
    ) -> Inspection:
        """Store an inspection; it is on disk when this returns.

        `row` is asked for once the database is ready to write, maybe twice; it gives the inspection and its serials by
        field.

        Raises:
            StoreUnavailable: the database did not take it.
            IdempotencyKeyInFlight: the `claim` of the request has ended.
        """

        def write(session: Session) -> Inspection:
            inspection, serials = row(SerialLog(session))
            if claim is not None:
                finish(session, claim, inspection.id)
            session.add(rows.row_of(inspection))
            session.add_all(rows.index_rows_of(inspection))
            session.add_all(rows.serial_rows_of(inspection, serials))
            count(inspection, pending(session))
            return inspection

        return self._writer.run(write)

    def get(self, inspection_id: str) -> Inspection:
        """Raises InspectionNotFound."""
        with transaction(self._engine) as session:
            row = session.get(InspectionRow, inspection_id) if _is_id(inspection_id) else None
            if row is None:
                raise InspectionNotFound(f"there is no inspection {inspection_id!r}")
            return rows.inspection_of(row)

    def page(self, wanted: Filter, *, before: str | None, limit: int) -> list[Inspection]:
        """The newest inspections that were received before the one with the id `before`.

        Pages stay stable while inspections arrive: ids are ordered by time, so new ones come first.
        """
        with transaction(self._engine) as session:
            ids = _newest(session, wanted, before, limit)
            query = sa.select(InspectionRow).where(InspectionRow.id.in_(ids))
            return [
                rows.inspection_of(row) for row in session.scalars(query.order_by(InspectionRow.id.desc()))
            ]

    def lines(self, wanted: Filter, *, before: str | None, limit: int) -> list[Line]:
        """As `page`, without what takes long to read."""
        columns: list[Any] = [getattr(InspectionRow, name) for name in _OF_LINE]
        query = sa.select(*columns, ReviewRow.verdict, ReviewRow.by, ReviewRow.reason)
        query = query.join(ReviewRow, ReviewRow.inspection_id == InspectionRow.id, isouter=True)
        with transaction(self._engine) as session:
            query = query.where(InspectionRow.id.in_(_newest(session, wanted, before, limit)))
            return [Line(*tuple(row)) for row in session.execute(query.order_by(InspectionRow.id.desc()))]

    def streak(self, station_id: str) -> Streak:
        """How many of a station's last parts in a row did not pass."""
        of_station = InspectionRow.station_id == station_id
        passed = sa.select(InspectionRow.id).where(of_station, InspectionRow.verdict == Verdict.PASS.value)
        with transaction(self._engine) as session:
            last_pass = session.scalars(passed.order_by(InspectionRow.id.desc()).limit(1)).first()
            after = sa.select(InspectionRow.id, InspectionRow.received_at).where(of_station)
            if last_pass is not None:
                after = after.where(InspectionRow.id > last_pass)
            found = list(session.execute(after.order_by(InspectionRow.id.desc()).limit(MAX_STREAK)))
        if not found:
            return Streak(station_id, 0, None, None)
        return Streak(station_id, len(found), found[-1].received_at, found[0].id)

    def oldest_images(self, verdict: Verdict, before: dt.datetime, limit: int) -> list[KeptImage]:
        """The oldest images of a verdict that were received before a time; of REVIEW those that somebody decided on."""
        row = InspectionRow
        query = sa.select(row.id, row.image_key, row.image_bytes).where(
            row.image_key.is_not(None), row.verdict == verdict.value, row.id < first_id_of(before)
        )
        if verdict is Verdict.REVIEW:
            query = query.where(sa.exists().where(ReviewRow.inspection_id == row.id))
        with transaction(self._engine) as session:
            found = session.execute(query.order_by(row.id).limit(limit))
            return [KeptImage(one.id, one.image_key, one.image_bytes) for one in found]

    def forget_images(self, inspection_ids: Sequence[str]) -> None:
        """Note that the images of inspections are no longer stored."""
        gone = sa.update(InspectionRow).where(InspectionRow.id.in_(inspection_ids)).values(image_key=None)
        self._writer.run(lambda session: session.execute(gone))

    @contextmanager
    def sole_sweeper(self) -> Iterator[bool]:
        """Whether no other replica sweeps for as long as this one does."""
        with transaction(self._engine) as session:
            connection = session.connection()
            ours = sa.func.pg_try_advisory_xact_lock(_SWEEP_LOCK)
            if not is_sqlite(connection):  # which belongs to one process
                connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield is_sqlite(connection) or bool(session.scalar(sa.select(ours)))

    def image_bytes(self) -> int:
        """What all stored images take."""
        total = sa.select(sa.func.sum(InspectionRow.image_bytes)).where(InspectionRow.image_key.is_not(None))
        with transaction(self._engine) as session:
            return int(session.scalar(total) or 0)

    def reachable(self) -> bool:
        """Whether the database answers, and is the one with our tables."""
        try:
            with transaction(self._engine) as session:
                session.execute(sa.select(InspectionRow.id).limit(1))
        except StoreUnavailable:
            return False
        return True


def _is_id(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def _conditions(wanted: Filter) -> list[sa.ColumnElement[bool]]:
    """All but the text."""
    found = [
        getattr(InspectionRow, name) == getattr(wanted, name)
        for name in ("verdict", "recipe", "recipe_version", "station_id", "part_id")
        if getattr(wanted, name) is not None
    ]
    if wanted.since is not None:
        found += [InspectionRow.id >= first_id_of(wanted.since), InspectionRow.received_at >= wanted.since]
    if wanted.until is not None:
        latest = first_id_of(wanted.until + _LATEST)
        found += [InspectionRow.id < latest, InspectionRow.received_at < wanted.until]
    if wanted.not_passed:
        found.append(InspectionRow.verdict.in_([Verdict.FAIL.value, Verdict.REVIEW.value]))
    if wanted.line is not None:
        of_line = sa.select(StationRow.id).where(StationRow.line == wanted.line)
        found.append(InspectionRow.station_id.in_(of_line))
    if wanted.defect is not None:
        of_code = sa.select(InspectionDefectRow.inspection_id).where(
            InspectionDefectRow.code == wanted.defect.value
        )
        found.append(InspectionRow.id.in_(of_code))
    if wanted.review is ReviewState.OPEN:
        reviewed = sa.exists().where(ReviewRow.inspection_id == InspectionRow.id)
        found += [InspectionRow.verdict == Verdict.REVIEW.value, ~reviewed]
    elif wanted.review is not None:
        of_outcome = sa.select(ReviewRow.inspection_id).where(ReviewRow.outcome == wanted.review.value)
        found.append(InspectionRow.id.in_(of_outcome))
    return found


def _newest(session: Session, wanted: Filter, before: str | None, limit: int) -> list[str]:
    """Ids of the newest inspections that are wanted, the newest first."""
    row = InspectionRow
    query = sa.select(row.id).where(*_conditions(wanted)).order_by(row.id.desc())
    found: list[str] = []
    if wanted.text is not None:
        found, before = _walk(session, wanted, before, limit)
        if before is None or len(found) >= limit:
            return found[:limit]
        query = query.where(_with_text(wanted.text, session))
    if before is not None:
        query = query.where(row.id < before)
    return [*found, *session.scalars(query.limit(limit - len(found)))]


def _walk(session: Session, wanted: Filter, before: str | None, limit: int) -> tuple[list[str], str | None]:
    """Look for a text in the newest inspections themselves, and go on for as long as one of a hundred has it.

    An index of texts finds what is rare; of what is common it finds so much that ordering it by time takes seconds, and
    no database knows beforehand which of the two a text is.

    Returns:
        The ids found, and the last one looked at; None if there are no more.
    """
    row, text = InspectionRow, (wanted.text or "").casefold()
    query = sa.select(row.id, row.lines, row.expected).where(*_conditions(wanted)).order_by(row.id.desc())
    found: list[str] = []
    for _ in range(_MAX_STEPS):
        step = list(session.execute((query if before is None else query.where(row.id < before)).limit(_STEP)))
        matches = [one.id for one in step if text in rows.text_of(one.lines, one.expected).casefold()]
        found += matches
        if len(step) < _STEP:
            return found, None
        before = step[-1].id
        if len(found) >= limit or len(matches) * 100 < _STEP:
            break
    return found, before


def _with_text(text: str, session: Session) -> sa.ColumnElement[bool]:
    """A text anywhere in what was read or given, in capitals or not; of three characters or more."""
    column, inspection_id = InspectionTextRow.text, InspectionTextRow.inspection_id
    if is_sqlite(session.connection()):  # a phrase of FTS5's trigram tokenizer is a part of the text
        phrase = '"' + text.replace('"', '""') + '"'
        return InspectionRow.id.in_(sa.select(inspection_id).where(column.op("MATCH")(phrase)))
    matching = sa.select(inspection_id).where(column.icontains(text, autoescape=True))
    return InspectionRow.id.in_(sa.select(matching.cte().prefix_with("MATERIALIZED", dialect="postgresql")))

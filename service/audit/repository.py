"""The audit trail in the database."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from service.audit.entry import GENESIS, Action, Author, Entry
from service.audit.tables import AuditRow
from service.db.engine import transaction

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

_ROWS_AT_ONCE: Final = 2000


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What to list; None is any."""

    by: str | None = None
    action: Action | None = None
    subject: str | None = None
    since: dt.datetime | None = None
    until: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """What a look at the whole trail came to: `fault` says where it was changed, None that it was not."""

    entries: int
    head: str
    fault: str | None


def record(
    session: Session, author: Author, action: Action, subject: str, detail: Mapping[str, Any] | None = None
) -> None:
    """Add an entry in the transaction of what it tells of, which is one of `service.db.engine.change`."""
    session.flush()
    query = sa.select(AuditRow.number, AuditRow.digest).order_by(AuditRow.number.desc()).limit(1)
    number, previous = session.execute(query).first() or (0, GENESIS)
    now = dt.datetime.now(dt.timezone.utc)
    entry = Entry(number + 1, now, author.by, action, subject, author.reason, detail or {}, previous)
    session.add(_row(entry))


def entries_of(
    session: Session, subject: str, actions: Sequence[Action], limit: int | None = None
) -> list[Entry]:
    """What was done to something, the latest first."""
    query = sa.select(AuditRow).where(AuditRow.subject == subject, AuditRow.action.in_(actions))
    return [_entry(row) for row in session.scalars(query.order_by(AuditRow.number.desc()).limit(limit))]


class AuditRepository:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def page(self, wanted: AuditFilter, *, before: int | None, limit: int) -> list[Entry]:
        """The latest entries before the one with the number `before`."""
        query = sa.select(AuditRow).order_by(AuditRow.number.desc()).limit(limit)
        for name in ("by", "action", "subject"):
            if getattr(wanted, name) is not None:
                query = query.where(getattr(AuditRow, name) == getattr(wanted, name))
        if wanted.since is not None:
            query = query.where(AuditRow.at >= wanted.since)
        if wanted.until is not None:
            query = query.where(AuditRow.at < wanted.until)
        if before is not None:
            query = query.where(AuditRow.number < before)
        with transaction(self._engine) as session:
            return [_entry(row) for row in session.scalars(query)]

    def verify(self, head: str | None = None) -> Verification:
        """Follow the chain from its beginning.

        A trail that was cut off at its end is a whole chain too: with `head`, a digest noted down before, it is looked
        for whether that entry is still there.
        """
        number, previous, found = 0, GENESIS, head is None
        with transaction(self._engine) as session:
            while True:
                query = sa.select(AuditRow).where(AuditRow.number > number).order_by(AuditRow.number)
                rows = list(session.scalars(query.limit(_ROWS_AT_ONCE)))
                for row in rows:
                    fault = _fault(row, number, previous)
                    if fault is not None:
                        return Verification(number, previous, fault)
                    number, previous = row.number, row.digest
                    found = found or row.digest == head
                session.expunge_all()
                if not rows:
                    break
        return Verification(number, previous, None if found else f"no entry has the digest {head}")


def _fault(row: AuditRow, number: int, previous: str) -> str | None:
    if row.number != number + 1:
        return f"entry {number + 1} is missing"
    if row.previous != previous:
        return f"entry {row.number} does not follow the one before it"
    try:
        digest = _entry(row).digest()
    except (ValueError, TypeError, AttributeError):  # no action of ours, no object
        digest = ""
    return None if digest == row.digest else f"entry {row.number} was changed"


def _row(entry: Entry) -> AuditRow:
    return AuditRow(
        number=entry.number,
        at=entry.at,
        by=entry.by,
        action=entry.action.value,
        subject=entry.subject,
        reason=entry.reason,
        detail=dict(entry.detail),
        previous=entry.previous,
        digest=entry.digest(),
    )


def _entry(row: AuditRow) -> Entry:
    action = Action(row.action)
    return Entry(row.number, row.at, row.by, action, row.subject, row.reason, row.detail, row.previous)

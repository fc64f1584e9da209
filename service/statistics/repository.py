"""Counts of inspections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from service.db.engine import is_sqlite
from service.statistics.tables import TallyRow
from service.statistics.tallies import Tallies

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

_PENDING: Final = "tallies"
_KEY: Final = tuple(sa.inspect(TallyRow).primary_key)
_ROWS_AT_ONCE: Final = 1000  # of nine values each: SQLite takes 32,766 in a statement


def pending(session: Session) -> Tallies:
    """What the session's transaction will have counted when it is committed."""
    tallies: Tallies = session.info.setdefault(_PENDING, Tallies())
    return tallies


def write_pending(session: Session) -> None:
    """Add what was counted in the transaction, once for all inspections that share it."""
    rows = list(session.info.pop(_PENDING, Tallies()).rows())
    insert = sqlite.insert if is_sqlite(session.connection()) else postgresql.insert
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        statement = insert(TallyRow).values(rows[start : start + _ROWS_AT_ONCE])
        added = {
            "count": TallyRow.count + statement.excluded.count,
            "total": TallyRow.total + statement.excluded.total,
        }
        session.execute(statement.on_conflict_do_update(index_elements=_KEY, set_=added))

"""Counts of inspections."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from service.db.engine import is_sqlite, transaction
from service.stations.tables import StationRow
from service.statistics.tables import TallyRow
from service.statistics.tallies import Kind, Tallies, minute_of

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


@dataclass(frozen=True, slots=True)
class Scope:
    """What to count; None is any. Minutes are whole: the one of `since` counts from its beginning, as does `until`'s."""

    since: dt.datetime
    until: dt.datetime
    recipe: str | None = None
    recipe_version: int | None = None
    station_id: str | None = None
    line: str | None = None


class StatisticsRepository:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def sums(
        self, kinds: Sequence[Kind], scope: Scope, by: Sequence[str], step: int = 1
    ) -> list[tuple[Any, ...]]:
        """Counts, and sums of what was measured, of everything that is the same in `by`.

        `by` holds columns of the tallies, or `line`; of `minute`, `step` minutes from 1970 on are taken together.

        Returns:
            Rows of the values of `by`, count and total.
        """
        steps = sa.literal_column(
            str(step), sa.Integer
        )  # no parameter: PostgreSQL would not know it in GROUP BY
        columns: dict[str, sa.ColumnElement[Any]] = {
            "minute": TallyRow.minute // steps * steps,
            "line": sa.func.coalesce(StationRow.line, ""),
        }
        wanted: list[Any] = [columns[name] if name in columns else getattr(TallyRow, name) for name in by]
        query = sa.select(*wanted, sa.func.sum(TallyRow.count), sa.func.sum(TallyRow.total))
        query = query.where(*_conditions(kinds, scope))
        if "line" in by or scope.line is not None:
            query = query.join(StationRow, StationRow.id == TallyRow.station_id, isouter=True)
        with transaction(self._engine) as session:
            rows = session.execute(query.group_by(*wanted))
            return [(*row[:-2], int(row[-2]), float(row[-1])) for row in rows]


def _conditions(kinds: Sequence[Kind], scope: Scope) -> list[sa.ColumnElement[bool]]:
    found = [
        TallyRow.kind.in_(kinds),
        TallyRow.minute >= minute_of(scope.since),
        TallyRow.minute < minute_of(scope.until + dt.timedelta(seconds=59, microseconds=999_999)),
    ]
    found += [
        getattr(TallyRow, name) == getattr(scope, name)
        for name in ("recipe", "recipe_version", "station_id")
        if getattr(scope, name) is not None
    ]
    if scope.line is not None:
        found.append(StationRow.line == scope.line)
    return found

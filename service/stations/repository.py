"""Stations, and the log of their changeovers."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from service.audit.entry import Action, Author
from service.audit.repository import entries_of, record
from service.db.engine import change, transaction
from service.errors import RecipeNotFound, StationNotFound
from service.recipes.tables import RecipeVersionRow
from service.stations.tables import StationRow

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class Station:
    """`since` is when it was given its recipe."""

    id: str
    recipe: str | None
    since: dt.datetime | None
    line: str | None


@dataclass(frozen=True, slots=True)
class Changeover:
    at: dt.datetime
    station_id: str
    recipe: str
    by: str
    reason: str


class StationRepository:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def change_over(self, station_id: str, recipe: str, author: Author) -> Station:
        """Let a station run a recipe from now on.

        Raises:
            RecipeNotFound: the recipe has no active version.
        """
        now = dt.datetime.now(dt.timezone.utc)
        with change(self._engine) as session:
            active = sa.select(RecipeVersionRow.version).where(
                RecipeVersionRow.name == recipe, RecipeVersionRow.active
            )
            if session.scalars(active).first() is None:
                raise RecipeNotFound(f"there is no active recipe {recipe!r}")
            row = _row(session, station_id)
            row.recipe, row.since = recipe, now
            record(session, author, Action.STATION_CHANGED_OVER, _subject(station_id), {"recipe": recipe})
            return _station(row)

    def assign(self, station_id: str, line: str, author: Author) -> Station:
        """Say on which line a station stands: its results are counted there."""
        with change(self._engine) as session:
            row = _row(session, station_id)
            row.line = line
            record(session, author, Action.STATION_ASSIGNED, _subject(station_id), {"line": line})
            return _station(row)

    def recipe_of(self, station_id: str) -> str:
        """What the station runs.

        Raises:
            StationNotFound: nothing.
        """
        recipe = self.get(station_id).recipe
        if recipe is None:
            raise StationNotFound(f"station {station_id!r} has no recipe")
        return recipe

    def get(self, station_id: str) -> Station:
        """Raises StationNotFound."""
        with transaction(self._engine) as session:
            row = session.get(StationRow, station_id)
            if row is None:
                raise StationNotFound(f"station {station_id!r} has no recipe")
            return _station(row)

    def all(self) -> list[Station]:
        """Every station, by its id."""
        with transaction(self._engine) as session:
            rows = session.scalars(sa.select(StationRow).order_by(StationRow.id))
            return [_station(row) for row in rows]

    def changeovers(self, station_id: str, limit: int) -> list[Changeover]:
        """The changeovers of a station, the latest first."""
        with transaction(self._engine) as session:
            found = entries_of(session, _subject(station_id), [Action.STATION_CHANGED_OVER], limit)
            return [Changeover(one.at, station_id, one.detail["recipe"], one.by, one.reason) for one in found]


def _row(session: Session, station_id: str) -> StationRow:
    row = session.get(StationRow, station_id)
    if row is None:
        row = StationRow(id=station_id)
        session.add(row)
    return row


def _station(row: StationRow) -> Station:
    return Station(row.id, row.recipe, row.since, row.line)


def _subject(station_id: str) -> str:
    return f"station/{station_id}"

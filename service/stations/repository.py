"""Stations, and the log of their changeovers."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from service.db.engine import change, transaction
from service.errors import RecipeNotFound, StationNotFound
from service.recipes.tables import RecipeVersionRow
from service.stations.tables import ChangeoverRow, StationRow

if TYPE_CHECKING:
    from service.recipes.repository import Author


@dataclass(frozen=True, slots=True)
class Station:
    id: str
    recipe: str
    since: dt.datetime


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
            row = session.get(StationRow, station_id)
            if row is None:
                row = StationRow(id=station_id, recipe=recipe, since=now)
                session.add(row)
            row.recipe, row.since = recipe, now
            session.add(
                ChangeoverRow(
                    at=now, station_id=station_id, recipe=recipe, by=author.by, reason=author.reason
                )
            )
        return Station(station_id, recipe, now)

    def get(self, station_id: str) -> Station:
        """Raises StationNotFound."""
        with transaction(self._engine) as session:
            row = session.get(StationRow, station_id)
            if row is None:
                raise StationNotFound(f"station {station_id!r} has no recipe")
            return Station(row.id, row.recipe, row.since)

    def all(self) -> list[Station]:
        """Every station, by its id."""
        with transaction(self._engine) as session:
            rows = session.scalars(sa.select(StationRow).order_by(StationRow.id))
            return [Station(row.id, row.recipe, row.since) for row in rows]

    def changeovers(self, station_id: str, limit: int) -> list[Changeover]:
        """The changeovers of a station, the latest first."""
        with transaction(self._engine) as session:
            query = (
                sa.select(ChangeoverRow)
                .where(ChangeoverRow.station_id == station_id)
                .order_by(ChangeoverRow.id.desc())
                .limit(limit)
            )
            return [
                Changeover(row.at, row.station_id, row.recipe, row.by, row.reason)
                for row in session.scalars(query)
            ]

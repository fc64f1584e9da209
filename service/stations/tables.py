from __future__ import annotations

import datetime as dt

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from service.db.engine import Base
from service.db.types import Instant


class StationRow(Base):
    """A station and the recipe that its cameras need not name."""

    __tablename__ = "stations"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    recipe: Mapped[str] = mapped_column(String(64))
    since: Mapped[dt.datetime] = mapped_column(Instant)


class ChangeoverRow(Base):
    """A change of a station's recipe; rows are only added."""

    __tablename__ = "changeovers"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[dt.datetime] = mapped_column(Instant)
    station_id: Mapped[str] = mapped_column(String(64))
    recipe: Mapped[str] = mapped_column(String(64))
    by: Mapped[str] = mapped_column(String(64))
    reason: Mapped[str] = mapped_column(String(500))

    __table_args__ = (Index("ix_changeovers_station", "station_id", "id"),)

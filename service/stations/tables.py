from __future__ import annotations

import datetime as dt

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from service.db.engine import Base
from service.db.types import Instant


class StationRow(Base):
    """A station, the recipe that its cameras need not name, and the line on which it stands."""

    __tablename__ = "stations"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    recipe: Mapped[str | None] = mapped_column(String(64))
    since: Mapped[dt.datetime | None] = mapped_column(Instant)
    line: Mapped[str | None] = mapped_column(String(64))

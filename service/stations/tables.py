from __future__ import annotations

import datetime as dt

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from service.db.engine import Base
from service.db.types import Instant


class StationRow(Base):
    """A station and the recipe that its cameras need not name."""

    __tablename__ = "stations"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    recipe: Mapped[str] = mapped_column(String(64))
    since: Mapped[dt.datetime] = mapped_column(Instant)

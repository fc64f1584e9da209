from __future__ import annotations

import datetime as dt

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from service.audit.entry import MAX_NAME, MAX_REASON
from service.db.engine import Base
from service.db.types import Instant, TimeId


class ReviewRow(Base):
    """The latest review of an inspection; those before it are in the audit trail."""

    __tablename__ = "reviews"

    inspection_id: Mapped[str] = mapped_column(TimeId, primary_key=True)
    at: Mapped[dt.datetime] = mapped_column(Instant)
    by: Mapped[str] = mapped_column(String(MAX_NAME))
    verdict: Mapped[str] = mapped_column(String(8))
    outcome: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(String(MAX_REASON))

    __table_args__ = (Index("ix_reviews_outcome", "outcome", "inspection_id"),)

from __future__ import annotations

import datetime as dt

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from service.db.engine import Base
from service.db.types import Instant


class IdempotencyRow(Base):
    """A key that a request came with; without an inspection while it is in flight."""

    __tablename__ = "idempotency_keys"

    scope: Mapped[str] = mapped_column(String(80), primary_key=True)
    key: Mapped[str] = mapped_column(String(128), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    claim: Mapped[str] = mapped_column(String(32))
    expires_at: Mapped[dt.datetime] = mapped_column(Instant)
    inspection_id: Mapped[str | None] = mapped_column(String(36))

    __table_args__ = (Index("ix_idempotency_keys_expires", "expires_at"),)

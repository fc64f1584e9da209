from __future__ import annotations

import datetime as dt
from typing import Any

from sqlalchemy import JSON, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from service.audit.entry import MAX_NAME, MAX_REASON
from service.db.engine import Base
from service.db.types import Instant


class AuditRow(Base):
    """An entry of the audit trail. Triggers of the database refuse to change or delete one."""

    __tablename__ = "audit"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[dt.datetime] = mapped_column(Instant)
    by: Mapped[str] = mapped_column(String(MAX_NAME))
    action: Mapped[str] = mapped_column(String(32))
    subject: Mapped[str] = mapped_column(String(160))
    reason: Mapped[str] = mapped_column(String(MAX_REASON))
    detail: Mapped[dict[str, Any]] = mapped_column(JSON)
    previous: Mapped[str] = mapped_column(String(64))
    digest: Mapped[str] = mapped_column(String(64))

    __table_args__ = (
        Index("ix_audit_subject", "subject", "number"),
        Index("ix_audit_action", "action", "number"),
        Index("ix_audit_by", "by", "number"),
    )

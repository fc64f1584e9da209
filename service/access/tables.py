from __future__ import annotations

import datetime as dt

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from service.db.engine import Base
from service.db.types import Instant


class ApiKeyRow(Base):
    """A key of a camera or a program; the key itself is not stored."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str] = mapped_column(String(64))
    role: Mapped[str] = mapped_column(String(16))
    station_id: Mapped[str | None] = mapped_column(String(64))
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[dt.datetime] = mapped_column(Instant)
    revoked_at: Mapped[dt.datetime | None] = mapped_column(Instant)


class UserRow(Base):
    """A person who logs in."""

    __tablename__ = "users"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    role: Mapped[str] = mapped_column(String(16))
    password_hash: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[dt.datetime] = mapped_column(Instant)
    disabled_at: Mapped[dt.datetime | None] = mapped_column(Instant)


class SessionRow(Base):
    """Where a user is logged in; the token itself is not stored."""

    __tablename__ = "sessions"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_name: Mapped[str] = mapped_column(String(64))
    expires_at: Mapped[dt.datetime] = mapped_column(Instant)

    __table_args__ = (Index("ix_sessions_user", "user_name"),)


class LogInFailureRow(Base):
    """A log-in that was refused, for as long as it counts."""

    __tablename__ = "log_in_failures"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[dt.datetime] = mapped_column(Instant)
    name: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64))

    __table_args__ = (
        Index("ix_log_in_failures_name", "name", "at"),
        Index("ix_log_in_failures_address", "address", "at"),
    )

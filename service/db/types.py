"""Column types that mean the same on every database."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

TimeId: Final = sa.String(36).with_variant(postgresql.UUID(as_uuid=False), "postgresql")
"""A UUID of version 7 as text: the order of these ids is that of their times, on both databases."""


class Instant(sa.types.TypeDecorator[dt.datetime]):
    """A point in time, always UTC: SQLite stores no time zone, so it is given back on reading."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:  # noqa: ARG002
        if value is not None and value.tzinfo is None:
            raise ValueError("a time without a time zone")
        return value.astimezone(dt.timezone.utc) if value is not None else None

    def process_result_value(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:  # noqa: ARG002
        return value.replace(tzinfo=dt.timezone.utc) if value is not None and value.tzinfo is None else value


def first_id_of(moment: dt.datetime) -> str:
    """The smallest id of version 7 (RFC 9562, 5.7) that something of that millisecond, or later, can have."""
    milliseconds = (moment - _EPOCH) // dt.timedelta(milliseconds=1)
    return str(UUID(int=milliseconds << 80))


_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)

"""Column types that mean the same on every database."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect


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

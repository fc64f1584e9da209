"""The months of the big tables on PostgreSQL. Ids are ordered by time, so a range of ids is a range of time."""

from __future__ import annotations

import datetime as dt
from typing import Final

import sqlalchemy as sa
import structlog

from service.db.types import first_id_of

PARTITIONED: Final = ("inspections", "inspection_texts")
MONTHS_AHEAD: Final = 3

log = structlog.get_logger()


def add_months_ahead(connection: sa.Connection, now: dt.datetime) -> None:
    """Make the partitions of this month and the next ones; those that are there stay.

    What falls into no month (a wrong clock) goes into the default partition: nothing is refused for want of one. A
    month that has rows there stays there.
    """
    month = dt.datetime(now.year, now.month, 1, tzinfo=dt.timezone.utc)
    for _ in range(MONTHS_AHEAD + 1):
        try:
            with connection.begin_nested():
                # It locks the table out: behind a long query, such as a backup's, every insert would wait for it.
                connection.exec_driver_sql("SET LOCAL lock_timeout = '500ms'")
                _add_month(connection, month)
        except sa.exc.IntegrityError:
            log.warning("month_in_default_partition", month=f"{month:%Y-%m}")
        except sa.exc.OperationalError:
            log.warning(
                "month_not_made_yet", month=f"{month:%Y-%m}", reason="the table is in use; tried again later"
            )
        month = _next(month)


def add_months(connection: sa.Connection, first: dt.datetime, last: dt.datetime) -> None:
    """Make the partitions from one time to another."""
    month = dt.datetime(first.year, first.month, 1, tzinfo=dt.timezone.utc)
    while month <= last:
        _add_month(connection, month)
        month = _next(month)


def _add_month(connection: sa.Connection, month: dt.datetime) -> None:
    for table in PARTITIONED:
        connection.exec_driver_sql(
            f"CREATE TABLE IF NOT EXISTS {table}_{month:%Y_%m} PARTITION OF {table} "
            f"FOR VALUES FROM ('{first_id_of(month)}') TO ('{first_id_of(_next(month))}')"
        )


def _next(month: dt.datetime) -> dt.datetime:
    return (month + dt.timedelta(31)).replace(day=1)

"""Connections, and the schema brought up to date."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.orm import DeclarativeBase, Session

from service.errors import DatabaseOutdated, SettingsInvalid, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.pool import ConnectionPoolEntry

_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_BUSY_TIMEOUT_MS: Final = 10_000


class Base(DeclarativeBase):
    """Base of all tables; each `tables.py` adds its own."""


def connect(url: str) -> sa.Engine:
    """An engine for the database; the folder of an SQLite file is made.

    Raises:
        SettingsInvalid: the URL is none, or its driver is not installed.
    """
    try:
        parsed = sa.engine.make_url(url)
        if parsed.get_backend_name() == "sqlite" and parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = sa.create_engine(parsed)
    except (sa.exc.ArgumentError, ImportError) as error:
        raise SettingsInvalid(f"PRINTPROOF_DATABASE_URL: {error}") from None
    if parsed.get_backend_name() == "sqlite":
        sa.event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    # WAL lets readers and the writer work side by side; FULL makes each commit survive a loss of power
    # (https://www.sqlite.org/pragma.html#pragma_synchronous).
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        f"busy_timeout={_BUSY_TIMEOUT_MS}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def migrate(engine: sa.Engine) -> None:
    """Bring the schema to the newest revision."""
    with engine.begin() as connection:
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def require_current(engine: sa.Engine) -> None:
    """Raises DatabaseOutdated unless the schema is at the newest revision."""
    with engine.connect() as connection:
        revision = MigrationContext.configure(connection).get_current_revision()
    newest = ScriptDirectory.from_config(_config()).get_current_head()
    if revision != newest:
        raise DatabaseOutdated(
            f"the database is at revision {revision or 'none'}, this version needs {newest}; run: printproof migrate"
        )


@contextlib.contextmanager
def transaction(engine: sa.Engine) -> Iterator[Session]:
    """A session in one transaction: committed at the end, undone on any error.

    Raises:
        StoreUnavailable: the database did not answer or did not take it.
    """
    try:
        with Session(engine) as session, session.begin():
            yield session
    except sa.exc.SQLAlchemyError as error:
        raise StoreUnavailable("the database does not answer or refuses the change") from error


def is_sqlite(engine: sa.Engine) -> bool:
    return engine.dialect.name == "sqlite"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    return config

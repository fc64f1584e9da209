"""Connections, and the schema brought up to date."""

from __future__ import annotations

import contextlib
import datetime as dt
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.orm import DeclarativeBase, Session

from service.db.partitions import add_months_ahead
from service.errors import DatabaseOutdated, DatabaseUnusable, SettingsInvalid, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.pool import ConnectionPoolEntry

_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_BUSY_TIMEOUT_MS: Final = 10_000
# A database that is away must be noticed while the line waits, and never hang a thread for good.
_POSTGRESQL: Final = {
    "connect_timeout": 3,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "options": "-c timezone=UTC -c statement_timeout=30s -c idle_in_transaction_session_timeout=60s",
}
_CHANGE_LOCK: Final = (
    0x5050_0001  # any number that no other program of the database uses for its advisory locks
)


class Base(DeclarativeBase):
    """Base of all tables; each `tables.py` adds its own."""


def connect(url: str) -> sa.Engine:
    """An engine for the database, SQLite or PostgreSQL; the folder of an SQLite file is made.

    Raises:
        SettingsInvalid: the URL is none, or its driver is not installed.
    """
    try:
        parsed = sa.engine.make_url(url)
        if parsed.get_backend_name() == "postgresql":
            driver = parsed.set(drivername="postgresql+psycopg")
            return sa.create_engine(driver, pool_pre_ping=True, pool_size=10, connect_args=_POSTGRESQL)
        if parsed.get_backend_name() != "sqlite":
            raise SettingsInvalid(f"PRINTPROOF_DATABASE_URL: {parsed.get_backend_name()} is not supported")
        if parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = sa.create_engine(parsed)
    except (sa.exc.ArgumentError, ImportError, ValueError) as error:
        raise SettingsInvalid(f"PRINTPROOF_DATABASE_URL: {error}") from None
    except OSError as error:
        raise DatabaseUnusable(f"the folder of the database cannot be made: {error}") from None
    sa.event.listen(engine, "connect", _prepare_sqlite)
    if parsed.database:
        sa.event.listen(engine, "checkout", _Replaced(Path(parsed.database)))
    return engine


class _Replaced:
    """Notices that an SQLite file was deleted or replaced: connections would go on writing into the old one, unseen."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, _connection: object, record: ConnectionPoolEntry, _proxy: object) -> None:
        try:
            inode = self._path.stat().st_ino
        except FileNotFoundError:
            inode = -1
        if record.info.setdefault("inode", inode) != inode:
            raise sa.exc.DisconnectionError("the database file was replaced")


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
    """Bring the schema to the newest revision.

    Raises:
        DatabaseUnusable: it is no database, is of a newer version, or cannot be written.
    """
    with _usable(), engine.begin() as connection:
        config = _config()
        config.attributes["connection"] = connection
        # One at a time, and all or nothing: SQLite's DDL is transactional once a transaction has begun.
        if is_sqlite(connection):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")  # a big table takes its time
            _take_turn(connection)
        command.upgrade(config, "head")
        if not is_sqlite(connection):
            add_months_ahead(connection, dt.datetime.now(dt.timezone.utc))


@contextlib.contextmanager
def _usable() -> Iterator[None]:
    try:
        yield
    except (sa.exc.SQLAlchemyError, CommandError) as error:
        reason = getattr(error, "orig", None) or error
        raise DatabaseUnusable(f"the database cannot be used: {reason}") from error


def require_current(engine: sa.Engine) -> None:
    """Raises DatabaseOutdated unless the schema is at the newest revision, DatabaseUnusable if it cannot be asked."""
    with _usable(), engine.connect() as connection:
        revision = MigrationContext.configure(connection).get_current_revision()
    newest = ScriptDirectory.from_config(_config()).get_current_head()
    if revision != newest:
        raise DatabaseOutdated(
            f"the database is at revision {revision or 'none'}, this version needs {newest}; run: printproof migrate"
        )


@contextlib.contextmanager
def transaction(engine: sa.Engine, *, writes: bool = False) -> Iterator[Session]:
    """A session in one transaction: committed at the end, undone on any error.

    With `writes`, SQLite's one writer is this one from the start: what is decided inside is not decided before a wait.

    Raises:
        StoreUnavailable: the database did not answer or did not take it.
    """
    try:
        with Session(engine) as session, session.begin():
            if writes and is_sqlite(session.connection()):
                session.connection().exec_driver_sql("BEGIN IMMEDIATE")
            yield session
    except sa.exc.SQLAlchemyError as error:
        raise StoreUnavailable("the database does not answer or refuses the change") from error


@contextlib.contextmanager
def change(engine: sa.Engine) -> Iterator[Session]:
    """A transaction for what people change: one at a time over all replicas, so that each sees what was before it.

    Raises:
        StoreUnavailable: the database did not answer or did not take it.
    """
    with transaction(engine, writes=True) as session:
        if not is_sqlite(session.connection()):
            _take_turn(session.connection())
        yield session


def _take_turn(connection: sa.Connection) -> None:
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_CHANGE_LOCK)))


def prepare(engine: sa.Engine) -> None:
    """Bring an SQLite file to this version's schema; any other database must have it already.

    Raises:
        DatabaseOutdated, DatabaseUnusable
    """
    if engine.dialect.name == "sqlite":
        migrate(engine)
    else:
        require_current(engine)
        prepare_months(engine, dt.datetime.now(dt.timezone.utc))


def prepare_months(engine: sa.Engine, now: dt.datetime) -> None:
    """Make the partitions of the next months, where there are partitions.

    Raises:
        StoreUnavailable
    """
    if engine.dialect.name == "postgresql":
        with change(engine) as session:
            add_months_ahead(session.connection(), now)


@contextlib.contextmanager
def opened(url: str) -> Iterator[sa.Engine]:
    """A prepared database for as long as a command takes.

    Raises:
        DatabaseOutdated, DatabaseUnusable, SettingsInvalid
    """
    engine = connect(url)
    try:
        prepare(engine)
        yield engine
    finally:
        engine.dispose()


def is_sqlite(connection: sa.Connection) -> bool:
    return connection.dialect.name == "sqlite"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    return config

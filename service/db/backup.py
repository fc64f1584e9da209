"""Copies of an SQLite database, taken while the service runs. PostgreSQL has tools of its own (docs/storage.md)."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

import sqlalchemy as sa

from service.db.engine import connect, migrate
from service.errors import DatabaseUnusable, SettingsInvalid


def back_up(url: str, target: Path) -> None:
    """Write a database to a file as it is at the end of the copy: whole, and checked.

    Raises:
        SettingsInvalid: it is no SQLite database, or `target` is there already.
        DatabaseUnusable: it cannot be read, or the copy not written.
    """
    _copy(_file_of(url), target)


def restore(source: Path, url: str) -> None:
    """Make a backup the database, at the schema of this version. The service must not run.

    Raises:
        SettingsInvalid: it is no SQLite database, or one is there already.
        DatabaseUnusable: the backup is none, is damaged or of a newer version.
    """
    if not source.is_file():
        raise DatabaseUnusable(f"{source}: there is no such file")
    _copy(source, _file_of(url))
    engine = connect(url)
    try:
        migrate(engine)
    finally:
        engine.dispose()


def _file_of(url: str) -> Path:
    parsed = sa.engine.make_url(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database:
        raise SettingsInvalid(
            "PRINTPROOF_DATABASE_URL is no SQLite file; docs/storage.md says how PostgreSQL is backed up"
        )
    return Path(parsed.database)


def _copy(source: Path, target: Path) -> None:
    # A log of the database that was there before would be taken for that of the new one.
    in_the_way = [
        path
        for path in (target, *(target.with_name(target.name + end) for end in ("-wal", "-shm")))
        if path.exists()
    ]
    if in_the_way:
        raise SettingsInvalid(f"{in_the_way[0]} is there already; move it away first")
    partial = target.with_name(f".{target.name}.part")
    try:
        partial.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        with (
            contextlib.closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as original,
            contextlib.closing(sqlite3.connect(partial)) as copy,
        ):
            original.backup(
                copy
            )  # in one step: between two, each commit of the service would make it begin anew
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, which a read-only disk can hold
            (found,) = copy.execute("PRAGMA integrity_check").fetchone()
        if found != "ok":
            raise DatabaseUnusable(f"{source} is damaged: {found}")
        with partial.open("rb") as stream:
            os.fsync(stream.fileno())
        partial.replace(target)
    except (sqlite3.Error, OSError) as error:
        raise DatabaseUnusable(f"{source} cannot be copied to {target}: {error}") from None
    finally:
        partial.unlink(missing_ok=True)

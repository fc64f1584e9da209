from __future__ import annotations

import datetime as dt
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.util import CommandError

from service.db import engine as db
from service.db.types import Instant
from service.errors import DatabaseOutdated, DatabaseUnusable, SettingsInvalid, StoreUnavailable
from service.inspections.repository import InspectionRepository
from service.inspections.tables import InspectionRow
from service.matching.outcome import Verdict
from service.recipes.tables import RecipeVersionRow


def test_migrations_lead_to_the_tables_of_the_code(database: sa.Engine) -> None:
    assert {InspectionRow.__tablename__, RecipeVersionRow.__tablename__} < set(db.Base.metadata.tables)
    with database.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), db.Base.metadata) == []


def test_sqlite_is_set_to_survive_a_loss_of_power(database: sa.Engine) -> None:
    with database.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL


def test_migrate_is_idempotent_and_an_old_schema_is_refused(tmp_path: Path) -> None:
    engine = db.connect(f"sqlite:///{tmp_path / 'new' / 'folder' / 'x.db'}")
    with pytest.raises(DatabaseOutdated, match="run: printproof migrate"):
        db.require_current(engine)
    db.migrate(engine)
    db.migrate(engine)
    db.require_current(engine)
    engine.dispose()


def test_results_of_every_older_schema_are_kept(tmp_path: Path) -> None:
    engine = db.connect(f"sqlite:///{tmp_path / 'old.db'}")
    with engine.begin() as connection:
        config = db._config()
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        old = sa.Table("inspections", sa.MetaData(), autoload_with=connection)
        row: dict[str, object] = dict.fromkeys(old.c.keys(), "1")
        row |= {"verdict": "PASS", "reject": False, "received_at": dt.datetime.now(dt.timezone.utc)}
        row |= {
            "captured_at": None,
            "expected": {},
            "fields": [],
            "defects": [],
            "lines": [],
            "timings_ms": {},
        }
        row |= dict.fromkeys(("recipe_version", "width", "height"), 1)
        connection.execute(old.insert().values(row))
    db.migrate(engine)
    kept = InspectionRepository(engine).get("1")
    assert (kept.verdict, kept.notes) == (Verdict.PASS, ())
    engine.dispose()


@pytest.mark.parametrize("url", ["nonsense", "nodialect://x"])
def test_a_url_that_is_none(url: str) -> None:
    with pytest.raises(SettingsInvalid, match="PRINTPROOF_DATABASE_URL"):
        db.connect(url)


def test_a_database_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "no.db").write_text("this is no database, whatever its name says; " * 100)
    (tmp_path / "file").write_text("in the way")
    newer = db.connect(f"sqlite:///{tmp_path / 'newer.db'}")
    db.migrate(newer)
    with db.transaction(newer) as session:
        session.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    for engine in (newer, db.connect(f"sqlite:///{tmp_path / 'no.db'}"), db.connect(f"sqlite:///{tmp_path}")):
        with pytest.raises(DatabaseUnusable):
            db.migrate(engine)
        engine.dispose()
    with pytest.raises(DatabaseUnusable, match="cannot be made"):
        db.connect(f"sqlite:///{tmp_path / 'file' / 'x.db'}")


def test_errors_of_the_database_are_ours(database: sa.Engine) -> None:
    with pytest.raises(StoreUnavailable), db.transaction(database) as session:
        session.execute(sa.text("SELECT * FROM nowhere"))


def test_instants_are_utc_and_never_naive() -> None:
    dialect = sa.engine.make_url("sqlite://").get_dialect()()
    berlin = dt.datetime(2026, 12, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    assert Instant().process_bind_param(berlin, dialect) == dt.datetime(
        2026, 12, 1, 0, tzinfo=dt.timezone.utc
    )
    with pytest.raises(ValueError, match="without a time zone"):
        Instant().process_bind_param(dt.datetime(2026, 12, 1), dialect)  # noqa: DTZ001


def test_several_processes_may_migrate_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    command = [sys.executable, "-c", f"from service.db import engine as db; db.migrate(db.connect({url!r}))"]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    for one in running:
        _, errors = one.communicate(timeout=60)
        assert one.returncode == 0, errors


def test_a_migration_that_breaks_off_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = db.connect(f"sqlite:///{tmp_path / 'broken.db'}")
    with monkeypatch.context() as patched:
        patched.setattr("alembic.op.add_column", lambda *_: (_ for _ in ()).throw(CommandError("power lost")))
        with pytest.raises(DatabaseUnusable, match="power lost"):
            db.migrate(engine)
    db.migrate(engine)
    db.require_current(engine)
    engine.dispose()

from __future__ import annotations

import datetime as dt
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.util import CommandError
from uuid_utils import uuid7

import service.app  # noqa: F401 (all tables)
from service.db import engine as db
from service.db.types import Instant, first_id_of
from service.db.writer import GroupWriter
from service.errors import DatabaseOutdated, DatabaseUnusable, SettingsInvalid, StoreUnavailable
from service.inspections.repository import Filter, InspectionRepository
from service.inspections.tables import InspectionRow
from service.matching.outcome import DefectCode, Verdict
from service.recipes.tables import RecipeVersionRow
from service.statistics.tables import TallyRow
from tests.integration.conftest import only_sqlite
from tests.postgresql import PostgreSQL


def test_migrations_lead_to_the_tables_of_the_code(database: sa.Engine) -> None:
    assert {InspectionRow.__tablename__, RecipeVersionRow.__tablename__} < set(db.Base.metadata.tables)
    with database.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": is_compared})
        assert compare_metadata(context, db.Base.metadata) == []


def is_compared(_table: object, name: str | None, kind: str, *_: object) -> bool:
    """Not a partition, and none of the tables of SQLite's full-text search, which has no columns with types."""
    return kind != "table" or re.search(r"_\d{4}_\d\d$|_other$|^inspection_texts(_|$)", name or "") is None


@only_sqlite
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


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database(request: pytest.FixtureRequest, sqlite_url: str) -> Iterator[sa.Engine]:
    server: PostgreSQL = request.getfixturevalue("postgresql")
    engine = db.connect(sqlite_url if request.param == "sqlite" else server.new_database("template0"))
    yield engine
    engine.dispose()


def upgrade(engine: sa.Engine, revision: str) -> None:
    with engine.begin() as connection:
        config = db._config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


@pytest.mark.parametrize("revision", ["0001", "0005"])
def test_results_of_older_schemas_are_kept_found_and_counted(
    empty_database: sa.Engine, revision: str
) -> None:
    upgrade(empty_database, revision)
    received = dt.datetime(2026, 3, 31, 23, 59, 59, tzinfo=dt.timezone.utc)
    ids = [str(uuid7(nanoseconds=int(received.timestamp() + second) * 10**9)) for second in range(3)]
    box = [[0, 0], [1, 0], [1, 1], [0, 1]]
    with empty_database.begin() as connection:
        old = sa.Table("inspections", sa.MetaData(), autoload_with=connection)
        row: dict[str, object] = dict.fromkeys(old.c.keys(), "1")
        row |= {"verdict": "FAIL", "reject": True, "recipe": "milk", "captured_at": None}
        row |= {"expected": {"lot": "77A"}, "fields": [], "timings_ms": {}, "notes": [], "production": None}
        row |= {"defects": [{"code": "MISMATCH", "field": "lot", "detail": "x"}]}
        row |= {"lines": [{"text": "LOT 78A", "score": 0.9, "box": box}]}
        row |= dict.fromkeys(("recipe_version", "width", "height"), 1)
        for number, name in enumerate(ids):
            values = row | {"id": name, "received_at": received + dt.timedelta(seconds=number)}
            connection.execute(old.insert().values({key: values[key] for key in old.c.keys()}))  # noqa: SIM118
    db.migrate(empty_database)
    inspections = InspectionRepository(empty_database, GroupWriter(empty_database, lambda _session: None))
    assert inspections.get(ids[0]).verdict is Verdict.FAIL
    for wanted in (Filter(), Filter(defect=DefectCode.MISMATCH), Filter(text="t 78a"), Filter(text="77A")):
        assert [one.id for one in inspections.page(wanted, before=None, limit=9)] == ids[::-1]
    with db.transaction(empty_database) as session:
        verdicts = sa.select(sa.func.sum(TallyRow.count)).where(TallyRow.kind == "verdict")
        assert session.scalar(verdicts) == 3
        if empty_database.dialect.name == "postgresql":
            months = sa.text("SELECT tableoid::regclass::text FROM inspections ORDER BY id")
            assert list(session.scalars(months)) == [
                "inspections_2026_03",
                "inspections_2026_04",
                "inspections_2026_04",
            ]


def test_ids_are_ordered_by_time_and_bound_it() -> None:
    moment = dt.datetime(2026, 12, 1, 10, 0, 0, 123_999, tzinfo=dt.timezone.utc)
    made = str(uuid7(nanoseconds=1_796_119_200_123 * 10**6))
    assert int(moment.timestamp() * 1000) == 1_796_119_200_123
    assert first_id_of(moment) < made < first_id_of(moment + dt.timedelta(milliseconds=1))


@pytest.mark.parametrize("url", ["nonsense", "nodialect://x", "mysql://x/y"])
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


def test_several_processes_may_migrate_at_once(empty_database: sa.Engine) -> None:
    url = empty_database.url.render_as_string(hide_password=False)
    command = [sys.executable, "-c", f"from service.db import engine as db; db.migrate(db.connect({url!r}))"]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    for one in running:
        _, errors = one.communicate(timeout=60)
        assert one.returncode == 0, errors


def test_a_migration_that_breaks_off_leaves_nothing_behind(
    empty_database: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("alembic.op.add_column", lambda *_: (_ for _ in ()).throw(CommandError("power lost")))
        with pytest.raises(DatabaseUnusable, match="power lost"):
            db.migrate(empty_database)
    db.migrate(empty_database)
    db.require_current(empty_database)

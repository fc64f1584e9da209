"""The commands of docs/storage.md, on databases that are being written."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest

from service.audit.entry import Author
from service.db import engine as db
from service.db.backup import back_up, restore
from service.db.writer import GroupWriter
from service.errors import DatabaseUnusable, SettingsInvalid
from service.inspections.inspection import Inspection
from service.inspections.repository import Filter, InspectionRepository
from service.inspections.reviews.repository import ReviewRepository
from service.matching.outcome import Verdict
from tests.integration.plant import Plant, reads
from tests.postgresql import PostgreSQL

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(
    r"^```bash\n(.*?)^```$", (ROOT / "docs" / "storage.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)


def run(block: str, **environment: str) -> str:
    programs = [
        str(ROOT / ".venv" / "bin"),
        *map(str, Path("/usr/lib/postgresql").glob("*/bin")),
        os.environ["PATH"],
    ]
    done = subprocess.run(
        ["bash", "-euc", block],
        env={**os.environ, "PATH": os.pathsep.join(programs), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def stored(url: str) -> list[Inspection]:
    engine = db.connect(url)
    found = InspectionRepository(engine, GroupWriter(engine, lambda _session: None)).page(
        Filter(), before=None, limit=999
    )
    engine.dispose()
    return found


@pytest.fixture
def filled(plant: Plant) -> Plant:
    """With three inspections and a review."""
    for texts in (("MILK", "LOT 77A"), ("MILK", "LOT 78A"), ()):
        last = plant.inspect(reads(*texts))
    ReviewRepository(plant.database).add(last, Verdict.PASS, Author("ann", "fine"))
    return plant


def test_the_recipe_of_the_docs(
    filled: Plant, tmp_path: Path, request: pytest.FixtureRequest, database_url: str
) -> None:
    backup, new = tmp_path / "backup", tmp_path / "new"
    backup.mkdir()
    new.mkdir()
    before = filled.stored()
    if filled.database.dialect.name == "sqlite":
        old = tmp_path / "old"
        old.mkdir()
        shutil.copytree(filled.folder, old / "images")
        url = {"PRINTPROOF_DATABASE_URL": database_url}
        run(BLOCKS[0], BACKUP=str(backup), PRINTPROOF_DATA_DIR=str(old), **url)
        filled.inspect(reads("MILK", "LOT 77A"))
        said = run(BLOCKS[1], BACKUP=str(backup), PRINTPROOF_DATA_DIR=str(new))
        restored = f"sqlite:///{new / 'printproof.db'}"
        assert len(list((new / "images").rglob("*.png"))) == 3
    else:
        server: PostgreSQL = request.getfixturevalue("postgresql")
        run(BLOCKS[2], BACKUP=str(backup), PRINTPROOF_DATABASE_URL=database_url)
        filled.inspect(reads("MILK", "LOT 77A"))
        restored = server.new_database("template0")
        said = run(BLOCKS[3], BACKUP=str(backup), PRINTPROOF_DATABASE_URL=restored)
    assert "entries, unchanged" in said
    assert stored(restored) == before


def sqlite_plant_url(plant: Plant) -> str:
    return plant.database.url.render_as_string()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_backup_is_whole_while_results_are_stored(filled: Plant, tmp_path: Path) -> None:
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            filled.inspect(reads("MILK", "LOT 77A"))

    writing = threading.Thread(target=work)
    writing.start()
    try:
        for number in range(5):
            back_up(sqlite_plant_url(filled), tmp_path / f"{number}.db")
    finally:
        stop.set()
        writing.join()
    for number in range(5):
        restore(tmp_path / f"{number}.db", f"sqlite:///{tmp_path / f'restored-{number}.db'}")
        assert len(stored(f"sqlite:///{tmp_path / f'restored-{number}.db'}")) >= 3


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_nothing_is_overwritten_and_nothing_damaged_restored(filled: Plant, tmp_path: Path) -> None:
    url, backup = sqlite_plant_url(filled), tmp_path / "backup.db"
    back_up(url, backup)
    with pytest.raises(SettingsInvalid, match="move it away"):
        back_up(url, backup)
    with pytest.raises(SettingsInvalid, match="move it away"):
        restore(backup, url)
    (tmp_path / "new.db-wal").write_bytes(b"of another database")
    with pytest.raises(SettingsInvalid, match="move it away"):
        restore(backup, f"sqlite:///{tmp_path / 'new.db'}")
    damaged = bytearray(backup.read_bytes())
    damaged[5000:9000] = bytes(4000)
    (tmp_path / "damaged.db").write_bytes(damaged)
    for source in ("damaged.db", "nothing.db"):
        with pytest.raises(DatabaseUnusable):
            restore(tmp_path / source, f"sqlite:///{tmp_path / 'other.db'}")
        assert not (tmp_path / "other.db").exists()


def test_postgresql_has_tools_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match=r"docs/storage\.md"):
        back_up("postgresql://x/y", tmp_path / "x")


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_backup_ends_while_a_line_runs(filled: Plant, tmp_path: Path) -> None:
    """Of more than fits into one step of SQLite's own default, with a commit every few milliseconds."""
    with filled.database.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE ballast (data BLOB)")
        connection.exec_driver_sql("INSERT INTO ballast VALUES (zeroblob(60000000))")
    stop = threading.Event()

    def write() -> None:
        writer = sqlite3.connect(str(filled.database.url.database), timeout=10)
        while not stop.wait(0.005):
            writer.execute("INSERT INTO ballast VALUES (x'00')")
            writer.commit()
        writer.close()

    writing = threading.Thread(target=write)
    writing.start()
    try:
        done = threading.Thread(
            target=back_up, args=(sqlite_plant_url(filled), tmp_path / "big.db"), daemon=True
        )
        done.start()
        done.join(20)
        assert not done.is_alive()
    finally:
        stop.set()
        writing.join()
    assert (tmp_path / "big.db").stat().st_size > 60_000_000
    assert not (tmp_path / "big.db-wal").exists()

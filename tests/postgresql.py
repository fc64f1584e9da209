"""A PostgreSQL server of the tests' own, on a Unix socket in a temporary folder."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from service.db import engine as db

_NAMES = (f"test_{number}" for number in itertools.count())
_NO_SERVER = (
    "the tests need PostgreSQL 15 or newer: apt-get install postgresql (or put its initdb on the PATH)"
)


@dataclass
class PostgreSQL:
    """`binaries` is the folder of its programs, `folder` that of data and socket."""

    binaries: Path
    folder: Path
    user: dict[str, str] = field(default_factory=lambda: {"user": "postgres"} if os.geteuid() == 0 else {})

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        with psycopg.connect(
            host=str(self.folder), user="postgres", dbname=database, autocommit=True
        ) as connection:
            connection.execute(statement.encode())

    def new_database(self, template: str = "migrated") -> str:
        """Its URL: a database at the newest schema, without a row; of `template0`, without a table."""
        name = next(_NAMES)
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def initialise(self) -> None:
        self._run(
            "initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8", "-N"
        )
        self.start()
        self.execute("CREATE DATABASE migrated")
        engine = db.connect(self.url("migrated"))
        db.migrate(engine)
        engine.dispose()

    def start(self) -> None:
        # Without fsync: what is tested here is how the service behaves, not the disk.
        options = f"-F -c listen_addresses='' -c unix_socket_directories={self.folder}"
        self._run("pg_ctl", "--silent", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "--silent", "-w", "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.binaries / program), "-D", str(self.folder / "data"), *arguments]
        done = subprocess.run(
            command,
            check=False,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,  # a pipe would be held open by the server
            stderr=subprocess.DEVNULL,
            **self.user,  # type: ignore[call-overload]
        )
        assert done.returncode == 0, f"{program} {' '.join(arguments)}: {done.returncode}"


@contextmanager
def running_server() -> Iterator[PostgreSQL]:
    folder = Path(tempfile.mkdtemp(prefix="printproof-pg-"))  # the path of a socket must be short
    server = PostgreSQL(_binaries(), folder)
    if server.user:
        shutil.chown(folder, "postgres")
    try:
        server.initialise()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def _binaries() -> Path:
    candidates = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    found = shutil.which(
        "initdb", path=os.pathsep.join([*map(str, reversed(candidates)), os.environ["PATH"]])
    )
    assert found is not None, _NO_SERVER
    return Path(found).parent

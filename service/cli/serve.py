"""`printproof serve`, `migrate`, `backup` and `restore`."""

from __future__ import annotations

import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.console import say
from service.errors import AddressInUse
from service.settings import MAX_DEADLINE_MS, load_settings

if TYPE_CHECKING:
    from service.settings import Settings

# A stop waits for every admitted inspection: it ends by its deadline, and then has to be stored.
STOP_TIMEOUT_S = MAX_DEADLINE_MS // 1000 + 15


def serve() -> None:
    """Start the inspection service; all settings come from PRINTPROOF_ variables."""
    import uvicorn  # noqa: PLC0415 (not needed by the other commands)

    from service.app import create_app  # noqa: PLC0415
    from service.observability import logs  # noqa: PLC0415

    # uvicorn drains, then raises the signal again under the handler it found: a clean stop ends with status 0.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    settings = load_settings()
    logs.configure(settings.log_level, settings.log_format)
    with _listen(settings) as listener:
        app = create_app(settings)
        config = uvicorn.Config(
            app,
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=STOP_TIMEOUT_S,
            server_header=False,
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=settings.trusted_proxies,
        )
        uvicorn.Server(config).run(sockets=[listener])


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        raise AddressInUse(
            f"PRINTPROOF_HOST, PRINTPROOF_PORT: cannot listen on {settings.host}:{settings.port}: {error.strerror or error}"
        ) from None


def migrate() -> None:
    """Bring the database to this version's schema (SQLite does so by itself at every start)."""
    from service.db import engine as db  # noqa: PLC0415

    settings = load_settings()
    database = db.connect(settings.database)
    db.migrate(database)
    say(f"the database is up to date: {database.url.render_as_string(hide_password=True)}")


def backup(
    file: Annotated[Path, typer.Argument(help="File to write; it must not be there yet.")],
) -> None:
    """Copy the SQLite database into a file, while the service runs (PostgreSQL: docs/storage.md)."""
    from service.db.backup import back_up  # noqa: PLC0415

    back_up(load_settings().database, file)
    say(f"the database is in {file}; copy the images now")


def restore(file: Annotated[Path, typer.Argument(help="A backup.")]) -> None:
    """Make a backup the SQLite database; the service must not run, and no database be there (docs/storage.md)."""
    from service.db import backup as db_backup  # noqa: PLC0415

    db_backup.restore(file, load_settings().database)
    say("the database is restored; copy the images back now")

"""`printproof serve` and `printproof migrate`."""

from __future__ import annotations

import signal
import sys

from service.cli.console import reporter
from service.settings import load_settings

SHUTDOWN_GRACE_S = 40  # longer than the drain, so that admitted inspections are finished


def serve() -> None:
    """Start the inspection service; all settings come from PRINTPROOF_ variables."""
    import uvicorn  # noqa: PLC0415 (not needed by the other commands)

    from service.app import create_app  # noqa: PLC0415
    from service.observability import logs  # noqa: PLC0415

    # uvicorn drains, then raises the signal again under the handler it found: a clean stop ends with status 0.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    settings = load_settings()
    logs.configure(settings.log_level, settings.log_format)
    uvicorn.run(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=SHUTDOWN_GRACE_S,
        server_header=False,
    )


def migrate() -> None:
    """Bring the database to this version's schema (SQLite does so by itself at every start)."""
    from service.db import engine as db  # noqa: PLC0415

    settings = load_settings()
    database = db.connect(settings.database)
    db.migrate(database)
    reporter()(f"the database is up to date: {database.url.render_as_string(hide_password=True)}")

"""What the service does for itself once an hour."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Mapping
from typing import Final

import structlog
from anyio import to_thread

from service.errors import PrintProofError

log = structlog.get_logger()

FIRST_AFTER_S: Final = 60
EVERY_S: Final = 3600

Task = Callable[[dt.datetime], object]


async def keep_up(
    tasks: Mapping[str, Task], first_after_s: float = FIRST_AFTER_S, every_s: float = EVERY_S
) -> None:
    """Do all tasks again and again until cancelled. One that fails is logged and done again at its next time."""
    await asyncio.sleep(first_after_s)
    while True:
        for name, task in tasks.items():
            try:
                await to_thread.run_sync(task, dt.datetime.now(dt.timezone.utc), abandon_on_cancel=True)
            except PrintProofError as error:
                log.warning("upkeep_failed", task=name, reason=str(error))
            except Exception:
                log.exception("upkeep_failed", task=name)
        await asyncio.sleep(every_s)

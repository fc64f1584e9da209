"""Structured logs on standard error: ours, and those of the libraries, in one form."""

from __future__ import annotations

import logging
import sys
from typing import Literal

import structlog


def configure(level: str, form: Literal["json", "text"]) -> None:
    """Set up logging; `form` is one JSON object a line, or text for people."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    rendered: list[structlog.typing.Processor]
    if form == "json":
        # Without the local variables of each frame: they would carry requests, keys and images into the log.
        tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        rendered = [
            structlog.processors.ExceptionRenderer(tracebacks),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    else:
        rendered = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendered],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in ("uvicorn", "alembic", "sqlalchemy", "PIL"):
        logging.getLogger(name).setLevel("WARNING")

"""Who makes a change by command, and why."""

from __future__ import annotations

import getpass
from typing import Annotated

import typer

from service.audit.entry import MAX_NAME, MAX_REASON, Author
from service.errors import ValueInvalid


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user that has no name
        return ""


Reason = Annotated[str, typer.Option(help="Why; it is kept in the audit trail.")]
By = Annotated[str, typer.Option(help="Who makes the change.", default_factory=_user)]


def author(by: str, reason: str) -> Author:
    """Raises ValueInvalid."""
    return Author(one_line("--by", by, MAX_NAME), one_line("--reason", reason, MAX_REASON))


def one_line(what: str, text: str, most: int = MAX_NAME) -> str:
    """A text that may stand in a log.

    Raises:
        ValueInvalid: it is blank, too long or holds something that cannot be printed.
    """
    if not text.strip() or len(text) > most or not text.isprintable():
        raise ValueInvalid(f"{what} must not be blank, and have at most {most} characters on one line")
    return text

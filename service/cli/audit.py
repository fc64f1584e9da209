"""`printproof audit`: the trail of who did what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.console import EXIT_NOT_PASSED, complain, output
from service.settings import load_settings

if TYPE_CHECKING:
    from service.audit.repository import AuditRepository

app = typer.Typer(help="The trail of who did what, when and why.", no_args_is_help=True)


@contextmanager
def _trail() -> Iterator[AuditRepository]:
    from service.audit.repository import AuditRepository  # noqa: PLC0415 (SQLAlchemy)
    from service.db.engine import opened  # noqa: PLC0415

    with opened(load_settings().database) as database:
        yield AuditRepository(database)


@app.command("verify")
def verify(
    head: Annotated[
        str | None, typer.Option(help="A digest printed before: is that entry still in the trail?")
    ] = None,
) -> None:
    """Follow the hash chain from its beginning; exit 1 if an entry was changed or is missing.

    Note the digest down where nobody of the plant can change it: it alone shows later whether the end was cut off, or
    the chain written anew.
    """
    with _trail() as trail:
        found = trail.verify(head)
    if found.fault is not None:
        complain(f"the trail is broken: {found.fault}")
        raise typer.Exit(EXIT_NOT_PASSED)
    output.print(f"{found.entries} entries, unchanged; digest of the last: {found.head}", markup=False)


@app.command("list")
def list_entries(
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 50,
) -> None:
    """The latest entries, the latest first."""
    from service.audit.repository import AuditFilter  # noqa: PLC0415

    with _trail() as trail:
        for one in trail.page(AuditFilter(), before=None, limit=limit):
            facts = (
                f"{one.number}  {one.at:%Y-%m-%d %H:%M:%S}  {one.action.value}  {one.subject}  by {one.by}"
            )
            output.print(f"{facts}: {one.reason}" if one.reason else facts, markup=False)

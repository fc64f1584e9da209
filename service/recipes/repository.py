"""Stored recipe versions."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import sqlalchemy as sa

from service.db.engine import transaction
from service.errors import RecipeNotFound
from service.recipes.files import parse_recipe
from service.recipes.tables import RecipeVersionRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.recipes.recipe import Recipe


@dataclass(frozen=True, slots=True)
class StoredRecipe:
    """A recipe with its version set, and what was stored of it."""

    recipe: Recipe
    source: str
    created_at: dt.datetime
    active: bool


class RecipeRepository:
    """Versions are immutable, so each is parsed once and kept."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._parsed: dict[tuple[str, int], Recipe] = {}

    def sync(self, recipes: Sequence[tuple[Recipe, str]]) -> list[str]:
        """Make the recipe files what is active: their text is the whole truth.

        A text that is new becomes the next version, one that was active before the version it was; a recipe whose file
        is gone has no active version any more.

        Returns:
            What changed, for the log.
        """
        changed = []
        with transaction(self._engine, writes=True) as session:
            stored: dict[str, list[RecipeVersionRow]] = {}
            for row in session.scalars(sa.select(RecipeVersionRow)):
                stored.setdefault(row.name, []).append(row)
            for recipe, source in recipes:
                versions = stored.pop(recipe.name, [])
                digest = hashlib.sha256(source.encode()).hexdigest()
                found = next((one for one in versions if one.sha256 == digest), None)
                if found is not None and found.active:
                    continue
                for one in versions:
                    one.active = False
                if found is None:
                    found = RecipeVersionRow(
                        name=recipe.name,
                        version=max((one.version for one in versions), default=0) + 1,
                        source=source,
                        sha256=digest,
                        created_at=dt.datetime.now(dt.timezone.utc),
                    )
                    session.add(found)
                found.active = True
                changed.append(f"{found.name} version {found.version} is active")
            for row in [row for versions in stored.values() for row in versions if row.active]:
                row.active = False
                changed.append(f"{row.name} is no longer active: its file is gone")
        return changed

    def active(self, name: str) -> Recipe:
        """The active version of a recipe.

        Raises:
            RecipeNotFound
        """
        return self.get(name).recipe

    def get(self, name: str, version: int | None = None) -> StoredRecipe:
        """One version, the active one by default.

        Raises:
            RecipeNotFound
        """
        wanted = RecipeVersionRow.active if version is None else RecipeVersionRow.version == version
        with transaction(self._engine) as session:
            row = session.scalars(
                sa.select(RecipeVersionRow).where(RecipeVersionRow.name == name, wanted)
            ).first()
            if row is None:
                in_version = "" if version is None else f" in version {version}"
                raise RecipeNotFound(f"there is no recipe {name!r}{in_version}")
            return self._stored(row)

    def active_recipes(self) -> list[StoredRecipe]:
        """The active version of every recipe, by name."""
        with transaction(self._engine) as session:
            query = sa.select(RecipeVersionRow).where(RecipeVersionRow.active).order_by(RecipeVersionRow.name)
            return [self._stored(row) for row in session.scalars(query)]

    def _stored(self, row: RecipeVersionRow) -> StoredRecipe:
        key = (row.name, row.version)
        recipe = self._parsed.get(key)
        if recipe is None:
            recipe = replace(
                parse_recipe(row.source, f"{row.name} version {row.version}"), version=row.version
            )
            self._parsed[key] = recipe
        return StoredRecipe(recipe, row.source, row.created_at, row.active)

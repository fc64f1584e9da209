"""Stored recipe versions, and what was done to them."""

from __future__ import annotations

import datetime as dt
import difflib
import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import sqlalchemy as sa

from service.audit.entry import Action, Author
from service.audit.repository import entries_of, record
from service.db.engine import change, transaction
from service.errors import RecipeFromFile, RecipeNotFound, SettingsInvalid, VersionConflict
from service.recipes.files import parse_recipe
from service.recipes.tables import RecipeVersionRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from service.recipes.recipe import Recipe

Change = Literal["created", "activated", "deactivated"]
_ACTIONS: Final[dict[Action, Change]] = {
    Action.RECIPE_CREATED: "created",
    Action.RECIPE_ACTIVATED: "activated",
    Action.RECIPE_DEACTIVATED: "deactivated",
}

FOLDER: Final = Author("the recipes folder", "found there at the start")


@dataclass(frozen=True, slots=True)
class StoredRecipe:
    """A recipe with its version set, and what was stored of it."""

    recipe: Recipe
    source: str
    created_at: dt.datetime
    active: bool
    from_file: bool


@dataclass(frozen=True, slots=True)
class RecipeChange:
    """What was done to a recipe."""

    at: dt.datetime
    recipe: str
    version: int
    action: Change
    by: str
    reason: str


class RecipeRepository:
    """Versions are immutable, so each is parsed once and kept."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._parsed: dict[tuple[str, int, str], Recipe] = {}

    def sync(self, recipes: Sequence[tuple[Recipe, str]]) -> list[str]:
        """Make the recipe files what is active: for them, their text is the whole truth.

        A text that is new becomes the next version, one that was active before the version it was; a recipe whose file
        is gone has no active version any more. Recipes that were never files stay as they are.

        Returns:
            What changed, for the log.

        Raises:
            SettingsInvalid: a file is of a recipe that is active from outside the folder.
        """
        changed = []
        with change(self._engine) as session:
            stored: dict[str, list[RecipeVersionRow]] = {}
            for row in session.scalars(sa.select(RecipeVersionRow)):
                stored.setdefault(row.name, []).append(row)
            for recipe, source in recipes:
                versions = stored.pop(recipe.name, [])
                if any(one.active and not one.from_file for one in versions):
                    raise SettingsInvalid(
                        f"PRINTPROOF_RECIPES_DIR: recipe {recipe.name} is active from outside the folder: "
                        "deactivate it, or take the file away"
                    )
                found = next((one for one in versions if one.sha256 == _digest(source)), None)
                if found is not None and found.active and found.from_file:
                    continue
                if found is None:
                    found = _add(session, recipe.name, versions, source, FOLDER, from_file=True)
                found.from_file = True
                _activate(session, found, versions, FOLDER)
                changed.append(f"{found.name} version {found.version} is active")
            gone = [row for versions in stored.values() for row in versions if row.active and row.from_file]
            for row in gone:
                row.active = False
                _record(session, row, Action.RECIPE_DEACTIVATED, Author(FOLDER.by, "its file is gone"))
                changed.append(f"{row.name} is no longer active: its file is gone")
        return changed

    def create(self, source: str, author: Author, *, based_on: int, activate: bool) -> StoredRecipe:
        """Store a text as the next version of the recipe that it names.

        `based_on` is the newest version that the author has seen, 0 for a recipe that is new: so nobody overwrites
        what another has changed meanwhile.

        Raises:
            RecipeInvalid: the text holds faults.
            VersionConflict: there is a newer version.
            RecipeFromFile: the recipe is a file of the recipes folder.
        """
        recipe = parse_recipe(source, "recipe")
        with change(self._engine) as session:
            versions = _versions(session, recipe.name)
            _refuse_files(versions)
            newest = max((one.version for one in versions), default=0)
            if newest != based_on:
                raise VersionConflict(
                    f"recipe {recipe.name} is at version {newest}, and this change is based on {based_on}"
                )
            row = _add(session, recipe.name, versions, source, author, from_file=False)
            if activate:
                _activate(session, row, versions, author)
            session.flush()
            return self._stored(row)

    def activate(self, name: str, version: int, author: Author) -> StoredRecipe:
        """Let new inspections be judged by a version.

        Raises:
            RecipeNotFound
            RecipeFromFile: the recipe is a file of the recipes folder.
        """
        with change(self._engine) as session:
            versions = _versions(session, name)
            _refuse_files(versions)
            row = next((one for one in versions if one.version == version), None)
            if row is None:
                raise _not_found(name, version)
            if not row.active:
                row.from_file = False  # its file is gone: from here on it is kept here
                _activate(session, row, versions, author)
            return self._stored(row)

    def roll_back(self, name: str, author: Author) -> StoredRecipe:
        """Activate the version that was active before the present one.

        Raises:
            RecipeNotFound: there is no recipe, or no version was active before.
            RecipeFromFile: the recipe is a file of the recipes folder.
        """
        with change(self._engine) as session:
            versions = _versions(session, name)
            _refuse_files(versions)
            entries = entries_of(session, _subject(name), [Action.RECIPE_ACTIVATED])
            activated = [entry.detail["version"] for entry in entries]
            before = next((version for version in activated if version != activated[0]), None)
            row = next((one for one in versions if one.version == before), None)
            if row is None:
                raise RecipeNotFound(f"recipe {name!r} has no version that was active before")
            row.from_file = False
            _activate(session, row, versions, author)
            return self._stored(row)

    def deactivate(self, name: str, author: Author) -> None:
        """Let no more inspections be judged by a recipe; its versions stay.

        Raises:
            RecipeNotFound
            RecipeFromFile: the recipe is a file of the recipes folder.
        """
        with change(self._engine) as session:
            versions = _versions(session, name)
            _refuse_files(versions)
            row = next((one for one in versions if one.active), None)
            if row is None:
                raise _not_found(name, None)
            row.active = False
            _record(session, row, Action.RECIPE_DEACTIVATED, author)

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
                raise _not_found(name, version)
            return self._stored(row)

    def active_recipes(self) -> list[StoredRecipe]:
        """The active version of every recipe, by name."""
        with transaction(self._engine) as session:
            query = sa.select(RecipeVersionRow).where(RecipeVersionRow.active).order_by(RecipeVersionRow.name)
            return [self._stored(row) for row in session.scalars(query)]

    def versions(self, name: str) -> list[StoredRecipe]:
        """All versions of a recipe, the newest first.

        Raises:
            RecipeNotFound
        """
        with transaction(self._engine) as session:
            rows = _versions(session, name)
            if not rows:
                raise _not_found(name, None)
            return [self._stored(row) for row in rows]

    def newest(self, name: str) -> int:
        """The number of the newest version; 0 if there is none."""
        with transaction(self._engine) as session:
            return max((row.version for row in _versions(session, name)), default=0)

    def changes(self, name: str, limit: int) -> list[RecipeChange]:
        """What was done to a recipe, the latest first."""
        with transaction(self._engine) as session:
            return [
                RecipeChange(one.at, name, one.detail["version"], _ACTIONS[one.action], one.by, one.reason)
                for one in entries_of(session, _subject(name), list(_ACTIONS), limit)
            ]

    def _stored(self, row: RecipeVersionRow) -> StoredRecipe:
        key = (row.name, row.version, row.sha256)  # another database file has other texts
        recipe = self._parsed.get(key)
        if recipe is None:
            recipe = replace(
                parse_recipe(row.source, f"{row.name} version {row.version}"), version=row.version
            )
            self._parsed[key] = recipe
        return StoredRecipe(recipe, row.source, row.created_at, row.active, row.from_file)


def unified_diff(old: StoredRecipe, new: StoredRecipe) -> str:
    """Two versions as `diff -u` shows them; empty if their texts are equal."""
    lines = difflib.unified_diff(
        _lines(old.source),
        _lines(new.source),
        f"{old.recipe.name} version {old.recipe.version}",
        f"{new.recipe.name} version {new.recipe.version}",
    )
    return "".join(lines)


def _lines(text: str) -> list[str]:
    return [f"{line}\n" for line in text.splitlines()]


def _versions(session: Session, name: str) -> list[RecipeVersionRow]:
    query = (
        sa.select(RecipeVersionRow)
        .where(RecipeVersionRow.name == name)
        .order_by(RecipeVersionRow.version.desc())
    )
    return list(session.scalars(query))


def _add(
    session: Session,
    name: str,
    versions: Sequence[RecipeVersionRow],
    source: str,
    author: Author,
    *,
    from_file: bool,
) -> RecipeVersionRow:
    row = RecipeVersionRow(
        name=name,
        version=max((one.version for one in versions), default=0) + 1,
        source=source,
        sha256=_digest(source),
        created_at=dt.datetime.now(dt.timezone.utc),
        active=False,
        from_file=from_file,
    )
    session.add(row)
    _record(session, row, Action.RECIPE_CREATED, author)
    return row


def _activate(
    session: Session, row: RecipeVersionRow, versions: Sequence[RecipeVersionRow], author: Author
) -> None:
    for one in versions:
        one.active = False
    row.active = True
    _record(session, row, Action.RECIPE_ACTIVATED, author)


def _record(session: Session, row: RecipeVersionRow, action: Action, author: Author) -> None:
    record(session, author, action, _subject(row.name), {"version": row.version, "sha256": row.sha256})


def _subject(name: str) -> str:
    return f"recipe/{name}"


def _refuse_files(versions: Sequence[RecipeVersionRow]) -> None:
    managed = next((one for one in versions if one.active and one.from_file), None)
    if managed is not None:
        raise RecipeFromFile(
            f"recipe {managed.name} is a file of the recipes folder: change it there and restart the service"
        )


def _digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()


def _not_found(name: str, version: int | None) -> RecipeNotFound:
    return RecipeNotFound(
        f"there is no recipe {name!r}" + ("" if version is None else f" in version {version}")
    )

from __future__ import annotations

import pytest
import sqlalchemy as sa

from service.audit.entry import Author
from service.db import engine as db
from service.errors import RecipeNotFound, SettingsInvalid
from service.recipes.files import parse_recipe
from service.recipes.repository import RecipeRepository
from service.recipes.tables import RecipeVersionRow
from tests.integration.conftest import RECIPE

CHANGED = RECIPE.replace('"MILK"', '"CREAM"')


def sync(repository: RecipeRepository, source: str) -> list[str]:
    return repository.sync([(parse_recipe(source, "milk.yaml"), source)])


def test_a_changed_file_is_a_new_version_and_the_old_one_stays(recipes: RecipeRepository) -> None:
    assert sync(recipes, RECIPE) == []
    assert sync(recipes, CHANGED) == ["milk version 2 is active"]
    assert recipes.active("milk").version == 2
    assert recipes.active("milk").fields[0].expect == "CREAM"
    first = recipes.get("milk", 1)
    assert (first.source, first.active, first.recipe.fields[0].expect) == (RECIPE, False, "MILK")


def test_a_text_that_was_there_before_is_the_version_it_was(recipes: RecipeRepository) -> None:
    sync(recipes, CHANGED)
    assert sync(recipes, RECIPE) == ["milk version 1 is active"]
    assert [(stored.recipe.version, stored.active) for stored in recipes.active_recipes()] == [(1, True)]


def test_a_recipe_whose_file_is_gone_is_no_longer_active(recipes: RecipeRepository) -> None:
    assert recipes.sync([]) == ["milk is no longer active: its file is gone"]
    assert recipes.active_recipes() == []
    with pytest.raises(RecipeNotFound):
        recipes.active("milk")
    assert recipes.get("milk", 1).source == RECIPE  # results still point to it
    assert sync(recipes, RECIPE) == ["milk version 1 is active"]


def test_not_found(recipes: RecipeRepository) -> None:
    with pytest.raises(RecipeNotFound, match=r"there is no recipe 'cream'$"):
        recipes.get("cream")
    with pytest.raises(RecipeNotFound, match="in version 9"):
        recipes.get("milk", 9)


def test_a_file_of_a_recipe_that_is_active_from_outside_stops_the_start(recipes: RecipeRepository) -> None:
    other = RECIPE.replace("recipe: milk", "recipe: other")
    recipes.create(other, Author("ann", "new"), based_on=0, activate=True)
    with pytest.raises(SettingsInvalid, match="recipe other is active from outside the folder"):
        recipes.sync([(parse_recipe(other, "other.yaml"), other)])


def test_a_version_whose_file_is_gone_is_kept_here_once_it_is_activated(recipes: RecipeRepository) -> None:
    author = Author("ann", "keep it")
    recipes.sync([])
    assert recipes.activate("milk", 1, author).from_file is False
    assert recipes.sync([]) == []
    assert recipes.active("milk").version == 1
    recipes.deactivate("milk", author)


def test_a_replaced_database_has_recipes_of_its_own(recipes: RecipeRepository, database: sa.Engine) -> None:
    assert recipes.active("milk").fields[0].expect == "MILK"
    with db.transaction(database) as session:
        row = session.get(RecipeVersionRow, ("milk", 1))
        assert row is not None
        row.source, row.sha256 = CHANGED, "1" * 64
    assert recipes.active("milk").fields[0].expect == "CREAM"

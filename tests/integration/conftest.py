from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from service.db import engine as db
from service.recipes.files import parse_recipe
from service.recipes.repository import RecipeRepository
from tests.integration.plant import Plant

RECIPE = """\
recipe: milk
fields:
  - name: brand
    expect: "MILK"
  - name: lot
    prefix: "LOT"
    expect: "{lot}"
"""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sa.Engine]:
    """A real SQLite file at the newest schema."""
    engine = db.connect(f"sqlite:///{tmp_path / 'test.db'}")
    db.migrate(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def recipes(database: sa.Engine) -> RecipeRepository:
    repository = RecipeRepository(database)
    repository.sync([(parse_recipe(RECIPE, "milk.yaml"), RECIPE)])
    return repository


@pytest.fixture
def plant(database: sa.Engine, recipes: RecipeRepository, tmp_path: Path) -> Plant:
    return Plant(database, recipes, tmp_path / "images")

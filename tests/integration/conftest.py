from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from service.db import engine as db
from service.recipes.files import parse_recipe
from service.recipes.repository import RecipeRepository
from tests.integration.plant import Plant
from tests.postgresql import PostgreSQL

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
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'test.db'}"


only_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """Each kind of database that the service can store in, without a row."""
    if request.param == "sqlite":
        url: str = request.getfixturevalue("sqlite_url")
        return url
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.new_database()


@pytest.fixture
def database(database_url: str) -> Iterator[sa.Engine]:
    engine = db.connect(database_url)
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

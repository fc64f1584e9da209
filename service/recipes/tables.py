from __future__ import annotations

import datetime as dt

from sqlalchemy import Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.db.engine import Base
from service.db.types import Instant


class RecipeVersionRow(Base):
    """One version of a recipe: its text is never changed once it is stored.

    `from_file` says that the recipes folder is where it is kept; such a recipe is changed there.
    """

    __tablename__ = "recipe_versions"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[str] = mapped_column(Text)
    sha256: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[dt.datetime] = mapped_column(Instant)
    active: Mapped[bool]
    from_file: Mapped[bool] = mapped_column(server_default="1")


class RecipeChangeRow(Base):
    """Who did what to a recipe, and why; rows are only added."""

    __tablename__ = "recipe_changes"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[dt.datetime] = mapped_column(Instant)
    recipe: Mapped[str] = mapped_column(String(64))
    version: Mapped[int]
    action: Mapped[str] = mapped_column(String(16))
    by: Mapped[str] = mapped_column(String(64))
    reason: Mapped[str] = mapped_column(String(500))

    __table_args__ = (Index("ix_recipe_changes_recipe", "recipe", "id"),)

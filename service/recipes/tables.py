from __future__ import annotations

import datetime as dt

from sqlalchemy import String, Text
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

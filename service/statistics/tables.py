from __future__ import annotations

from sqlalchemy import BigInteger, Double, String
from sqlalchemy.orm import Mapped, mapped_column

from service.db.engine import Base


class TallyRow(Base):
    """What was counted in a minute. Written with the inspections themselves, so that statistics never disagree.

    `kind` is `verdict` (`name`: the verdict), `review` (`name`: its outcome), `defect` (`name`: the code; `field`) or `score` (`field`; `total`: sum
    of the scores). Empty texts stand for none, as parts of a key cannot be null.
    """

    __tablename__ = "tallies"

    kind: Mapped[str] = mapped_column(String(8), primary_key=True)
    minute: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    station_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    recipe: Mapped[str] = mapped_column(String(64), primary_key=True)
    recipe_version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    field: Mapped[str] = mapped_column(String(64), primary_key=True)
    count: Mapped[int] = mapped_column(BigInteger)
    total: Mapped[float] = mapped_column(Double)

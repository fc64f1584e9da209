"""The products whose labels are drawn, and the values that change from part to part."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from random import Random

Face = Literal["sans", "ocr-b", "dot-matrix"]

# Letters that no reader and no person takes for a digit: a good label must not be a matter of luck.
_LETTERS: Final = "ACEFHKLMNPRTWXY"
_FIRST_DAY: Final = dt.date(2026, 1, 1)


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line: `role` is what a defect may strike (`lot`, `date`), or `fixed`."""

    text: str
    face: Face
    height: int
    """Of a capital letter, in pixels of the drawn label."""
    role: Literal["fixed", "lot", "date"] = "fixed"


@dataclass(frozen=True, slots=True)
class Product:
    """A recipe name, its printed lines, and how lot and date look."""

    recipe: str
    lines: tuple[Line, ...]
    lot: str
    """A pattern: # is a digit, @ a letter, anything else itself."""
    date: str
    """A strftime format."""

    def values(self, random: Random) -> dict[str, str]:
        """The expected values of one part."""
        lot = "".join(
            random.choice("0123456789") if char == "#" else random.choice(_LETTERS) if char == "@" else char
            for char in self.lot
        )
        day = _FIRST_DAY + dt.timedelta(days=random.randrange(730))
        return {"lot": lot, "best_before": day.strftime(self.date)}

    def printed(self, values: dict[str, str]) -> list[Line]:
        """Its lines with the values filled in."""
        return [Line(line.text.format(**values), line.face, line.height, line.role) for line in self.lines]


PRODUCTS: Final = (
    Product(
        "fresh-milk",
        (
            Line("ALPENGLOW", "sans", 58),
            Line("FRESH MILK 3.5%", "sans", 30),
            Line("LOT {lot}", "dot-matrix", 38, "lot"),
            Line("USE BY {best_before}", "dot-matrix", 38, "date"),
        ),
        lot="L######@",
        date="%d/%m/%y",
    ),
    Product(
        "tablets",
        (
            Line("VERALIN 20 MG", "sans", 46),
            Line("GTIN 04012345678901", "ocr-b", 28),
            Line("BATCH {lot}", "ocr-b", 28, "lot"),
            Line("EXP {best_before}", "ocr-b", 28, "date"),
        ),
        lot="@@#####",
        date="%m/%Y",
    ),
    Product(
        "shampoo",
        (
            Line("温和洗发水", "sans", 52),
            Line("净含量：220ml", "sans", 28),
            Line("生产批号：{lot}", "sans", 30, "lot"),
            Line("限用日期：{best_before}", "sans", 30, "date"),
        ),
        lot="@#######",
        date="%Y.%m.%d",
    ),
)

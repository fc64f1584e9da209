"""Where a print stands, as a recipe says it. Pure values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.imaging.regions import Region


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a print may stick out of its box: a share of the image's width and height, or millimetres."""

    share: float = 0.0
    mm: float | None = None

    def pixels(self, width: int, height: int, width_mm: float | None) -> tuple[float, float]:
        """Across and down, in an image of this size that shows `width_mm` from left to right."""
        if self.mm is not None and width_mm is not None:
            return self.mm * width / width_mm, self.mm * width / width_mm
        return self.share * width, self.share * height


@dataclass(frozen=True, slots=True)
class Near:
    """The box that holds a print on a good image, and the angle of its text (degrees clockwise; 0 is level)."""

    box: Region | None = None
    tolerance: Tolerance = Tolerance()
    angle: float | None = None
    angle_tolerance: float = 10.0

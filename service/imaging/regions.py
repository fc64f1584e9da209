"""Which part of an image is read, and how finely. Pure values, in fractions: they mean the same at every resolution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle; all four are shares (0..1) of the upright image's width and height."""

    left: float
    top: float
    width: float
    height: float

    def pixels(self, width: int, height: int) -> tuple[int, int, int, int]:
        """Left, top, right and bottom in an image of this size; at least one pixel."""
        left, top = (
            min(side - 1, round(share * side)) for share, side in ((self.left, width), (self.top, height))
        )
        right, bottom = (
            max(begin + 1, min(side, round(end * side)))
            for begin, end, side in (
                (left, self.left + self.width, width),
                (top, self.top + self.height, height),
            )
        )
        return left, top, right, bottom


@dataclass(frozen=True, slots=True)
class View:
    """What a recipe knows of its images, so that less has to be looked at."""

    roi: Region | None = None
    """Text is looked for in this region of interest alone."""
    lines: tuple[Region, ...] = ()
    """Where each line stands: they are read without looking for text at all."""
    min_glyph_px: float | None = None
    """Height of the smallest capital or digit that must be read, in pixels of the image."""
    width_mm: float | None = None
    """What the image shows from left to right, in millimetres."""
    rotate: int | None = None
    """How far the label is turned clockwise: 0, 90, 180 or 270 degrees; None where that is to be found out."""

    def area(self, width: int, height: int) -> tuple[int, int, int, int]:
        """The region of interest, or all, in an image of this size: left, top, right, bottom."""
        return (self.roi or Region(0, 0, 1, 1)).pixels(width, height)


WHOLE_IMAGE: Final = View()

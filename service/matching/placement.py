"""Whether prints stand where the recipe says: the label is registered by its anchors first.

A label that lies askew or further to the left is no misprint. So the anchors' expected places are fitted to where they
were found, and everything else is judged as seen from them.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.matching.outcome import Outcome

if TYPE_CHECKING:
    from service.imaging.regions import Region
    from service.ocr.text import Quad
    from service.recipes.position import Near
    from service.recipes.recipe import Recipe

MAX_SCALE: Final = 2.0  # anchors that seem further apart or closer than this are misread, not moved


@dataclass(frozen=True, slots=True)
class Size:
    """Of an image in pixels, and what it shows from left to right in millimetres if that is known."""

    width: int
    height: int
    width_mm: float | None = None


@dataclass(frozen=True, slots=True)
class Registration:
    """A similarity of the plane, from where things should be to where they are: z -> turn * z + shift (z = x + iy)."""

    turn: complex = 1 + 0j
    shift: complex = 0j

    @property
    def degrees(self) -> float:
        """How far the label is turned clockwise (y points down)."""
        return math.degrees(cmath.phase(self.turn))

    def back(self, x: float, y: float) -> complex:
        """Where on a label that lies as it should a point would be."""
        return (complex(x, y) - self.shift) / self.turn


def register(recipe: Recipe, found: Mapping[str, Quad], size: Size) -> Registration:
    """Fit the expected places of the anchors to where they were found.

    One anchor gives the shift; two or more also turn and scale, by least squares over their middles (complex linear
    regression, which is the closed form of S. Umeyama, "Least-squares estimation of transformation parameters between two
    point patterns", IEEE PAMI 13, 1991, in two dimensions without reflection).
    """
    boxes = {field.name: field.near.box for field in recipe.fields if field.near and field.near.box}
    pairs = [
        (_middle(_corners(boxes[name], size)), _middle(found[name]))
        for name in recipe.anchors
        if name in found
    ]
    if not pairs:
        return Registration()
    should = sum(point for point, _ in pairs) / len(pairs)
    stands = sum(point for _, point in pairs) / len(pairs)
    spread = sum(abs(point - should) ** 2 for point, _ in pairs)
    turn = 1 + 0j
    if spread > 1:
        turn = sum((there - stands) * (point - should).conjugate() for point, there in pairs) / spread
        if not 1 / MAX_SCALE <= abs(turn) <= MAX_SCALE:
            turn = 1 + 0j
    return Registration(turn, stands - turn * should)


def preference(
    near: Near, registration: Registration, size: Size, box_of: Callable[[int, int], Quad], most: int
) -> Callable[[int, int], int]:
    """What a place is worth for where it stands: `most` in the middle of the expected box, less the further away."""
    middle = _middle(_corners(near.box, size)) if near.box else 0j
    diagonal = math.hypot(size.width, size.height)

    def gain(first: int, last: int) -> int:
        there = _middle(box_of(first, last))
        away = abs(registration.back(there.real, there.imag) - middle) / diagonal
        return round(most * max(0.0, 1 - away))

    return gain


def placement_fault(
    near: Near, box: Quad, degrees: float, registration: Registration, size: Size
) -> tuple[Outcome, str] | None:
    """What is wrong with the place or the angle (`degrees`, clockwise) of a print; None if nothing is."""
    if near.angle is not None:
        off = (degrees - registration.degrees - near.angle + 180) % 360 - 180
        if abs(off) > near.angle_tolerance:
            return Outcome.ROTATED, f"turned by {off:.0f} degrees, {near.angle_tolerance:g} allowed"
    if near.box is None:
        return None
    corners = _corners(near.box, size)
    across, down = near.tolerance.pixels(size.width, size.height, size.width_mm)
    points = [registration.back(x, y) for x, y in box]
    left, right = min(one.real for one in points), max(one.real for one in points)
    top, bottom = min(one.imag for one in points), max(one.imag for one in points)
    (box_left, box_top), (box_right, box_bottom) = corners[0], corners[2]
    beyond = {
        "left": box_left - across - left,
        "right": right - box_right - across,
        "above": box_top - down - top,
        "below": bottom - box_bottom - down,
    }
    out = [f"{_length(pixels, size)} too far {side}" for side, pixels in beyond.items() if pixels > 0.5]
    return (Outcome.MISPLACED, " and ".join(out)) if out else None


def _length(pixels: float, size: Size) -> str:
    if size.width_mm is not None:
        return f"{pixels * size.width_mm / size.width:.1f} mm"
    return f"{pixels:.0f} px"


def _corners(region: Region, size: Size) -> Quad:
    left, top = region.left * size.width, region.top * size.height
    right, bottom = left + region.width * size.width, top + region.height * size.height
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _middle(box: Sequence[tuple[float, float]]) -> complex:
    return complex(sum(x for x, _ in box) / 4, sum(y for _, y in box) / 4)

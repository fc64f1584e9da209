"""Whether prints stand where the recipe says: the label is registered by its anchors first.

A label that lies askew or further to the left is no misprint. So the anchors' expected places are fitted to where they
were found, and everything else is judged as seen from them.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final

from service.matching.outcome import Outcome

if TYPE_CHECKING:
    from service.imaging.regions import Region
    from service.ocr.text import Quad
    from service.recipes.position import Near
    from service.recipes.recipe import Recipe

MAX_SCALE: Final = 1.25  # anchors that seem further apart or closer than this are misplaced themselves
MAX_LINE_PITCH: Final = 4.0  # heights from one line of a print to the next
MAX_TURN_ERROR: Final = (
    10.0  # degrees between lines of one print, and between the turn of anchors' places and that of their text
)


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


def register(recipe: Recipe, found: Mapping[str, tuple[Quad, float]], size: Size) -> Registration:
    """Fit the expected places of the anchors to where they were found (boxes, and directions of their text in degrees).

    One anchor gives the shift; two or more also turn and scale, by least squares over their middles (complex linear
    regression, which is the closed form of S. Umeyama, "Least-squares estimation of transformation parameters between two
    point patterns", IEEE PAMI 13, 1991, in two dimensions without reflection). Two points fit any turn and scale: so the
    text of the anchors must be turned as far, and a label cannot be much larger than it was; else only the shift counts,
    and anchors that changed places are misplaced.
    """
    nears = {field.name: field.near for field in recipe.fields if field.near and field.near.box}
    names = [name for name in recipe.anchors if name in found and name in nears]
    if not names:
        return Registration()
    pairs = [
        (_middle(_corners(box, size)), _middle(found[name][0])) for name in names if (box := nears[name].box)
    ]
    should = sum(point for point, _ in pairs) / len(pairs)
    stands = sum(point for _, point in pairs) / len(pairs)
    spread = sum(abs(point - should) ** 2 for point, _ in pairs)
    turn = 1 + 0j
    if spread > 1:
        turn = sum((there - stands) * (point - should).conjugate() for point, there in pairs) / spread
        turned = math.degrees(cmath.phase(turn))
        off = median(abs(_angle(found[name][1] - (nears[name].angle or 0.0) - turned)) for name in names)
        if not 1 / MAX_SCALE <= abs(turn) <= MAX_SCALE or off > MAX_TURN_ERROR:
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
        off = _angle(degrees - registration.degrees - near.angle)
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


def stands_under(below: Quad, above: Quad) -> bool:
    """Whether a line of text is the next one under another: close to it, not beside it, and running as it does."""
    along = _point(above[1]) - _point(above[0])
    unit = along / (abs(along) or 1)
    off = (_middle(below) - _middle(above)) / unit  # across and down, as one sees it who reads the upper line
    height = abs(_point(above[3]) - _point(above[0]))
    lower = _point(below[1]) - _point(below[0])
    turned = math.degrees(cmath.phase(lower / unit)) if lower else 0.0
    return (
        0.5 * height <= off.imag <= MAX_LINE_PITCH * height
        and abs(off.real) <= (abs(along) + abs(lower)) / 2
        and abs(turned) <= MAX_TURN_ERROR
    )


def _point(corner: tuple[float, float]) -> complex:
    return complex(*corner)


def _angle(degrees: float) -> float:
    """An angle between -180 and 180."""
    return (degrees + 180) % 360 - 180


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

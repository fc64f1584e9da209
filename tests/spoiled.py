"""Labels of which the first line is a lot, and what a coder does to it when it fails."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import cv2
import numpy as np
from PIL import Image

from service.imaging.frame import Frame
from service.samples import drawing
from service.samples.drawing import Box
from service.samples.products import Line

Spoil = Callable[[Image.Image, Box], None]


def label(lot: str, seed: int, spoil: Spoil | None = None, face: str = "sans") -> Frame:
    """A photograph of a label with a lot and a brand; each seed has its own place, light, blur and noise."""
    random = Random(seed)
    lines = [Line(text, face, 44, "lot") for text in (lot, "ALPENGLOW")]  # type: ignore[arg-type]
    flat, boxes = drawing.draw_label(lines, random)
    if spoil is not None:
        spoil(flat, boxes[0])
    return Frame(drawing.photograph(flat, random), "image/png")


def lower_third_cut(flat: Image.Image, box: Box) -> None:
    left, top, right, bottom = box
    _erase(flat, box, (left - 4, top + round(0.67 * (bottom - top)), right + 4, bottom + 4))


def half_a_character_erased(flat: Image.Image, box: Box) -> None:
    """The left half of the fifth of ten."""
    left, top, right, bottom = box
    pitch = (right - left) / 10
    start = left + 4 * pitch
    _erase(flat, box, (round(start), top - 2, round(start + pitch / 2), bottom + 2))


def ribbon_streak(flat: Image.Image, box: Box) -> None:
    """An unprinted line along the print: a dead dot of the print head."""
    left, top, right, bottom = box
    row = top + round(0.4 * (bottom - top))
    _erase(flat, box, (left - 4, row, right + 4, row + 4))


def ribbon_crease(flat: Image.Image, box: Box) -> None:
    """An unprinted stripe across the print."""
    left, top, right, bottom = box
    column = left + round(0.45 * (right - left))
    _erase(flat, box, (column, top - 4, column + 9, bottom + 4))


def faint_ribbon(flat: Image.Image, box: Box) -> None:
    left, top, right, bottom = box
    region = (left - 6, top - 6, right + 6, bottom + 6)
    ground = np.array(_ground(flat, box), float)
    faded = ground + 0.35 * (np.asarray(flat.crop(region), float) - ground)
    flat.paste(Image.fromarray(faded.astype(np.uint8)), region[:2])


def smeared(flat: Image.Image, box: Box) -> None:
    left, top, right, bottom = box
    region = (left - 10, top - 8, right + 20, bottom + 8)
    flat.paste(Image.fromarray(cv2.blur(np.asarray(flat.crop(region)), (21, 3))), region[:2])


def _erase(flat: Image.Image, box: Box, region: Box) -> None:
    flat.paste(_ground(flat, box), region)


def _ground(flat: Image.Image, box: Box) -> tuple[int, int, int]:
    red, green, blue = flat.getpixel((box[0] - 8, box[1]))  # type: ignore[misc]
    return red, green, blue

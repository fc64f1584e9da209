"""Draws a label flat, as a printer makes it, and then as a camera sees it."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from service.samples import dotmatrix

if TYPE_CHECKING:
    from random import Random

    from numpy.typing import NDArray

    from service.samples.products import Line

WIDTH: Final = 960
HEIGHT: Final = 640
_MARGIN: Final = 70
_FONTS: Final = {"sans": "NotoSansSC-subset.otf", "ocr-b": "OCRB.otf"}
# Of the font size, how high a capital letter is (read off the two fonts).
_CAPITAL: Final = {"sans": 0.73, "ocr-b": 0.72}
_INK: Final = (28, 26, 30)

Box = tuple[int, int, int, int]


@cache
def _font(face: str, height: int) -> ImageFont.FreeTypeFont:
    with as_file(files("service.samples").joinpath("fonts", _FONTS[face])) as path:
        return ImageFont.truetype(str(path), round(height / _CAPITAL[face]))


def draw_label(lines: list[Line], random: Random) -> tuple[Image.Image, list[Box]]:
    """A flat label (RGB), and the box of each line: left, top, right, bottom."""
    ground = tuple(random.randint(225, 250) for _ in range(3))
    label = Image.new("RGB", (WIDTH, HEIGHT), ground)
    pen = ImageDraw.Draw(label)
    pen.rounded_rectangle((18, 18, WIDTH - 18, HEIGHT - 18), 24, outline=(120, 130, 140), width=4)
    space = (HEIGHT - 2 * _MARGIN) / len(lines)
    boxes = []
    for index, line in enumerate(lines):
        ink = _ink(line)
        left = _MARGIN + random.randint(0, 30)
        top = round(_MARGIN + index * space + (space - ink.height) / 2)
        label.paste(_INK, (left, top), ink)
        boxes.append((left, top, left + ink.width, top + ink.height))
    return label, boxes


def _ink(line: Line) -> Image.Image:
    """Ink mask of a line, cut to its ink."""
    if line.face == "dot-matrix":
        return dotmatrix.draw(line.text, line.height)
    font = _font(line.face, line.height)
    left, top, right, bottom = font.getbbox(line.text)
    mask = Image.new("L", (round(right - left), round(bottom - top)))
    ImageDraw.Draw(mask).text((-left, -top), line.text, font=font, fill=255)
    return mask


def smear(label: Image.Image, box: Box, random: Random) -> None:
    """The fresh ink of a line wiped along the print: nothing of it stays legible."""
    left, top, right, bottom = box
    region = (max(0, left - 10), max(0, top - 8), min(WIDTH, right + 60), min(HEIGHT, bottom + 8))
    pixels = np.asarray(label.crop(region))
    reach = (bottom - top) * random.randint(3, 4)
    wiped = cv2.blur(pixels, (reach, 5), borderType=cv2.BORDER_REPLICATE)
    wiped = cv2.blur(wiped, (reach // 2, 9), borderType=cv2.BORDER_REPLICATE)
    label.paste(Image.fromarray(wiped.astype(np.uint8)), region[:2])


def cut_off(label: Image.Image, box: Box, random: Random) -> None:
    """The right part of a line not printed."""
    left, top, right, bottom = box
    start = left + round((right - left) * random.uniform(0.6, 0.75))
    ground = label.getpixel((start, max(0, top - 12)))
    label.paste(ground, (start, top - 4, right + 6, bottom + 4))  # type: ignore[arg-type]  # an RGB triple


def photograph(label: Image.Image, random: Random) -> NDArray[np.uint8]:
    """The label on a conveyor before a camera: perspective, uneven light, low contrast, blur, noise. H x W x 3, BGR."""
    flat = cv2.cvtColor(np.asarray(label), cv2.COLOR_RGB2BGR)
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float32)
    shifts = np.array([[random.uniform(10, 46), random.uniform(10, 36)] for _ in range(4)], np.float32)
    seen = corners + shifts * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]], np.float32)
    belt = random.randint(60, 110)
    photo = cv2.warpPerspective(
        flat,
        cv2.getPerspectiveTransform(corners, seen),
        (WIDTH, HEIGHT),
        flags=cv2.INTER_AREA,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(belt, belt, belt),
    ).astype(np.float32)
    light = np.linspace(random.uniform(0.82, 1), random.uniform(0.82, 1), WIDTH, dtype=np.float32)[
        None, :, None
    ]
    contrast = random.uniform(0.6, 1)
    lit = np.asarray(128 + (photo * light - 128) * contrast, np.float32)
    blurred = cv2.GaussianBlur(lit, (0, 0), random.uniform(0.5, 1.3))
    noise = np.random.Generator(np.random.PCG64(random.getrandbits(64)))
    noisy = blurred + noise.normal(0, random.uniform(1, 6), blurred.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)

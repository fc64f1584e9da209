"""A 5 x 7 dot-matrix face, the form of continuous-inkjet coders: each glyph is seven rows of five dots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS: Final = 5
ROWS: Final = 7

# One byte a row, the five low bits from left to right.
_GLYPHS: Final = {
    char: bytes.fromhex(rows)
    for char, rows in {
        " ": "00 00 00 00 00 00 00",
        "-": "00 00 00 1F 00 00 00",
        ".": "00 00 00 00 00 0C 0C",
        "/": "00 01 02 04 08 10 00",
        ":": "00 0C 0C 00 0C 0C 00",
        "0": "0E 11 11 11 11 11 0E",
        "1": "04 0C 04 04 04 04 0E",
        "2": "0E 11 01 02 04 08 1F",
        "3": "1F 02 04 02 01 11 0E",
        "4": "02 06 0A 12 1F 02 02",
        "5": "1F 10 1E 01 01 11 0E",
        "6": "06 08 10 1E 11 11 0E",
        "7": "1F 01 02 04 08 08 08",
        "8": "0E 11 11 0E 11 11 0E",
        "9": "0E 11 11 0F 01 02 0C",
        "A": "0E 11 11 1F 11 11 11",
        "B": "1E 11 11 1E 11 11 1E",
        "C": "0E 11 10 10 10 11 0E",
        "D": "1E 11 11 11 11 11 1E",
        "E": "1F 10 10 1E 10 10 1F",
        "F": "1F 10 10 1E 10 10 10",
        "G": "0E 11 10 17 11 11 0F",
        "H": "11 11 11 1F 11 11 11",
        "I": "0E 04 04 04 04 04 0E",
        "J": "07 02 02 02 02 12 0C",
        "K": "11 12 14 18 14 12 11",
        "L": "10 10 10 10 10 10 1F",
        "M": "11 1B 15 15 11 11 11",
        "N": "11 11 19 15 13 11 11",
        "O": "0E 11 11 11 11 11 0E",
        "P": "1E 11 11 1E 10 10 10",
        "Q": "0E 11 11 11 15 12 0D",
        "R": "1E 11 11 1E 14 12 11",
        "S": "0F 10 10 0E 01 01 1E",
        "T": "1F 04 04 04 04 04 04",
        "U": "11 11 11 11 11 11 0E",
        "V": "11 11 11 11 11 0A 04",
        "W": "11 11 11 15 15 15 0A",
        "X": "11 11 0A 04 0A 11 11",
        "Y": "11 11 0A 04 04 04 04",
        "Z": "1F 01 02 04 08 10 1F",
    }.items()
}


def draw(text: str, height: int) -> Image.Image:
    """Ink mask (mode L, 255 is ink) of a text whose glyphs are `height` pixels high.

    Raises:
        KeyError: a character that the face does not have.
    """
    pitch = height / ROWS
    mask = Image.new("L", (round(pitch * (COLUMNS + 1) * len(text)), height))
    pen = ImageDraw.Draw(mask)
    radius = pitch * 0.52  # dots of a good print just touch
    for x, y in _dots(text):
        centre_x, centre_y = (x + 0.5) * pitch, (y + 0.5) * pitch
        pen.ellipse((centre_x - radius, centre_y - radius, centre_x + radius, centre_y + radius), fill=255)
    return mask


def _dots(text: str) -> Iterator[tuple[int, int]]:
    for index, char in enumerate(text):
        for y, row in enumerate(_GLYPHS[char]):
            for x in range(COLUMNS):
                if row >> (COLUMNS - 1 - x) & 1:
                    yield index * (COLUMNS + 1) + x, y

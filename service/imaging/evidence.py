"""What can be seen of an image beside its text. Pure values."""

from __future__ import annotations

from dataclasses import dataclass

Corner = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PrintMeasure:
    """How a line of print came out, whatever it says.

    `height_px` is that of its ink, in pixels of the image; `contrast` the difference of ink and ground (0 to 1); `sharpness`
    the steepness of edges, in contrasts per height; `rows` the share of ink in each of 24 bands from top to bottom;
    `ink` the area of ink of each character in pixels of the image.
    """

    height_px: float
    contrast: float
    sharpness: float
    rows: tuple[float, ...]
    ink: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """A barcode: `text` as it was encoded (a GS1 separator is `\\x1d`), empty if it was seen but could not be decoded."""

    symbology: str
    text: str
    is_gs1: bool
    box: tuple[Corner, Corner, Corner, Corner]


@dataclass(frozen=True, slots=True)
class Exposure:
    """Shares (0 to 1) of the pixels that are burnt out, and that are black."""

    over: float
    under: float

"""How a print must come out, whatever it says: limits against what good samples have shown. Pure values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PrintReference:
    """What `printproof recipe teach` measured on good samples.

    `height` of the ink is a share of the image's height; `contrast` and `sharpness` are as measured (`imaging.ink`); `rows`
    is the least share of ink in each of 24 bands from top to bottom; `ink` is for each character its area of ink over
    the square of the print's height.
    """

    height: float
    contrast: float
    sharpness: float
    rows: tuple[float, ...]
    ink: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class PrintRule:
    """Limits, each a ratio to the reference."""

    min_height_ratio: float = 0.85
    min_ink_ratio: float = 0.75
    max_ink_ratio: float = 1.5
    min_row_ratio: float = 0.6
    min_contrast_ratio: float = 0.5
    min_sharpness_ratio: float = 0.5
    reference: PrintReference | None = None

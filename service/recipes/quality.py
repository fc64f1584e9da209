"""What an image must be like to be judged at all. Pure values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QualityRule:
    """None is no limit. Sharpness is in contrasts per height of a print, contrast and shares are 0 to 1."""

    min_sharpness: float | None = None
    min_contrast: float | None = None
    max_overexposed: float | None = None
    max_underexposed: float | None = None
    min_glyph_px: float | None = None

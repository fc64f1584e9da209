"""What an image shows beside its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from service.imaging.evidence import Code, Exposure, PrintMeasure
from service.matching.placement import Size
from service.ocr.text import Quad


@dataclass(frozen=True, slots=True)
class Evidence:
    """None is unknown."""

    size: Size | None = None
    exposure: Exposure | None = None
    codes: tuple[Code, ...] | None = None
    """Barcodes of the symbologies that the recipe names."""
    measure: Callable[[Quad, Sequence[float]], PrintMeasure] | None = None
    """Measures the print in a box, given where along it the characters stand."""


NOTHING_ELSE: Final = Evidence()

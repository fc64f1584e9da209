"""Barcodes of a recipe. Pure values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Symbology = Literal[
    "datamatrix", "qr", "aztec", "pdf417", "code128", "code39", "itf", "ean13", "ean8", "upca", "databar"
]
DATES: Final = ("11", "12", "13", "15", "16", "17")
"""Application identifiers that hold a date as YYMMDD (GS1 General Specifications, section 3.4)."""
ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class Barcode:
    """`gs1` holds application identifiers with what they must say: a text, `@field` for what is printed there, or `*`."""

    symbology: Symbology
    gs1: tuple[tuple[str, str], ...] = ()

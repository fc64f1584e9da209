"""Barcodes of a recipe. Pure values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from biip.gs1_application_identifiers import GS1ApplicationIdentifier

Symbology = Literal[
    "datamatrix", "qr", "aztec", "pdf417", "code128", "code39", "itf", "ean13", "ean8", "upca", "databar"
]
DATES: Final = ("11", "12", "13", "15", "16", "17")
"""Application identifiers that hold a date as YYMMDD (GS1 General Specifications, section 3.4)."""
ANY: Final = "*"
PRINTED: Final = "@"


@dataclass(frozen=True, slots=True)
class Element:
    """What an application identifier must say: a text, what is printed in a `field`, or (neither) anything."""

    ai: str
    text: str | None = None
    field: str | None = None

    @property
    def shown(self) -> str:
        """As the recipe states it, for people."""
        return f"({self.ai})" + (f"{PRINTED}{self.field}" if self.field else self.text or ANY)


def element(ai: str, rule: str) -> Element:
    """`*`, `@field` or a text; what a placeholder of a text stands for is never one of the first two."""
    if rule == ANY:
        return Element(ai)
    return Element(ai, field=rule[1:]) if rule.startswith(PRINTED) else Element(ai, text=rule)


def element_fault(ai: str, text: str) -> str | None:
    """Why an element can never say a text; None if it can."""
    identifier = GS1ApplicationIdentifier.extract(ai)
    if re.fullmatch(identifier.pattern, ai + text):
        return None
    return f"can never say {text!r}: {identifier.description}, {identifier.format}"


@dataclass(frozen=True, slots=True)
class Barcode:
    symbology: Symbology
    gs1: tuple[Element, ...] = ()

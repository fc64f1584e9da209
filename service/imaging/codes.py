"""Reads barcodes and matrix codes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import cv2
import zxingcpp
from zxingcpp import BarcodeFormat

from service.imaging.evidence import Code
from service.imaging.frame import Pixels

SYMBOLOGIES: Final = {
    "datamatrix": BarcodeFormat.DataMatrix,
    "qr": BarcodeFormat.QRCode,
    "aztec": BarcodeFormat.Aztec,
    "pdf417": BarcodeFormat.PDF417,
    "code128": BarcodeFormat.Code128,
    "code39": BarcodeFormat.Code39,
    "itf": BarcodeFormat.ITF,
    "ean13": BarcodeFormat.EAN13,
    "ean8": BarcodeFormat.EAN8,
    "upca": BarcodeFormat.UPCA,
    "databar": BarcodeFormat.DataBar,
}


def read_codes(pixels: Pixels, symbologies: Iterable[str]) -> tuple[Code, ...]:
    """All codes of some symbologies on an image, in any direction; those that are damaged have no text."""
    formats = zxingcpp.BarcodeFormats([SYMBOLOGIES[name] for name in symbologies])
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    found = zxingcpp.read_barcodes(
        grey, formats=formats, text_mode=zxingcpp.TextMode.Plain, return_errors=True
    )
    return tuple(_code(one) for one in found)


def _code(found: zxingcpp.Barcode) -> Code:
    place = found.position
    corners = (place.top_left, place.top_right, place.bottom_right, place.bottom_left)
    a, b, c, d = ((float(corner.x), float(corner.y)) for corner in corners)
    kinds = (
        found.format,
        found.symbology,
    )  # a code is of a variant (DataBarOmni) and of what that belongs to
    name = next((name for name, one in SYMBOLOGIES.items() if one in kinds), str(found.format))
    is_gs1 = found.content_type == zxingcpp.ContentType.GS1
    text = found.text if found.valid else ""
    if name == "upca":
        text = text[-12:]  # its GTIN-13 begins with a 0 that is not printed
    return Code(name, text, is_gs1, (a, b, c, d))

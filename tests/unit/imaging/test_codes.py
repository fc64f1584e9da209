from __future__ import annotations

import cv2
import numpy as np
import pytest
import zxingcpp

from service.imaging.codes import SYMBOLOGIES, read_codes
from service.imaging.frame import Pixels

CONTENT = {
    "itf": "1234567890",
    "ean13": "4012345678901",
    "ean8": "96385074",
    "upca": "036000291452",
    "code39": "LOT12",
    "databar": "0104012345678901",
}


def picture(text: str, symbology: str, **options: bool) -> Pixels:
    code = zxingcpp.create_barcode(text, SYMBOLOGIES[symbology], **options)
    drawn = np.asarray(zxingcpp.write_barcode_to_image(code, scale=3))
    canvas = np.full((drawn.shape[0] + 80, drawn.shape[1] + 120), 255, np.uint8)
    canvas[40:-40, 60:-60] = drawn
    return np.asarray(cv2.cvtColor(canvas, cv2.COLOR_GRAY2BGR), np.uint8)


@pytest.mark.parametrize("symbology", [name for name in SYMBOLOGIES if name != "databar"])
def test_every_symbology_is_read(symbology: str) -> None:
    text = CONTENT.get(symbology, "L240817B")
    (code,) = read_codes(picture(text, symbology), [symbology])
    assert (code.symbology, code.text, code.is_gs1) == (symbology, text, False)
    assert code.box[0][0] >= 50


@pytest.mark.parametrize("symbology", ["datamatrix", "code128", "qr"])
def test_gs1(symbology: str) -> None:
    image = picture("(01)04012345678901(10)AB(21)9", symbology, gs1=True)
    for turned in (image, np.ascontiguousarray(np.rot90(image))):
        (code,) = read_codes(turned, [symbology, "ean13"])
        assert (code.text, code.is_gs1) == ("010401234567890110AB\x1d219", True)


def test_only_what_is_asked_for_is_read() -> None:
    assert read_codes(picture("4012345678901", "ean13"), ["datamatrix"]) == ()


def test_a_damaged_code_is_seen_but_has_no_text() -> None:
    image = picture("L240817B, BATCH 12345678", "qr")
    height, width = image.shape[:2]
    image[height // 2 - 12 : height // 2 + 24, width // 2 - 6 : width // 2 + 30] = 0
    (code,) = read_codes(image, ["qr"])
    assert (code.symbology, code.text) == ("qr", "")

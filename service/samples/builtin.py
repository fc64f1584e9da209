"""Draws the image that every start of an engine reads (`service/ocr/sample.png`): `python -m service.samples.builtin`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Final

import cv2

from service.ocr.reader import SAMPLE_LINES
from service.samples.drawing import draw_label, photograph
from service.samples.products import Line

_HEIGHTS: Final = (46, 38, 38, 38)


def draw(path: Path) -> None:
    """Write the image as a small grey PNG."""
    lines = [Line(text, "sans", height) for text, height in zip(SAMPLE_LINES, _HEIGHTS, strict=True)]
    random = Random("printproof")
    photo = photograph(draw_label(lines, random)[0], random)
    grey = cv2.cvtColor(
        cv2.resize(photo, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY
    )
    path.write_bytes(cv2.imencode(".png", grey, [cv2.IMWRITE_PNG_COMPRESSION, 9])[1].tobytes())


if __name__ == "__main__":
    draw(Path(str(files("service.ocr").joinpath("sample.png"))))

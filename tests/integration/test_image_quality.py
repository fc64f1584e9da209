"""Images that are too poor to be judged by."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from service.imaging.frame import Frame, Pixels
from service.inspections.evidence import gather
from service.inspections.inspection import judge
from service.matching.outcome import DefectCode, Verdict
from service.matching.verdict import Evaluation, evaluate
from service.ocr.reader import Reader
from service.recipes.files import parse_recipe
from tests import spoiled

RECIPE = """
recipe: r
image:
  quality: {min_sharpness: 8, min_contrast: 0.2, max_overexposed: 0.05, max_underexposed: 0.3, min_glyph_px: 20}
fields:
  - {name: brand, expect: "ALPENGLOW"}
"""


def inspect(reader: Reader, frame: Frame) -> Evaluation:
    recipe = parse_recipe(RECIPE, "r")
    return judge(recipe, reader.read([frame])[0], gather(frame, recipe)).evaluation


def changed(pixels: Pixels, how: str) -> Pixels:
    if how == "blurred":
        return np.asarray(cv2.GaussianBlur(pixels, (0, 0), 6), np.uint8)
    if how == "faint":
        return np.asarray(128 + (pixels.astype(float) - 128) * 0.15, np.uint8)
    if how == "burnt out":
        return np.where(pixels > 190, 255, pixels).astype(np.uint8)
    if how == "black":
        return np.concatenate((pixels, np.zeros_like(pixels)))
    return np.asarray(cv2.resize(pixels, None, fx=0.35, fy=0.35, interpolation=cv2.INTER_AREA), np.uint8)


def test_a_good_image(reader: Reader) -> None:
    assert inspect(reader, spoiled.label("L2408170B3", 3)).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("blurred", DefectCode.BLURRED),
        ("faint", DefectCode.BAD_EXPOSURE),
        ("burnt out", DefectCode.BAD_EXPOSURE),
        ("black", DefectCode.BAD_EXPOSURE),
        ("small", DefectCode.GLYPHS_TOO_SMALL),
    ],
)
def test_a_poor_image_never_passes(reader: Reader, how: str, code: DefectCode) -> None:
    good = spoiled.label("L2408170B3", 3)
    evaluation = inspect(reader, replace(good, pixels=changed(good.pixels, how)))
    assert code in [defect.code for defect in evaluation.defects], evaluation.defects
    assert evaluation.verdict is not Verdict.PASS


def test_without_an_image_its_quality_is_not_judged(reader: Reader) -> None:
    lines = reader.read([spoiled.label("L2408170B3", 3)])[0].lines
    evaluation = evaluate(parse_recipe(RECIPE, "r"), lines)
    assert (evaluation.verdict, evaluation.defects[0].code) == (Verdict.REVIEW, DefectCode.UNJUDGED)

"""Whether an image is good enough to be judged by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING, Final

from service.matching.outcome import DefectCode

if TYPE_CHECKING:
    from service.matching.evidence import Evidence
    from service.ocr.text import TextLine
    from service.recipes.quality import QualityRule

MAX_LINES: Final = 8  # that are measured: the longest ones
ROUNDING: Final = 0.95  # of a glyph's least height: where ink begins is known to a pixel


def quality_faults(
    rule: QualityRule, lines: Sequence[TextLine], evidence: Evidence
) -> Iterator[tuple[DefectCode, str]]:
    """What is wrong with the image; sharpness and contrast are those of the middle one of its longest lines."""
    if evidence.measure is None or evidence.exposure is None:
        yield DefectCode.UNJUDGED, "the quality of the image cannot be judged: there is no image"
        return
    over, under = evidence.exposure.over, evidence.exposure.under
    if rule.max_overexposed is not None and over > rule.max_overexposed:
        yield DefectCode.BAD_EXPOSURE, f"{over:.1%} of it is burnt out, {rule.max_overexposed:.1%} allowed"
    if rule.max_underexposed is not None and under > rule.max_underexposed:
        yield DefectCode.BAD_EXPOSURE, f"{under:.1%} of it is black, {rule.max_underexposed:.1%} allowed"
    longest = sorted(lines, key=lambda line: (-len(line.chars), line.text))[:MAX_LINES]
    prints = [evidence.measure(line.box, ()) for line in longest]
    if not prints:
        return
    sharpness, contrast = median(one.sharpness for one in prints), median(one.contrast for one in prints)
    if rule.min_sharpness is not None and sharpness < rule.min_sharpness:
        yield (
            DefectCode.BLURRED,
            f"the sharpness of its text is {sharpness:.1f}, {rule.min_sharpness:g} is the least",
        )
    if rule.min_contrast is not None and contrast < rule.min_contrast:
        yield (
            DefectCode.BAD_EXPOSURE,
            f"the contrast of its text is {contrast:.2f}, {rule.min_contrast:g} is the least",
        )
    height = median(one.height_px for one in prints)
    if rule.min_glyph_px is not None and height < ROUNDING * rule.min_glyph_px:
        yield (
            DefectCode.GLYPHS_TOO_SMALL,
            f"its text is {height:.0f} px high, {rule.min_glyph_px:g} is the least",
        )

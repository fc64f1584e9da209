"""Whether a print came out whole: measured against what good samples have shown.

A reader gives a half-erased character a score of 0.99, so a right text is no proof of a good print.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.imaging.evidence import PrintMeasure
    from service.recipes.printing import PrintReference, PrintRule


@dataclass(frozen=True, slots=True)
class PrintRatios:
    """A print beside its reference: 1 is as good as the samples were.

    `ink` is that of the weakest character, `max_ink` that of the fattest, `rows` that of the weakest band.
    """

    height: float
    contrast: float
    sharpness: float
    rows: float
    ink: float
    max_ink: float


def compare(
    measure: PrintMeasure, text: str, reference: PrintReference, image_height: int, scale: float
) -> tuple[PrintRatios, list[float]]:
    """The ratios of a line, and those of each of its characters.

    `text` holds the characters that were measured; one that the samples never showed is judged by the thinnest they did
    show. `scale` is how much larger the label is seen than it was taught.
    """
    height = reference.height * image_height * scale
    known = dict(reference.ink)
    thinnest = min(known.values(), default=0.0)
    inks = [
        ink / (height * height) / known[char]
        if known.get(char)
        else min(1.0, ink / (height * height) / thinnest if thinnest else 0.0)
        for char, ink in zip(text, measure.ink, strict=True)
    ]
    # The first and the last band hold whatever of the edge falls into them.
    bands = [
        seen / should for seen, should in zip(measure.rows[1:-1], reference.rows[1:-1], strict=True) if should
    ]
    ratios = PrintRatios(
        height=round(measure.height_px / height, 3),
        contrast=round(measure.contrast / reference.contrast, 3),
        sharpness=round(measure.sharpness / reference.sharpness, 3),
        rows=round(min(bands, default=0.0), 3),
        ink=round(min(inks, default=0.0), 3),
        max_ink=round(max(inks, default=0.0), 3),
    )
    return ratios, inks


def worst_of(ratios: Sequence[PrintRatios]) -> PrintRatios:
    """Of the lines of a print."""
    return PrintRatios(
        height=min(one.height for one in ratios),
        contrast=min(one.contrast for one in ratios),
        sharpness=min(one.sharpness for one in ratios),
        rows=min(one.rows for one in ratios),
        ink=min(one.ink for one in ratios),
        max_ink=max(one.max_ink for one in ratios),
    )


def print_faults(ratios: PrintRatios, text: str, inks: Sequence[float], rule: PrintRule) -> Iterator[str]:
    """What is wrong with a line of print, in words."""
    if ratios.height < rule.min_height_ratio:
        yield f"{_percent(ratios.height)} of its height: cut off, or too small"
    if ratios.contrast < rule.min_contrast_ratio:
        yield f"{_percent(ratios.contrast)} of its contrast: faint"
    if ratios.sharpness < rule.min_sharpness_ratio:
        yield f"{_percent(ratios.sharpness)} of its sharpness: smeared, or out of focus"
    if ratios.rows < rule.min_row_ratio:
        yield f"a band across it has {_percent(ratios.rows)} of its ink: a streak"
    for place, (char, ink) in enumerate(zip(text, inks, strict=True), 1):
        if ink < rule.min_ink_ratio:
            yield f"{char!r} (character {place}) has {_percent(ink)} of its ink: partly missing"
        elif ink > rule.max_ink_ratio:
            yield f"{char!r} (character {place}) has {_percent(ink)} of its ink: smeared, or run together"


def _percent(ratio: float) -> str:
    return f"{100 * ratio:.0f} %"

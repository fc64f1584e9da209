"""Gathers from an image what a recipe asks of it beside its text."""

from __future__ import annotations

from functools import partial

from service.imaging.codes import read_codes
from service.imaging.exposure import measure_exposure
from service.imaging.frame import Frame
from service.imaging.ink import measure_print
from service.matching.evidence import Evidence
from service.matching.placement import Size
from service.recipes.recipe import Recipe


def gather(frame: Frame, recipe: Recipe) -> Evidence:
    """What the comparison needs to know of an image."""
    symbologies = {field.barcode.symbology for field in recipe.fields if field.barcode}
    return Evidence(
        size=Size(frame.width, frame.height, recipe.image.width_mm),
        exposure=measure_exposure(frame) if recipe.quality else None,
        codes=read_codes(frame.pixels, sorted(symbologies)) if symbologies else (),
        measure=partial(measure_print, frame.pixels),
    )

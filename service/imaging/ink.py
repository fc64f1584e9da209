"""Measures ink: how high, how much, how dark and how sharp a line of print is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from service.imaging.evidence import Corner, PrintMeasure
from service.imaging.frame import Pixels

HEIGHT: Final = 48  # rows that the box of a line is brought to
MARGIN: Final = (
    16  # rows and columns around it that are looked at too: ground, and ink that the box has missed
)
BANDS: Final = 24
GROUND_NOISE: Final = 0.25  # fainter than this share of the contrast is ground
FAINT_ROW: Final = 0.15  # of the fullest row: where ink begins and ends
MAX_GAP: Final = (
    6  # rows without ink inside of a print: the gap of a streak, or between the dots of a dot matrix
)
MIN_CONTRAST: Final = 4.0  # grey levels; less is no print at all

Floats = NDArray[np.float32]


def measure_print(pixels: Pixels, box: Sequence[Corner], places: Sequence[float]) -> PrintMeasure:
    """Measure one line: its box (corners along the text), and where along it (0 to 1) each character stands.

    Ink is what differs from the ground around the line, dark on light or light on dark.
    """
    grey, scale = _straightened(pixels, box)
    if grey.size == 0:  # the box lies beside the image
        return _nothing(places)
    core = grey[MARGIN:-MARGIN, MARGIN:-MARGIN]
    ground = float(np.median(np.concatenate((grey[:MARGIN].ravel(), grey[-MARGIN:].ravel()))))
    limit, _ = cv2.threshold(core.astype(np.uint8), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    dark, light = core[core <= limit], core[core > limit]
    sides = [float(np.median(side)) for side in (dark, light) if side.size]
    mark = max(sides, key=lambda level: abs(level - ground))
    contrast = abs(mark - ground)
    if contrast < MIN_CONTRAST:
        return _nothing(places)
    ink = np.clip((grey - ground) / (mark - ground), 0, 1).astype(np.float32)
    ink[ink < GROUND_NOISE] = 0
    rows = ink[:, MARGIN:-MARGIN].mean(axis=1)
    if not rows[MARGIN:-MARGIN].any():
        return _nothing(places)
    top, bottom = _extent(rows)
    steps = np.hypot(np.diff(core, axis=1)[1:], np.diff(core, axis=0)[:, 1:])
    band = ink[top:bottom]
    return PrintMeasure(
        height_px=(bottom - top) * scale,
        contrast=contrast / 255,
        sharpness=float(np.percentile(steps, 98)) / contrast * HEIGHT,
        rows=tuple(
            float(part.mean()) if part.size else 0.0 for part in np.array_split(rows[top:bottom], BANDS)
        ),
        ink=tuple(float(band[:, left:right].sum()) * scale * scale for left, right in _cells(band, places)),
    )


def _nothing(places: Sequence[float]) -> PrintMeasure:
    return PrintMeasure(0.0, 0.0, 0.0, (0.0,) * BANDS, (0.0,) * len(places))


def _straightened(pixels: Pixels, box: Sequence[Corner]) -> tuple[Floats, float]:
    """The line and its surroundings in grey, level, and how many pixels of the image one of its rows is."""
    across = (math.dist(box[0], box[1]) + math.dist(box[3], box[2])) / 2
    down = max(1.0, (math.dist(box[0], box[3]) + math.dist(box[1], box[2])) / 2)
    width = max(1, round(across * HEIGHT / down))
    xs, ys = [x for x, _ in box], [y for _, y in box]
    reach = 2 * down
    left, upper = max(0, int(min(xs) - reach)), max(0, int(min(ys) - reach))
    part = pixels[upper : int(max(ys) + reach) + 1, left : int(max(xs) + reach) + 1]
    if part.size == 0:
        return np.zeros((0, 0), np.float32), 0.0
    grey = cv2.cvtColor(part, cv2.COLOR_BGR2GRAY)
    should = np.array([(0, 0), (width, 0), (width, HEIGHT), (0, HEIGHT)], np.float32) + MARGIN
    stands = np.array([(x - left, y - upper) for x, y in box], np.float32)
    level = cv2.warpPerspective(
        grey,
        cv2.getPerspectiveTransform(stands, should),
        (width + 2 * MARGIN, HEIGHT + 2 * MARGIN),
        flags=cv2.INTER_AREA if down > HEIGHT else cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return level.astype(np.float32), down / HEIGHT


def _extent(rows: Floats) -> tuple[int, int]:
    """First row of the print and the one behind its last, from the middle outwards."""
    inked = rows >= FAINT_ROW * rows[MARGIN:-MARGIN].max()
    top = bottom = int(np.flatnonzero(inked[MARGIN:-MARGIN])[0]) + MARGIN
    for row in range(top, len(rows)):
        if inked[row] and row - bottom <= MAX_GAP:
            bottom = row + 1
    for row in range(top, -1, -1):
        if inked[row] and top - row <= MAX_GAP:
            top = row
    return top, bottom


def _cells(band: Floats, places: Sequence[float]) -> list[tuple[int, int]]:
    """Columns of each character: cut where there is least ink between two of them."""
    if not places:
        return []
    columns = band.sum(axis=0)
    width = band.shape[1] - 2 * MARGIN
    middles = [MARGIN + place * width for place in places]
    cuts = [MARGIN // 2]
    for before, after in pairwise(middles):
        reach = 0.3 * (after - before)
        left = max(cuts[-1], math.floor((before + after) / 2 - reach))
        right = max(left + 1, math.ceil((before + after) / 2 + reach))
        cuts.append(left + int(columns[left:right].argmin()) if left < len(columns) else left)
    cuts.append(band.shape[1] - MARGIN // 2)
    return list(pairwise(cuts))

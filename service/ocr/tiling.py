"""How large a detector sees an image, and in which pieces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

STRIDE: Final = 32  # the network halves its input five times
# Small images are enlarged until their shorter side has this: small prints gain more from it than they cost
# (docs/decisions/0004). Long ones stop earlier, and large ones are reduced: both bound time and memory.
MIN_SIDE_PX: Final = 640
MAX_ENLARGED_PX: Final = 1280
MAX_PIXELS: Final = 1920 * 1920
# Where the smallest glyph is known, the image is scaled until it has this height. Exact lines on the photographs (36) at
# 8, 10, 12, 14 and 18 pixels: 27, 27, 30, 32, 31; on clean labels 9 are enough.
GLYPH_PX: Final = 14.0
MAX_SCALE: Final = 2.0
# A small glyph on a large image may take four times as long as an image of which nothing is known, not more.
MAX_GLYPH_PIXELS: Final = 4 * MAX_PIXELS
TILE_PX: Final = 1280  # inputs with longer sides are cut into tiles: 0.7 GB at most, against 1.2 in one piece
OVERLAP_PX: Final = 128  # half of it is what a tile sees beyond its part: surroundings to judge by


def scale_of(width: int, height: int, min_glyph_px: float | None = None, seen: int | None = None) -> float:
    """How much an image of this size is enlarged (or reduced) to be looked at; of it, `seen` pixels are (None: all)."""
    if min_glyph_px is None:
        shorter, longer = sorted((width, height))
        wanted, limit = max(1.0, min(MIN_SIDE_PX / shorter, MAX_ENLARGED_PX / longer)), MAX_PIXELS
    else:
        wanted, limit = min(GLYPH_PX / min_glyph_px, MAX_SCALE), MAX_GLYPH_PIXELS
    return min(wanted, math.sqrt(limit / (seen or width * height)))


def input_size(width: int, height: int, scale: float) -> tuple[int, int]:
    """Width and height, multiples of STRIDE, of the network's input for pixels of this size."""
    wide, high = (_rounded(side * scale) for side in (width, height))
    # Of an image thinner than STRIDE more is looked at than there is: its length must not make that boundless.
    longest = MAX_GLYPH_PIXELS // min(wide, high) // STRIDE * STRIDE
    return min(wide, longest), min(high, longest)


def _rounded(side: float) -> int:
    # Half a stride less of a short side would flatten what stands on it.
    strides = side / STRIDE
    return STRIDE * max(1, round(strides) if strides > 8 else math.ceil(strides))


@dataclass(frozen=True, slots=True)
class Tile:
    """A piece of an input: rows and columns that the network sees, and those of them that count."""

    rows: slice
    columns: slice
    own_rows: slice
    own_columns: slice


def tiles(width: int, height: int) -> Iterator[Tile]:
    """Pieces of equal size that cover an input; what counts of each covers it once."""
    for rows, own_rows in _spans(height):
        for columns, own_columns in _spans(width):
            yield Tile(rows, columns, own_rows, own_columns)


def _spans(side: int) -> list[tuple[slice, slice]]:
    """Equal spans of at most TILE_PX, multiples of STRIDE, that overlap by OVERLAP_PX or more."""
    count = max(1, -(-(side - OVERLAP_PX) // (TILE_PX - OVERLAP_PX)))
    if count == 1:
        return [(slice(0, side), slice(0, side))]
    length = -(-(side + (count - 1) * OVERLAP_PX) // (count * STRIDE)) * STRIDE
    starts = [round(index * (side - length) / (count - 1)) for index in range(count)]
    seams = [0, *((before + length + after) // 2 for before, after in pairwise(starts)), side]
    return [
        (slice(start, start + length), slice(begin, end))
        for start, begin, end in zip(starts, seams, seams[1:], strict=False)
    ]

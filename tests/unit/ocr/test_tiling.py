from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from service.ocr.tiling import (
    GLYPH_PX,
    MAX_ENLARGED_PX,
    MAX_GLYPH_PIXELS,
    MAX_PIXELS,
    MAX_SCALE,
    MIN_SIDE_PX,
    OVERLAP_PX,
    STRIDE,
    TILE_PX,
    input_size,
    scale_of,
    tiles,
)


def looked_at(width: int, height: int, min_glyph_px: float | None = None) -> tuple[int, int]:
    return input_size(width, height, scale_of(width, height, min_glyph_px))


@pytest.mark.parametrize(
    "size", [(640, 640), (65, 11), (5000, 40), (3, 4000), (4000, 3000), (300, 30_000), (2, 2), (1280, 960)]
)
def test_an_image_of_which_nothing_is_known(size: tuple[int, int]) -> None:
    width, height = looked_at(*size)
    assert width % STRIDE == height % STRIDE == 0
    assert min(size) < STRIDE or width * height <= 1.1 * MAX_PIXELS
    if max(size) / min(size) < MAX_ENLARGED_PX / MIN_SIDE_PX and min(size) < MIN_SIDE_PX:
        assert min(width, height) == MIN_SIDE_PX
    if max(size) < MAX_ENLARGED_PX:
        assert max(width, height) <= MAX_ENLARGED_PX


def test_a_long_image_is_not_reduced_because_it_is_long() -> None:
    assert looked_at(8000, 384) == (8000, 384)


@pytest.mark.parametrize(
    ("glyph", "scale"), [(GLYPH_PX, 1), (28, 0.5), (56, 0.25), (10, 1.4), (3, MAX_SCALE)]
)
def test_the_smallest_glyph_decides_where_it_is_known(glyph: float, scale: float) -> None:
    width, height = looked_at(1280, 960, glyph)
    assert width == pytest.approx(1280 * scale, abs=STRIDE / 2)
    assert height == pytest.approx(960 * scale, abs=STRIDE / 2)


@given(st.integers(2, 25_000_000), st.integers(2, 20_000), st.none() | st.floats(4, 1000))
def test_no_image_is_looked_at_without_bounds(length: int, breadth: int, glyph: float | None) -> None:
    """The limit on pixels lets an image be 25,000,000 x 2."""
    assume(length * breadth <= 50_000_000)
    for size in ((length, breadth), (breadth, length)):
        width, height = looked_at(*size, glyph)
        assert width * height <= 1.3 * MAX_GLYPH_PIXELS
        assert width % STRIDE == height % STRIDE == 0


def test_only_what_is_seen_counts_towards_the_limit() -> None:
    assert scale_of(6000, 4000) < 0.4
    assert scale_of(6000, 4000, seen=1200 * 400) == 1
    assert scale_of(8660, 5773, 14, seen=5_000_000) == 1


def test_a_thin_part_is_not_flattened() -> None:
    assert input_size(1280, 94, 0.5) == (640, 64)


def test_a_small_glyph_on_a_huge_image_has_a_limit() -> None:
    width, height = looked_at(12000, 9000, 8)
    assert width * height <= 1.01 * MAX_GLYPH_PIXELS


@given(st.integers(1, 500), st.integers(1, 200))
def test_tiles_cover_an_input_once_and_see_beyond_their_part(columns: int, rows: int) -> None:
    width, height = columns * STRIDE, rows * STRIDE
    covered = np.zeros((rows, columns), np.uint8)
    shapes = set()
    for tile in tiles(width, height):
        shapes.add((tile.rows.stop - tile.rows.start, tile.columns.stop - tile.columns.start))
        for seen, own, side in ((tile.rows, tile.own_rows, height), (tile.columns, tile.own_columns, width)):
            assert 0 <= seen.start <= own.start < own.stop <= seen.stop <= side
            assert own.start == 0 or own.start - seen.start >= OVERLAP_PX // 2 - 1
            assert own.stop == side or seen.stop - own.stop >= OVERLAP_PX // 2 - 1
        covered[
            tile.own_rows.start // STRIDE : -(-tile.own_rows.stop // STRIDE),
            tile.own_columns.start // STRIDE : -(-tile.own_columns.stop // STRIDE),
        ] = 1
    assert covered.all()
    assert sum(_area(tile.own_rows, tile.own_columns) for tile in tiles(width, height)) == width * height
    ((high, wide),) = shapes  # all of one shape: they share batches
    assert high % STRIDE == wide % STRIDE == 0
    assert max(high, wide) <= TILE_PX


def _area(rows: slice, columns: slice) -> int:
    return int((rows.stop - rows.start) * (columns.stop - columns.start))

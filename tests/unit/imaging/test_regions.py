from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.imaging.regions import Region


def test_a_region_in_pixels() -> None:
    assert Region(0.1, 0.5, 0.25, 0.5).pixels(1000, 400) == (100, 200, 350, 400)
    assert Region(0, 0, 1, 1).pixels(7, 3) == (0, 0, 7, 3)


@given(
    st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(1, 50), st.integers(1, 50)
)
def test_a_region_is_inside_the_image_and_never_empty(
    left: float, top: float, width: float, height: float, image_width: int, image_height: int
) -> None:
    x0, y0, x1, y1 = Region(left, top, width, height).pixels(image_width, image_height)
    assert 0 <= x0 < x1 <= image_width
    assert 0 <= y0 < y1 <= image_height

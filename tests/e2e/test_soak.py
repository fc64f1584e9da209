from __future__ import annotations

from pathlib import Path

from tests.soak import MAX_GROWTH, soak


def test_memory_stays_flat_and_the_first_answer_is_as_fast_as_later_ones(tmp_path: Path) -> None:
    """300 small images, two thirds of them in ten sizes; `make soak` takes 2,000 in fifty."""
    soaked = soak(tmp_path, count=200, settle=100, sizes=10, largest=(320, 240))
    assert soaked.growth <= MAX_GROWTH, soaked
    # A runtime that compiled or tuned at its first call would take several times as long.
    assert soaked.first_ms < 2.5 * soaked.hundredth_ms, soaked

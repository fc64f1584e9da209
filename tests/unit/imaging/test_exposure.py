from __future__ import annotations

import numpy as np
import pytest

from service.imaging.exposure import measure_exposure
from service.imaging.frame import Frame
from service.imaging.regions import Region, View


def test_shares_of_what_is_looked_at() -> None:
    pixels = np.full((100, 200, 3), 128, np.uint8)
    pixels[:, :50], pixels[:, 50:60] = 255, 0
    exposure = measure_exposure(Frame(pixels, "image/png"))
    assert [exposure.over, exposure.under] == pytest.approx([0.25, 0.05])
    right = View(roi=Region(0.5, 0, 0.5, 1))
    exposure = measure_exposure(Frame(pixels, "image/png", right))
    assert (exposure.over, exposure.under) == (0, 0)

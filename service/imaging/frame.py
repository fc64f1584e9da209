"""An image in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.imaging.regions import WHOLE_IMAGE, View

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A decoded image: `pixels` is H x W x 3, BGR, upright (EXIF rotation applied); `view` says what of it is read.

    All coordinates of the product are pixels of this upright image, which is how every viewer shows the file.
    """

    pixels: Pixels
    media_type: str
    view: View = WHOLE_IMAGE
    notes: tuple[str, ...] = ()
    """What a person should know of the file, in sentences."""

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])

"""How much of an image is too bright or too dark to show anything."""

from __future__ import annotations

import cv2
import numpy as np

from service.imaging.evidence import Exposure
from service.imaging.frame import Frame

WHITE = 254  # grey levels from which a sensor has nothing more to say; one below its end, for JPEG
BLACK = 1


def measure_exposure(frame: Frame) -> Exposure:
    """Of the part of the image that is read."""
    left, top, right, bottom = frame.view.area(frame.width, frame.height)
    grey = cv2.cvtColor(frame.pixels[top:bottom, left:right], cv2.COLOR_BGR2GRAY)
    return Exposure(float(np.mean(grey >= WHITE)), float(np.mean(grey <= BLACK)))

"""Small and plain pictures of inspected images, for people."""

from __future__ import annotations

import cv2

from service.imaging.frame import Frame

_QUALITY = 82


def jpeg(frame: Frame, width: int | None = None) -> bytes:
    """A frame as JPEG, upright, not wider than `width` pixels."""
    pixels = frame.pixels
    if width is not None and width < frame.width:
        size = (width, max(1, round(frame.height * width / frame.width)))
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    return cv2.imencode(".jpg", pixels, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))[1].tobytes()

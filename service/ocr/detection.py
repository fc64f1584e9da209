"""Finds where text stands: DB (differentiable binarisation) detection.

M. Liao et al., "Real-time Scene Text Detection with Differentiable Binarization", AAAI 2020: the network answers the
probability of each pixel to be inside a *shrunken* text region; regions are grown back by the distance
area * ratio / perimeter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from service.imaging.frame import Frame
    from service.ocr.runtime import Network
    from service.ocr.weights import DetectionInput

STRIDE: Final = 32  # the network halves its input five times
# Small images are enlarged until their shorter side has this: small prints gain more from it than they cost
# (docs/decisions/0004). Long ones stop earlier, and large ones are reduced: both bound time and memory.
MIN_SIDE_PX: Final = 640
MAX_ENLARGED_PX: Final = 1280
MAX_SIDE_PX: Final = 1920
MAX_REGIONS: Final = 300  # the largest; no label has more lines, and specks must not hold up the line
MIN_REGION_PX: Final = 3.0  # thinner regions are specks


class TextDetector:
    """Network input and output of one detection model."""

    def __init__(self, network: Network, parameters: DetectionInput) -> None:
        self._network = network
        self._parameters = parameters
        # (x / 255 - mean) / std as one multiplication and one subtraction
        std = np.asarray(parameters.std, np.float32)
        self._scale = 1 / (255 * std)
        self._shift = np.asarray(parameters.mean, np.float32) / std

    def detect(self, frames: Sequence[Frame]) -> list[NDArray[np.float32]]:
        """Text boxes of each frame, N x 4 x 2 (x, y) in its pixels, clockwise from the top left.

        A box may reach over the border of the frame: there the crop repeats the border's pixels.
        """
        found: list[NDArray[np.float32]] = [np.empty((0, 4, 2), np.float32)] * len(frames)
        inputs = [self._prepare(frame) for frame in frames]
        for shape in sorted({one.shape for one in inputs}):
            chosen = [index for index, one in enumerate(inputs) if one.shape == shape]
            maps = self._network.run(np.stack([inputs[index] for index in chosen]))
            for index, probability in zip(chosen, maps, strict=True):
                found[index] = self._boxes(probability[0], frames[index])
        return found

    def _prepare(self, frame: Frame) -> NDArray[np.float32]:
        """3 x H x W, both sides multiples of STRIDE."""
        width, height = input_size(frame.width, frame.height)
        resized = cv2.resize(frame.pixels, (width, height))
        planes = np.empty((3, height, width), np.float32)
        for channel, plane in enumerate(planes):  # a plane at a time: a third of the time of one expression
            np.multiply(resized[..., channel], self._scale[channel], out=plane)
            np.subtract(plane, self._shift[channel], out=plane)
        return planes

    def _boxes(self, probability: NDArray[np.float32], frame: Frame) -> NDArray[np.float32]:
        height, width = probability.shape
        mask = (probability > self._parameters.threshold).astype(np.uint8)
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        boxes = []
        for contour in sorted(contours, key=cv2.contourArea, reverse=True)[:MAX_REGIONS]:
            centre, (a, b), angle = cv2.minAreaRect(contour)
            if min(a, b) < MIN_REGION_PX:
                continue
            if (
                _mean_inside(probability, cv2.boxPoints((centre, (a, b), angle)))
                < self._parameters.box_threshold
            ):
                continue
            grow = 2 * a * b * self._parameters.unclip_ratio / (2 * (a + b))
            boxes.append(cv2.boxPoints((centre, (a + grow, b + grow), angle)))
        if not boxes:
            return np.empty((0, 4, 2), np.float32)
        scaled = np.stack(boxes) * [frame.width / width, frame.height / height]
        return np.stack([order_corners(box) for box in scaled]).astype(np.float32)


def input_size(width: int, height: int) -> tuple[int, int]:
    """Width and height of the network's input for an image of this size."""
    shorter, longer = sorted((width, height))
    enlarge = min(MIN_SIDE_PX / shorter, MAX_ENLARGED_PX / longer)
    scale = min(max(1.0, enlarge), MAX_SIDE_PX / longer)
    wide, high = (max(STRIDE, round(side * scale / STRIDE) * STRIDE) for side in (width, height))
    return wide, high


def order_corners(box: NDArray[Any]) -> NDArray[Any]:
    """Corners of a rectangle as OpenCV gives them (clockwise), turned to begin at the top left."""
    return np.roll(box, -int(np.argmin(box.sum(axis=1))), axis=0)


def _mean_inside(probability: NDArray[np.float32], box: NDArray[Any]) -> float:
    """Mean probability inside a box, the detector's confidence in it."""
    height, width = probability.shape
    left, top = np.clip(np.floor(box.min(axis=0)).astype(int), 0, [width - 1, height - 1])
    right, bottom = np.clip(np.ceil(box.max(axis=0)).astype(int), 0, [width - 1, height - 1])
    mask = np.zeros((bottom - top + 1, right - left + 1), np.uint8)
    cv2.fillPoly(mask, [np.round(box - [left, top]).astype(np.int32)], 1)
    return float(cv2.mean(probability[top : bottom + 1, left : right + 1], mask)[0])

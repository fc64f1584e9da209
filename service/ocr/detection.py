"""Finds where text stands: DB (differentiable binarisation) detection.

M. Liao et al., "Real-time Scene Text Detection with Differentiable Binarization", AAAI 2020: the network answers the
probability of each pixel to be inside a *shrunken* text region; regions are grown back by the distance
area * ratio / perimeter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from service.ocr.batches import in_batches
from service.ocr.tiling import Tile, input_size, tiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.ocr.runtime import Network
    from service.ocr.weights import DetectionInput

Image = tuple[NDArray[np.uint8], float]
"""Pixels (H x W x 3, BGR), and how much they are enlarged to be looked at."""

# Of a tile, the largest; no label has more lines, and specks must not hold up the line.
MAX_REGIONS: Final = 300
MIN_REGION_PX: Final = 3.0  # thinner regions are specks


class TextDetector:
    """Network input and output of one detection model."""

    def __init__(self, network: Network, parameters: DetectionInput, max_batch: int) -> None:
        self._network = network
        self._parameters = parameters
        self._max_batch = max_batch
        # (x / 255 - mean) / std as one multiplication and one subtraction
        std = np.asarray(parameters.std, np.float32)
        self._scale = 1 / (255 * std)
        self._shift = np.asarray(parameters.mean, np.float32) / std

    def detect(self, images: Sequence[Image]) -> list[NDArray[np.float32]]:
        """Text boxes of each image, N x 4 x 2 (x, y) in its pixels, clockwise from the top left.

        A box may reach over the border of the image.
        """
        maps = [np.empty(input_size(*_size(pixels), scale)[::-1], np.float32) for pixels, scale in images]
        pieces = [(index, tile) for index, one in enumerate(maps) for tile in tiles(*_size(one))]
        inputs = [self._prepare(pixels, *_size(one)) for (pixels, _), one in zip(images, maps, strict=True)]
        for batch in in_batches([_shape(tile) for _, tile in pieces], self._max_batch):
            chosen = [pieces[at] for at in batch]
            seen = self._network.run(
                np.stack([inputs[index][:, tile.rows, tile.columns] for index, tile in chosen])
            )
            for (index, tile), probability in zip(chosen, seen, strict=True):
                own = probability[
                    0, _within(tile.own_rows, tile.rows), _within(tile.own_columns, tile.columns)
                ]
                maps[index][tile.own_rows, tile.own_columns] = own
        return [self._boxes(one, *_size(pixels)) for one, (pixels, _) in zip(maps, images, strict=True)]

    def _prepare(self, pixels: NDArray[np.uint8], width: int, height: int) -> NDArray[np.float32]:
        """3 x height x width."""
        resized = cv2.resize(pixels, (width, height))
        planes = np.empty((3, height, width), np.float32)
        for channel, plane in enumerate(planes):  # a plane at a time: a third of the time of one expression
            np.multiply(resized[..., channel], self._scale[channel], out=plane)
            np.subtract(plane, self._shift[channel], out=plane)
        return planes

    def _boxes(
        self, probability: NDArray[np.float32], image_width: int, image_height: int
    ) -> NDArray[np.float32]:
        width, height = _size(probability)
        mask = (probability > self._parameters.threshold).astype(np.uint8)
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        most = MAX_REGIONS * sum(1 for _ in tiles(width, height))
        boxes = []
        for contour in sorted(contours, key=cv2.contourArea, reverse=True)[:most]:
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
        scaled = np.stack(boxes) * [image_width / width, image_height / height]
        return np.stack([order_corners(box) for box in scaled]).astype(np.float32)


def _size(pixels: NDArray[Any]) -> tuple[int, int]:
    """Width and height."""
    return pixels.shape[1], pixels.shape[0]


def _shape(tile: Tile) -> tuple[int, int]:
    return tile.rows.stop - tile.rows.start, tile.columns.stop - tile.columns.start


def _within(own: slice, seen: slice) -> slice:
    return slice(own.start - seen.start, own.stop - seen.start)


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

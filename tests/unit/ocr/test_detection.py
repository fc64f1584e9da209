from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from service.ocr.detection import Image, TextDetector, order_corners
from service.ocr.runtime import Batch, Network, T
from service.ocr.tiling import TILE_PX, scale_of
from service.ocr.weights import DetectionInput

PARAMETERS = DetectionInput(
    mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5), threshold=0.3, box_threshold=0.5, unclip_ratio=1.5
)


class DrawnNetwork:
    """Answers a probability map in which one rotated rectangle is text."""

    def __init__(
        self, centre: tuple[float, float], size: tuple[float, float], angle: float, value: float = 0.9
    ) -> None:
        self.corners = cv2.boxPoints((centre, size, angle))
        self.value = value
        self.shapes: list[tuple[int, ...]] = []

    def run(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        self.shapes.append(batch.shape)
        maps = np.zeros((len(batch), 1, *batch.shape[2:]), np.float32)
        for one in maps:
            cv2.fillPoly(one[0], [self.corners.round().astype(np.int32)], self.value)
        return maps

    def run_all(self, batches: Sequence[Batch], finish: Callable[[Batch], T]) -> list[T]:
        return [finish(self.run(batch)) for batch in batches]


def image(width: int, height: int) -> Image:
    return np.zeros((height, width, 3), np.uint8), scale_of(width, height)


def detect(network: Network, *images: Image) -> list[NDArray[np.float32]]:
    return TextDetector(network, PARAMETERS, max_batch=2).detect(images)


def test_a_region_is_grown_by_area_times_ratio_over_perimeter() -> None:
    network = DrawnNetwork((320, 320), (200, 40), 0)
    (boxes,) = detect(network, image(640, 640))
    distance = 200 * 40 * 1.5 / (2 * (200 + 40))
    left, top = 320 - 100 - distance, 320 - 20 - distance
    assert np.abs(boxes[0][0] - [left, top]).max() < 1.5
    assert np.abs(boxes[0][2] - [640 - left, 640 - top]).max() < 1.5


def test_boxes_are_in_the_pixels_of_the_frame() -> None:
    network = DrawnNetwork((320, 320), (200, 40), 0)
    (boxes,) = detect(network, image(320, 320))
    assert np.abs(boxes[0].mean(axis=0) - [160, 160]).max() < 1


@pytest.mark.parametrize("angle", [-40, -10, 0, 5, 30, 44])
def test_corners_start_at_the_top_left_and_go_clockwise(angle: float) -> None:
    for box in (
        cv2.boxPoints(((100, 100), (80, 20), angle)),
        cv2.boxPoints(((100, 100), (20, 80), 90 + angle)),
    ):
        top_left, top_right, bottom_right, bottom_left = order_corners(box)
        assert top_right[0] > top_left[0]
        assert bottom_left[1] > top_left[1]
        right, down = top_right - top_left, bottom_left - top_left
        assert right[0] * down[1] - right[1] * down[0] > 0
        assert np.linalg.norm(right) > np.linalg.norm(down)
        assert np.abs(top_left + bottom_right - top_right - bottom_left).max() < 1e-3


def test_a_doubtful_region_is_dropped() -> None:
    (boxes,) = detect(DrawnNetwork((320, 320), (200, 40), 0, value=0.4), image(640, 640))
    assert boxes.shape == (0, 4, 2)


def test_only_images_of_one_shape_share_a_batch_and_not_too_many() -> None:
    network = DrawnNetwork((320, 320), (200, 40), 0)
    found = detect(network, image(640, 640), image(640, 960), *[image(640, 640)] * 2)
    assert sorted(network.shapes) == [(1, 3, 640, 640), (1, 3, 960, 640), (2, 3, 640, 640)]
    assert [len(boxes) for boxes in found] == [1, 1, 1, 1]


class EdgeBlindNetwork(DrawnNetwork):
    """Finds bright pixels, but nothing within 32 pixels of the border of what it is shown."""

    def run(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        self.shapes.append(batch.shape)
        maps = np.zeros((len(batch), 1, *batch.shape[2:]), np.float32)
        maps[:, 0, 32:-32, 32:-32] = (batch[:, 0, 32:-32, 32:-32] > 0) * self.value
        return maps


def test_text_on_a_seam_between_tiles_is_one_box() -> None:
    network = EdgeBlindNetwork((0, 0), (1, 1), 0)
    pixels = np.zeros((480, 6400, 3), np.uint8)
    for left in range(100, 6000, 300):
        pixels[200:240, left : left + 200] = 255
    (boxes,) = detect(network, (pixels, 1.0))
    assert len(network.shapes) > 1
    assert max(max(shape) for shape in network.shapes) <= TILE_PX
    assert sorted(int(box[:, 0].mean().round()) // 300 for box in boxes) == list(range(20))
    assert all(np.abs(box.mean(axis=0) % 300 - [200, 220]).max() < 2 for box in boxes)

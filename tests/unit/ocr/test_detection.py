from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from service.imaging.frame import Frame
from service.ocr.detection import (
    MAX_ENLARGED_PX,
    MAX_SIDE_PX,
    MIN_SIDE_PX,
    STRIDE,
    TextDetector,
    input_size,
    order_corners,
)
from service.ocr.runtime import Batch, T
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


def frame(width: int, height: int) -> Frame:
    return Frame(np.zeros((height, width, 3), np.uint8), "image/png")


@pytest.mark.parametrize(
    "size", [(640, 640), (65, 11), (5000, 40), (3, 4000), (4000, 3000), (2, 2), (1280, 960)]
)
def test_input_size(size: tuple[int, int]) -> None:
    width, height = input_size(*size)
    assert width % STRIDE == height % STRIDE == 0
    assert max(width, height) <= MAX_SIDE_PX
    if max(size) / min(size) < MAX_ENLARGED_PX / MIN_SIDE_PX and min(size) < MIN_SIDE_PX:
        assert min(width, height) == MIN_SIDE_PX
    if max(size) < MAX_ENLARGED_PX:
        assert max(width, height) <= MAX_ENLARGED_PX


def test_a_region_is_grown_by_area_times_ratio_over_perimeter() -> None:
    network = DrawnNetwork((320, 320), (200, 40), 0)
    (boxes,) = TextDetector(network, PARAMETERS).detect([frame(640, 640)])
    distance = 200 * 40 * 1.5 / (2 * (200 + 40))
    left, top = 320 - 100 - distance, 320 - 20 - distance
    assert np.abs(boxes[0][0] - [left, top]).max() < 1.5
    assert np.abs(boxes[0][2] - [640 - left, 640 - top]).max() < 1.5


def test_boxes_are_in_the_pixels_of_the_frame() -> None:
    network = DrawnNetwork((320, 320), (200, 40), 0)
    (boxes,) = TextDetector(network, PARAMETERS).detect([frame(320, 320)])
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
    (boxes,) = TextDetector(DrawnNetwork((320, 320), (200, 40), 0, value=0.4), PARAMETERS).detect(
        [frame(640, 640)]
    )
    assert boxes.shape == (0, 4, 2)


def test_only_frames_of_one_shape_share_a_batch() -> None:
    network = DrawnNetwork((320, 320), (200, 40), 0)
    found = TextDetector(network, PARAMETERS).detect([frame(640, 640), frame(640, 960), frame(640, 640)])
    assert sorted(network.shapes) == [(1, 3, 960, 640), (2, 3, 640, 640)]
    assert [len(boxes) for boxes in found] == [1, 1, 1]

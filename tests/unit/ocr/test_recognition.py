from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from service.errors import EngineFailed
from service.ocr.recognition import TextRecognizer, _without_glyph_gaps, crop_box
from service.ocr.runtime import Batch, T
from service.ocr.text import CharScore
from service.ocr.weights import RecognitionInput

CHARACTERS = ["A", "B", "C"]
INPUT = RecognitionInput(height=48, width_multiple=16, characters="metadata")


class SpokenNetwork:
    """Answers fixed rows of class probabilities: blank, A, B, C, space."""

    def __init__(self, *steps: list[float]) -> None:
        self.steps = np.asarray(steps, np.float32)
        self.shapes: list[tuple[int, ...]] = []

    def run(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        self.shapes.append(batch.shape)
        return np.stack([self.steps] * len(batch))

    def run_all(self, batches: Sequence[Batch], finish: Callable[[Batch], T]) -> list[T]:
        return [finish(self.run(batch)) for batch in batches]


def crop(width: int, height: int = 48) -> NDArray[np.uint8]:
    return np.zeros((height, width, 3), np.uint8)


def recognise(network: SpokenNetwork, *crops: NDArray[np.uint8], max_batch: int = 8) -> list[str]:
    recognizer = TextRecognizer(network, INPUT, CHARACTERS, max_batch)
    return ["".join(char.char for char in chars) for chars in recognizer.recognise(crops)]


def test_the_place_of_a_character_is_along_the_crop_without_its_padding() -> None:
    blank, a, b = [1.0, 0, 0, 0, 0], [0, 1.0, 0, 0, 0], [0, 0, 1.0, 0, 0]
    network = SpokenNetwork(a, blank, blank, b, blank, blank, blank, b)
    recognizer = TextRecognizer(network, INPUT, CHARACTERS, 1)
    for width, filled in ((64, 1.0), (56, 56 / 64), (50, 50 / 64)):
        (chars,) = recognizer.recognise([crop(width)])
        expected = [0.5 / 8 / filled, 3.5 / 8 / filled, min(1, 7.5 / 8 / filled)]
        assert [char.place for char in chars] == pytest.approx(expected)


def test_repeats_are_merged_and_blanks_dropped() -> None:
    a, b, blank = [0.1, 0.9, 0, 0, 0], [0.2, 0, 0.8, 0, 0], [1.0, 0, 0, 0, 0]
    assert recognise(SpokenNetwork(blank, a, a, blank, a, b, b, blank), crop(64)) == ["AAB"]


def test_scores_and_runners_up_are_those_of_the_peak() -> None:
    network = SpokenNetwork([0.1, 0.6, 0.3, 0, 0], [0.05, 0.75, 0.05, 0.15, 0])
    (chars,) = TextRecognizer(network, INPUT, CHARACTERS, 1).recognise([crop(64)])
    assert chars[0].char == "A"
    assert chars[0].score == pytest.approx(0.75)
    assert [char for char, _ in chars[0].alternatives] == ["C", "B"]
    assert [score for _, score in chars[0].alternatives] == pytest.approx([0.15, 0.05])


@pytest.mark.parametrize(
    ("read", "kept"),
    [
        ("净含量： 220ml", "净含量：220ml"),
        ("净含量: 220ml", "净含量:220ml"),
        ("品名 （袋） 装", "品名（袋）装"),
        ("批次2： 240817", "批次2： 240817"),
        ("净含量 220 ml", "净含量 220 ml"),
        ("LOT: 12", "LOT: 12"),
        (": 12", ": 12"),
        ("1 ： 2", "1 ： 2"),
        ("LOT （ 12", "LOT （ 12"),
    ],
)
def test_the_empty_half_of_full_width_punctuation_is_no_space(read: str, kept: str) -> None:
    chars = tuple(CharScore(char, 0.9) for char in read)
    assert "".join(char.char for char in _without_glyph_gaps(chars)) == kept


def test_spaces_inside_are_kept_and_at_the_ends_dropped() -> None:
    a, space, blank = [0, 1.0, 0, 0, 0], [0, 0, 0, 0, 1.0], [1.0, 0, 0, 0, 0]
    assert recognise(SpokenNetwork(space, a, space, a, space), crop(64)) == ["A A"]
    assert recognise(SpokenNetwork(space, blank, space), crop(64)) == [""]
    assert recognise(SpokenNetwork(blank, blank), crop(64)) == [""]


def test_batches_hold_one_width_and_a_crop_is_padded_by_itself() -> None:
    network = SpokenNetwork([0, 1.0, 0, 0, 0])
    recognise(network, crop(100), crop(100), crop(97), crop(300), crop(10, 200), max_batch=2)
    assert [shape[0] for shape in network.shapes] == [2, 1, 1, 1]
    assert all(shape[3] % INPUT.width_multiple == 0 for shape in network.shapes)
    assert sorted(shape[3] for shape in network.shapes) == [16, 112, 112, 304]


def test_a_character_list_of_another_network_is_an_error() -> None:
    with pytest.raises(EngineFailed, match="knows 6 classes"):
        recognise(SpokenNetwork([0, 0, 0, 0, 0, 1.0]), crop(64))


def test_text_that_runs_downwards_is_turned_a_quarter_to_the_left() -> None:
    pixels = np.zeros((100, 40, 3), np.uint8)
    pixels[:20] = 255  # where the text begins
    cut = crop_box(pixels, np.array([[0, 0], [40, 0], [40, 100], [0, 100]], np.float32), down=True)
    assert cut is not None
    straight, box = cut
    assert straight.shape[:2] == (40, 100)
    assert (straight[20, 5].max(), straight[20, -5].max()) == (255, 0)
    assert box[0].tolist() == [40, 0]


def test_a_box_too_thin_holds_nothing() -> None:
    pixels = np.zeros((50, 50, 3), np.uint8)
    for box in (
        [[0, 0], [30, 0], [30, 1], [0, 1]],
        [[60, 0], [90, 0], [90, 20], [60, 20]],
        [[-30, 0], [-10, 0], [-10, 20], [-30, 20]],
    ):
        assert crop_box(pixels, np.array(box, np.float32), down=False) is None


def test_a_crop_of_a_very_long_image() -> None:
    """OpenCV warps nothing with more than 32,766 pixels a side."""
    pixels = np.zeros((60, 40_000, 3), np.uint8)
    pixels[20:40, 39_000:39_200] = 255
    box = np.array([[39_000, 20], [39_200, 20], [39_200, 40], [39_000, 40]], np.float32)
    cut = crop_box(pixels, box, down=False)
    assert cut is not None
    assert cut[0].shape == (20, 200, 3)
    assert cut[0].min() == 255


def test_a_box_longer_than_opencv_can_warp() -> None:
    pixels = np.full((60, 40_000, 3), 9, np.uint8)
    cut = crop_box(pixels, np.array([[0, 10], [40_000, 10], [40_000, 50], [0, 50]], np.float32), down=False)
    assert cut is not None
    assert (cut[0] == 9).all()


@pytest.mark.parametrize("corner", [(-10, -10), (70, 35)])
def test_a_crop_beyond_the_border_repeats_it(corner: tuple[int, int]) -> None:
    pixels = np.full((50, 100, 3), 77, np.uint8)
    left, top = corner
    box = np.array([[left, top], [left + 60, top], [left + 60, top + 30], [left, top + 30]], np.float32)
    cut = crop_box(pixels, box, down=False)
    assert cut is not None
    assert (cut[0] == 77).all()

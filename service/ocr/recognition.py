"""Reads the text inside boxes: a CTC recogniser.

A. Graves et al., "Connectionist Temporal Classification", ICML 2006. Decoding is greedy: the best class of each time
step, repeats merged, blanks dropped. Class 0 is the blank, the last class the space.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from service.errors import EngineFailed
from service.ocr.batches import in_batches
from service.ocr.text import CharScore, is_glyph_gap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from service.ocr.runtime import Network
    from service.ocr.weights import RecognitionInput

MIN_WIDTH: Final = 16
MAX_WIDTH: Final = 3200
MAX_WARPED_PX: Final = 30_000
ALTERNATIVES: Final = 3
MIN_ALTERNATIVE_SCORE: Final = 1e-3


class TextRecognizer:
    """Network input and output of one recognition model."""

    def __init__(
        self, network: Network, parameters: RecognitionInput, characters: Sequence[str], max_batch: int
    ) -> None:
        self._network = network
        self._height = parameters.height
        self._width_multiple = parameters.width_multiple
        self._characters = np.asarray(["", *characters, " "])
        self._max_batch = max_batch

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[tuple[CharScore, ...]]:
        """Characters of each crop (H x W x 3, BGR); an empty tuple where nothing is legible.

        Only crops of equal padded width share a batch: what is read in one never depends on the others.
        """
        inputs, filled = self._prepare_all(crops)
        parts = in_batches([one.shape for one in inputs], self._max_batch)
        batches = [np.stack([inputs[index] for index in part]) for part in parts]
        read: list[tuple[CharScore, ...]] = [()] * len(crops)
        for part, texts in zip(parts, self._network.run_all(batches, self._decode_all), strict=True):
            for index, text in zip(part, texts, strict=True):
                # Places so far are along the padded crop.
                read[index] = tuple(
                    replace(char, place=min(1.0, (char.place or 0.0) / filled[index])) for char in text
                )
        return read

    def _prepare_all(
        self, crops: Sequence[NDArray[np.uint8]]
    ) -> tuple[list[NDArray[np.float32]], list[float]]:
        """Of each crop: 3 x height x padded width, values in -1..1, padded with 0; and the share it fills."""
        inputs, filled = [], []
        for crop in crops:
            height, width = crop.shape[:2]
            scaled = min(MAX_WIDTH, max(MIN_WIDTH, round(width * self._height / height)))
            whole = -(-scaled // self._width_multiple) * self._width_multiple
            padded = np.zeros((3, self._height, whole), np.float32)
            resized = cv2.resize(crop, (scaled, self._height))
            padded[:, :, :scaled] = resized.transpose(2, 0, 1) / np.float32(127.5) - 1
            inputs.append(padded)
            filled.append(scaled / whole)
        return inputs, filled

    def _decode_all(self, scores: NDArray[np.float32]) -> list[tuple[CharScore, ...]]:
        """`scores` is N x T x classes."""
        if scores.shape[2] != len(self._characters):
            raise EngineFailed(
                f"the recogniser knows {scores.shape[2]} classes, its character list {len(self._characters)}"
            )
        return [self._decode(one) for one in scores]

    def _decode(self, scores: NDArray[np.float32]) -> tuple[CharScore, ...]:
        """`scores` is T x classes, each row a probability distribution."""
        best = scores.argmax(axis=1)
        top = scores[np.arange(len(best)), best]
        if not np.isfinite(top).all():  # the best of a row with a value that is no number is that value
            raise EngineFailed("the recogniser answered with values that are no numbers")
        starts = np.flatnonzero(np.diff(best, prepend=-1))
        runs = np.maximum.reduceat(top, starts)
        emitted = np.flatnonzero(best[starts] > 0)
        chars = []
        ends = np.append(starts[1:], len(best))
        for run in emitted:
            begin, end = starts[run], ends[run]
            peak = begin + int(top[begin:end].argmax())
            chars.append(
                CharScore(
                    str(self._characters[best[peak]]),
                    float(runs[run]),
                    self._runners_up(scores[peak]),
                    (peak + 0.5) / len(best),
                )
            )
        return _without_glyph_gaps(_strip(chars))

    def _runners_up(self, scores: NDArray[np.float32]) -> tuple[tuple[str, float], ...]:
        """The next best characters of one time step; the blank is none."""
        likely = np.flatnonzero(scores >= MIN_ALTERNATIVE_SCORE)
        ranked = likely[np.argsort(-scores[likely])][1:]
        return tuple((str(self._characters[index]), float(scores[index])) for index in ranked if index > 0)[
            :ALTERNATIVES
        ]


def crop_box(
    pixels: NDArray[np.uint8], box: NDArray[Any], *, down: bool
) -> tuple[NDArray[np.uint8], NDArray[Any]] | None:
    """The image inside a box (4 x 2, clockwise from the top left), straightened, and the box along the text.

    A box whose text runs `down` is turned a quarter to the left; its first corner moves with it. None where the box is too
    thin to hold anything, or lies outside.
    """
    if down:
        box = np.roll(box, -1, axis=0)
    width, height = (round(float(np.linalg.norm(box[0] - box[corner]))) for corner in (1, 3))
    left, top = np.maximum(np.floor(box.min(axis=0)).astype(int) - 2, 0)
    right, bottom = np.maximum(np.ceil(box.max(axis=0)).astype(int) + 3, 0)
    around = pixels[top:bottom, left:right]
    if min(width, height) < 2 or not around.size:
        return None
    # Only what surrounds the box, and not all of it if it is longer still: OpenCV warps no more than 32,766 pixels a side.
    step = -(-max(width, height, *around.shape[:2]) // MAX_WARPED_PX)
    around, width, height = around[::step, ::step], max(2, width // step), max(2, height // step)
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    warp = cv2.getPerspectiveTransform(np.asarray((box - [left, top]) / step, np.float32), flat)
    crop = cv2.warpPerspective(
        around, warp, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(crop, np.uint8), box


def _strip(chars: list[CharScore]) -> tuple[CharScore, ...]:
    """Without the spaces at both ends."""
    inked = [index for index, char in enumerate(chars) if not char.char.isspace()]
    return tuple(chars[inked[0] : inked[-1] + 1]) if inked else ()


def _without_glyph_gaps(chars: tuple[CharScore, ...]) -> tuple[CharScore, ...]:
    text = "".join(char.char for char in chars)
    return tuple(
        char for index, char in enumerate(chars) if char.char != " " or not is_glyph_gap(text, index)
    )

"""Which way text runs along its box: a detector tells the axis, only reading tells the direction.

PP-OCR pipelines ask a classifier about each crop. Here the recogniser answers by itself and only where there is doubt:
text read upside down is read with low scores. Over the ten photographs and the sample labels the mean score of all
characters along one axis was 0.83 to 1.00 the right way up, and 0.56 to 0.82 upside down (docs/decisions/0010).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from service.ocr.text import CharScore

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONG_RATIO: Final = 1.5  # a box so much longer than wide tells its axis by itself
# Nine tenths of single sample lines score less than this upside down, one in fourteen of all lines does upright.
DOUBTFUL: Final = 0.85
CLEAR_GAIN: Final = 0.1  # per character: a text decides by itself only where one way is so much better
# Read as well upside down, some of them as each other: a text of these alone stands as its neighbours do.
TWO_WAY: Final = frozenset("0689HINOSXZoslxz1I|-=+.,:/%• ")

SIDEWAYS: Final = (90, 270)
REVERSED: Final = (180, 270)  # against the right of the image, or against its bottom

Text = tuple[CharScore, ...]


def running_down(boxes: NDArray[Any], rotate: int | None = None) -> NDArray[np.bool_]:
    """Which boxes (N x 4 x 2, clockwise from the top left) hold text that runs along their left side.

    The tall ones; and short prints, whose box is about square, where most other text runs that way, or text is known to
    from how far the label is turned (`rotate`, degrees clockwise).
    """
    widths, heights = (np.linalg.norm(boxes[:, 0] - boxes[:, corner], axis=1) for corner in (1, 3))
    tall, wide = heights >= LONG_RATIO * widths, widths >= LONG_RATIO * heights
    mostly_down = heights[tall].sum() > widths[wide].sum() if rotate is None else rotate in SIDEWAYS
    return np.asarray(tall | (~wide & mostly_down), np.bool_)


def to_reread(boxes: Sequence[NDArray[Any]], texts: Sequence[Text]) -> list[int]:
    """Which of one image's crops to read the other way round as well.

    Args:
        boxes: 4 x 2 each, clockwise from where the text was taken to begin.
        texts: what was read in each.
    """
    chosen: list[int] = []
    for axis in _by_axis(boxes):
        legibility = _legibility([texts[index] for index in axis])
        chosen += [
            index
            for index in axis
            # Where the others are legible, or nothing is, a crop without any character is texture.
            if 0 < legibility < DOUBTFUL or (texts[index] and _legibility([texts[index]]) < DOUBTFUL)
        ]
    return sorted(chosen)


def upside_down(boxes: Sequence[NDArray[Any]], texts: Sequence[Text], reread: Mapping[int, Text]) -> set[int]:
    """Which crops stand upside down, `reread` being what those of `to_reread` say the other way round.

    Each text decides for itself where one way is clearly better. The others follow where their whole axis was in doubt
    and what is clear on it stands upside down.
    """
    turned: set[int] = set()
    for axis in _by_axis(boxes):
        gains = {
            index: _evidence(reread[index]) - _evidence(texts[index]) for index in axis if index in reread
        }
        clear = {
            index
            for index, gain in gains.items()
            if abs(gain) > CLEAR_GAIN * max(len(texts[index]), len(reread[index]))
            and not TWO_WAY.issuperset(char.char for char in (*reread[index], *texts[index]))
        }
        turned |= {index for index in clear if gains[index] > 0}
        if len(gains) == len(axis) and sum(gains[index] for index in clear) > 0:
            turned |= gains.keys() - clear
    return turned


def _by_axis(boxes: Sequence[NDArray[Any]]) -> list[list[int]]:
    axes: tuple[list[int], list[int]] = ([], [])
    for index, box in enumerate(boxes):
        across, down = np.abs(box[1] - box[0])
        axes[int(down > across)].append(index)
    return [axis for axis in axes if axis]


def _legibility(texts: Sequence[Text]) -> float:
    """Mean score of all characters, 0 without any."""
    scores = [char.score for text in texts for char in text]
    return sum(scores) / len(scores) if scores else 0.0


def _evidence(text: Text) -> float:
    """How much speaks for a reading: its characters, each by how much surer than a guess it is."""
    return sum(char.score - 0.5 for char in text)

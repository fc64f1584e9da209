"""Which way text runs along its box: a detector tells the axis, only reading tells the direction.

PP-OCR pipelines ask a classifier about each crop. Here the recogniser answers by itself and only where there is doubt:
text read upside down is read with low scores. Over the ten photographs and the sample labels the mean score of all
characters along one axis was 0.83 to 1.00 the right way up, and 0.56 to 0.82 upside down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from service.ocr.text import CharScore

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Nine tenths of single sample lines score less than this upside down, one in fourteen of all lines does upright.
DOUBTFUL: Final = 0.85
CLEAR_GAIN: Final = 0.1  # a single text between upright ones is turned only if its score gains this much

Text = tuple[CharScore, ...]


def to_reread(boxes: Sequence[NDArray[Any]], texts: Sequence[Text]) -> list[int]:
    """Which of one image's crops to read the other way round as well.

    Args:
        boxes: 4 x 2 each, clockwise from where the text was taken to begin.
        texts: what was read in each.
    """
    chosen: list[int] = []
    for axis in _by_axis(boxes):
        all_doubtful = _legibility([texts[index] for index in axis]) < DOUBTFUL
        chosen += [
            index
            for index in axis
            # Where the others are legible, a crop without any character is texture.
            if all_doubtful or (texts[index] and _legibility([texts[index]]) < DOUBTFUL)
        ]
    return sorted(chosen)


def upside_down(boxes: Sequence[NDArray[Any]], texts: Sequence[Text], reread: Mapping[int, Text]) -> set[int]:
    """Which crops stand upside down, `reread` being what those of `to_reread` say the other way round.

    Where a whole axis was read both ways, its texts turn together: some characters (6 and 9, 0, 8, H) read as well one
    way as the other, and a line made of them alone must follow its neighbours.
    """
    turned: set[int] = set()
    for axis in _by_axis(boxes):
        both = [index for index in axis if index in reread]
        if len(both) == len(axis) and (
            _legibility([reread[index] for index in axis]) > _legibility([texts[index] for index in axis])
        ):
            turned.update(axis)
        else:
            turned.update(
                index
                for index in both
                if _legibility([reread[index]]) > _legibility([texts[index]]) + CLEAR_GAIN
            )
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

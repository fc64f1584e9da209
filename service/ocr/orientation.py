"""Which way text runs along its box: a detector tells the axis, only reading tells the direction.

PP-OCR pipelines ask a classifier about each crop. Here the recogniser answers by itself and only where there is doubt:
text read upside down is read with low scores. Over the ten photographs and the sample labels the mean score of all
characters along one axis was 0.83 to 1.00 the right way up, and 0.56 to 0.82 upside down (docs/decisions/0010).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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


def running_down(
    boxes: NDArray[Any], rotate: int | None = None, *, stated: bool = False
) -> NDArray[np.bool_]:
    """Which boxes (N x 4 x 2, clockwise from the top left) hold text that runs along their left side.

    The tall ones; and short prints, whose box is about square, where most other text runs that way, or text is known to
    from how far the label is turned (`rotate`, degrees clockwise). A lone `1` is tall as well, so where the turn is known a
    box must be much longer to contradict it, and a `stated` one never does.
    """
    if stated and rotate is not None:
        return np.full(len(boxes), rotate in SIDEWAYS)
    widths, heights = (np.linalg.norm(boxes[:, 0] - boxes[:, corner], axis=1) for corner in (1, 3))
    ratio = LONG_RATIO if rotate is None else 2 * LONG_RATIO
    tall, wide = heights >= ratio * widths, widths >= ratio * heights
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
        if 0 < legibility < DOUBTFUL or not any(texts):
            chosen += axis
            continue
        # Where the others are legible, or only those along the other axis, a crop without any character is texture.
        doubtful = [index for index in axis if texts[index] and _legibility([texts[index]]) < DOUBTFUL]
        if doubtful:  # what reads both ways may have to follow them
            doubtful += [index for index in axis if index not in doubtful and _reads_both_ways(texts[index])]
        chosen += doubtful
    return sorted(chosen)


def upside_down(boxes: Sequence[NDArray[Any]], texts: Sequence[Text], reread: Mapping[int, Text]) -> set[int]:
    """Which crops stand upside down, `reread` being what those of `to_reread` say the other way round.

    Each text decides for itself where one way is clearly better. The others follow what is clear on their axis, unless
    they would lose by it.
    """
    turned: set[int] = set()
    for axis in _by_axis(boxes):
        gains = {
            index: _evidence(reread[index]) - _evidence(texts[index]) for index in axis if index in reread
        }
        limits = {index: CLEAR_GAIN * max(len(texts[index]), len(reread[index])) for index in gains}
        two_way = {
            index for index in gains if _reads_both_ways(texts[index]) and _reads_both_ways(reread[index])
        }
        clear = {index for index in gains.keys() - two_way if abs(gains[index]) > limits[index]}
        turned |= {index for index in clear if gains[index] > 0 and reread[index]}
        # Text that was legible at once speaks for the way it stands.
        upright = sum(_evidence(texts[index]) for index in axis if index not in gains)
        if sum(gains[index] for index in clear) > upright:
            turned |= {
                index for index in gains.keys() - clear if reread[index] and gains[index] >= -limits[index]
            }
    return turned


def undecidable(boxes: Sequence[NDArray[Any]], texts: Sequence[Text]) -> list[int]:
    """Texts that run up or down, nobody knows which: all along that axis read both ways, and differently."""
    sideways = [index for index in _axes(boxes)[1] if texts[index]]
    if not all(_reads_both_ways(texts[index]) for index in sideways):
        return []
    return [index for index in sideways if _turned(texts[index]) != [char.char for char in texts[index]]]


def unsure(text: Text) -> Text:
    """The same characters, none surer than a guess, so that no field takes them for certain."""
    return tuple(replace(char, score=min(char.score, 0.5)) for char in text)


def _turned(text: Text) -> list[str]:
    """What a text that reads both ways says the other way round."""
    return [{"6": "9", "9": "6"}.get(char.char, char.char) for char in reversed(text)]


def _reads_both_ways(text: Text) -> bool:
    return bool(text) and TWO_WAY.issuperset(char.char for char in text)


def _by_axis(boxes: Sequence[NDArray[Any]]) -> list[list[int]]:
    return [axis for axis in _axes(boxes) if axis]


def _axes(boxes: Sequence[NDArray[Any]]) -> tuple[list[int], list[int]]:
    """Indices of the boxes whose text runs across the image, and of those that run up or down."""
    axes: tuple[list[int], list[int]] = ([], [])
    for index, box in enumerate(boxes):
        across, down = np.abs(box[1] - box[0])
        axes[int(down > across)].append(index)
    return axes


def _legibility(texts: Sequence[Text]) -> float:
    """Mean score of all characters, 0 without any."""
    scores = [char.score for text in texts for char in text]
    return sum(scores) / len(scores) if scores else 0.0


def _evidence(text: Text) -> float:
    """How much speaks for a reading: its characters, each by how much surer than a guess it is."""
    return sum(max(0.0, char.score - 0.5) for char in text)

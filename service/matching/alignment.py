"""Where on a label does a print stand nearly, and character by character how well.

The closest places are found by approximate string matching with free ends (P. H. Sellers, "The theory and computation of
evolutionary distances", J. Algorithms 1, 1980), with one addition: a print begins and ends where a word does, so
cutting a word in two costs as much as a wrong character. LOT 12 is therefore never found inside LOT 123. All prints are
searched for at once: a row of the table is one array of prints x characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.matching.text import NEVER, WRONG, Text
from service.recipes.template import Position, Template

MAX_TABLE: Final = 4_000_000  # cells of four bytes that are kept at a time


Step = tuple[Position | None, int | None]
"""One step of an alignment: a position, the index of the label's character read there, or both.

Without a character the position is missing; without a position the character is extra.
"""


@dataclass(frozen=True, slots=True)
class Alignment:
    """`cost` is 0 where nothing is missing, extra or shifted; in tenths of a wrong character.

    `indices` are those of its characters on the label, in order.
    """

    cost: int
    steps: tuple[Step, ...]
    indices: list[int]

    @classmethod
    def of(cls, cost: int, steps: Sequence[Step]) -> Alignment:
        return cls(cost, tuple(steps), [index for _, index in steps if index is not None])


def straight(template: Template, text: Text, start: int) -> Alignment:
    """A template that stands as it is at a place in `text.plain`."""
    indices = text.indices[start : start + len(template)].tolist()
    return Alignment(0, tuple(zip(template, indices, strict=True)), indices)


def closest(
    templates: Sequence[Template], text: Text, max_costs: Sequence[int], count: int
) -> list[list[Alignment]]:
    """For each template the best places that cost at most its `max_cost`, best first: up to `count`, none on another.

    The rest of a word that a place cuts is added as extra characters.
    """
    found: list[list[Alignment]] = [[] for _ in templates]
    by_length = sorted(range(len(templates)), key=lambda one: -len(templates[one]))
    while by_length:
        longest = len(templates[by_length[0]])
        chunk = by_length[: max(1, MAX_TABLE // ((longest + 1) * (len(text.plain) + 1)))]
        by_length = by_length[len(chunk) :]
        table = _Table([templates[index] for index in chunk], text)
        for row, index in enumerate(chunk):
            found[index] = list(table.places(row, max_costs[index], count))
    return found


class _Table:
    """The table of a few templates, longest first; columns count the characters before a place."""

    def __init__(self, templates: Sequence[Template], text: Text) -> None:
        self._templates, self._text = templates, text
        fenced = np.append(True, ~text.free) | np.append(~text.free, True)
        self._cut = np.where(text.boundaries | fenced, 0, WRONG).astype(np.int32)
        # What passing over all characters up to here costs: turns the chain of extra characters into a running minimum.
        passed = np.append(0, np.cumsum(np.where(text.free, WRONG, NEVER), dtype=np.int32)).astype(np.int32)
        taken = ~text.free
        self._swaps: list[NDArray[np.int32]] = []
        self._rows: list[NDArray[np.int32]] = [np.tile(self._cut, (len(templates), 1))]
        lengths = [len(template) for template in templates]
        for at in range(lengths[0]):
            active = sum(length > at for length in lengths)
            swap = np.stack([text.costs(template[at].allowed) for template in templates[:active]])
            swap[:, taken] = NEVER
            above = self._rows[-1][:active]
            best = above + WRONG
            np.minimum(best[:, 1:], above[:, :-1] + swap, out=best[:, 1:])
            best[:, 0] = (at + 1) * WRONG
            best -= passed
            np.minimum.accumulate(best, axis=1, out=best)
            best += passed
            self._swaps.append(swap)
            self._rows.append(best)

    def places(self, row: int, max_cost: int, count: int) -> Iterator[Alignment]:
        total = self._rows[len(self._templates[row])][row] + self._cut
        ends = np.flatnonzero(total <= max_cost)
        covered = np.zeros(len(total), bool)
        for end in ends[np.argsort(total[ends], kind="stable")].tolist():
            if count == 0:
                return
            if covered[end]:
                continue
            start, stop, steps = self._trace(row, end)
            if (
                start == stop or covered[start + 1 : stop + 1].any()
            ):  # nothing of it is there, or it is a worse end
                continue
            covered[start + 1 : stop + 1] = True
            count -= 1
            yield Alignment.of(int(total[end]), steps)

    def _trace(self, which: int, end: int) -> tuple[int, int, list[Step]]:
        """Begin and end in `plain` of the place that ends there, and its steps."""
        template, cut, indices = self._templates[which], self._cut, self._text.indices
        first = max(
            0, end - 2 * len(template) - 2
        )  # a cost under half a character a position reaches no further back
        rows = [row[which, first : end + 1].tolist() for row in self._rows[: len(template) + 1]]
        swaps = [swap[which, first:end].tolist() for swap in self._swaps[: len(template)]]
        label = indices[first:end].tolist()
        steps: list[Step] = []
        row, column = len(template), end - first
        while row:
            here = rows[row][column]
            swap = swaps[row - 1][column - 1] if column else NEVER
            paired = column > 0 and here == rows[row - 1][column - 1] + swap
            dropped = here == rows[row - 1][column] + WRONG
            # Of equally cheap explanations, a print that breaks off at its end is told as that.
            breaks_off = swap > 0 and dropped and all(index is None for _, index in steps)
            if paired and not breaks_off:
                row, column = row - 1, column - 1
                steps.append((template[row], label[column]))
            elif dropped or not column:
                row -= 1
                steps.append((template[row], None))
            else:
                column -= 1
                steps.append((None, label[column]))
        steps.reverse()
        start, stop = first + column, end
        while cut[start]:
            start -= 1
            steps.insert(0, (None, int(indices[start])))
        while cut[stop]:
            steps.append((None, int(indices[stop])))
            stop += 1
        return start, stop, steps

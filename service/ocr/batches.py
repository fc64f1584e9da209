"""Which inputs share a call of a network."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def in_batches(shapes: Sequence[Hashable], max_batch: int) -> list[list[int]]:
    """Indices of inputs, `max_batch` at most together and only those of equal shape, in their order.

    Padding to a common shape would let the answer for one input depend on the others.
    """
    groups: dict[Hashable, list[int]] = {}
    for index, shape in enumerate(shapes):
        groups.setdefault(shape, []).append(index)
    return [group[at : at + max_batch] for group in groups.values() for at in range(0, len(group), max_batch)]

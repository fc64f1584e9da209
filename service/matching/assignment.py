"""Which print takes which place: all of them together, each character of the label for one print at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

# A label on which every print of a recipe fits nearly everywhere has more assignments than can be tried; after so many
# steps the best one met is taken. Ordinary labels need fewer steps than they have prints.
MAX_STEPS: Final = 3000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place for a print: its first and last character on the label, and what placing it there is worth."""

    first: int
    last: int
    gain: int


def assign(
    candidates: Sequence[Sequence[Candidate]], kinds: Sequence[int]
) -> tuple[list[int | None], set[int]]:
    """For each print the index of the candidate it gets, so that the sum of gains is greatest.

    Prints of equal kind have equal candidates, and get them in reading order. Of equal sums the one is taken that serves
    earlier prints with earlier candidates.

    Returns:
        The indices (None for a print that gets none), and the prints that had to share with one that got less than its
        best.
    """
    chosen: list[int | None] = [None] * len(candidates)
    disputed: set[int] = set()
    for group in _groups(candidates):
        best = [max(candidate.gain for candidate in candidates[one]) for one in group]
        given = _Search(candidates, kinds, group, best).best()
        for one, at in zip(group, given, strict=True):
            chosen[one] = at
        if any(
            at is None or candidates[one][at].gain < gain
            for one, at, gain in zip(group, given, best, strict=True)
        ):
            disputed.update(group)
    return chosen, disputed


def _groups(candidates: Sequence[Sequence[Candidate]]) -> list[list[int]]:
    """Prints that share a character of any of their candidates, directly or over others."""
    leader = list(range(len(candidates)))

    def find(one: int) -> int:
        while leader[one] != one:
            leader[one] = leader[leader[one]]
            one = leader[one]
        return one

    spans = sorted((one.first, one.last, owner) for owner, ones in enumerate(candidates) for one in ones)
    reach, last_owner = -1, -1
    for first, last, owner in spans:
        if first <= reach:
            leader[find(owner)] = find(last_owner)
        if last >= reach:
            reach, last_owner = last, owner
    groups: dict[int, list[int]] = {}
    for one in range(len(candidates)):
        if candidates[one]:
            groups.setdefault(find(one), []).append(one)
    return list(groups.values())


class _Search:
    """Depth first, best gain first, leaving out what cannot become better than the best so far."""

    def __init__(
        self,
        candidates: Sequence[Sequence[Candidate]],
        kinds: Sequence[int],
        group: Sequence[int],
        gains: Sequence[int],
    ) -> None:
        self._candidates, self._kinds = candidates, kinds
        best = dict(zip(group, gains, strict=True))
        self._order = sorted(group, key=lambda one: -best[one])
        self._group = group
        self._possible = [0]
        for one in reversed(self._order):
            self._possible.insert(0, self._possible[0] + best[one])
        self._ranked = {
            one: sorted(range(len(candidates[one])), key=lambda at, one=one: -candidates[one][at].gain)  # type: ignore[misc]
            for one in group
        }
        # The characters that a candidate covers, as the bits of a number.
        self._covers = {
            one: [(1 << each.last + 1) - (1 << each.first) for each in candidates[one]] for one in group
        }
        self._best_gain = -1
        self._best: dict[int, int | None] = {}
        self._steps = 0

    def best(self) -> list[int | None]:
        self._descend(0, 0, {}, 0)
        return [self._best.get(one) for one in self._group]

    def _descend(self, depth: int, gain: int, taken: dict[int, int | None], covered: int) -> None:
        if gain + self._possible[depth] <= self._best_gain or self._steps > MAX_STEPS:
            return
        self._steps += 1
        if depth == len(self._order):
            self._best_gain, self._best = gain, dict(taken)
            return
        one = self._order[depth]
        # Prints of one kind take their places in order; where one of them gets none, the next gets none either.
        before = next(
            (taken[other] for other in self._order[:depth][::-1] if self._kinds[other] == self._kinds[one]),
            -1,
        )
        if before is not None:
            for at in self._ranked[one]:
                cover = self._covers[one][at]
                if at > before and not covered & cover:
                    taken[one] = at
                    self._descend(depth + 1, gain + self._candidates[one][at].gain, taken, covered | cover)
        taken[one] = None
        self._descend(depth + 1, gain, taken, covered)

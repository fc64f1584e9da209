"""How much of the truth a pipeline read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from service.recipes.normalise import fold_width


@dataclass(frozen=True, slots=True)
class Score:
    """Counts over a set of images.

    A truth line is `exact` when one output line equals it, case and spaces ignored and full-width forms folded; `strict`
    counts without that fold. `wrong_chars` is the edit distance of each truth line to the output line nearest to it, of
    `chars` in all. `extra` are output lines that are nearest to none. `spacing` are exact lines whose spaces differ.
    """

    lines: int
    exact: int
    strict: int
    chars: int
    wrong_chars: int
    extra: int
    spacing: int


def score(truth: Sequence[Sequence[str]], read: Sequence[Sequence[str]]) -> Score:
    """Compare, image by image; every output line answers one truth line at most."""
    totals = [0] * 7
    for wanted, got in zip(truth, read, strict=True):
        pairs = _pairs([normalise(line) for line in wanted], [normalise(line) for line in got])
        for at, line in enumerate(wanted):
            other = got[pairs[at]] if at in pairs else ""
            distance = min(Levenshtein.distance(normalise(line), normalise(other)), len(normalise(line)))
            totals[0] += 1
            totals[1] += distance == 0
            totals[2] += squeeze(line) == squeeze(other)
            totals[3] += len(normalise(line))
            totals[4] += distance
            totals[6] += distance == 0 and _spaced(line) != _spaced(other)
        totals[5] += len(got) - len(pairs)
    return Score(*totals)


def exact_lines(wanted: Sequence[str], got: Sequence[str]) -> set[int]:
    """Which truth lines of one image are `exact`."""
    plain = [normalise(line) for line in got]
    pairs = _pairs([normalise(line) for line in wanted], plain)
    return {at for at, place in pairs.items() if normalise(wanted[at]) == plain[place]}


def shared_lines(one: Sequence[str], other: Sequence[str]) -> int:
    """How many output lines of one image are the same, as `exact` is."""
    return (Counter(map(normalise, one)) & Counter(map(normalise, other))).total()


def squeeze(line: str) -> str:
    """Without spaces and case."""
    return "".join(line.split()).lower()


def normalise(line: str) -> str:
    """`squeeze`, and full-width forms folded."""
    return squeeze("".join(map(fold_width, line)))


def _spaced(line: str) -> str:
    return " ".join("".join(map(fold_width, line)).split()).lower()


def _pairs(wanted: Sequence[str], got: Sequence[str]) -> dict[int, int]:
    """Truth line -> output line, the nearest pairs first; lines that share less than half of their length are no pair."""
    distances = sorted(
        (Levenshtein.distance(one, other), at, place)
        for at, one in enumerate(wanted)
        for place, other in enumerate(got)
    )
    pairs: dict[int, int] = {}
    for distance, at, place in distances:
        if at not in pairs and place not in pairs.values() and distance <= len(wanted[at]) / 2:
            pairs[at] = place
    return pairs

"""A field's result in one sentence for people."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from service.matching.outcome import CharState, Outcome

if TYPE_CHECKING:
    from service.matching.characters import CharResult
    from service.matching.field import FieldResult


def explain(result: FieldResult) -> str:
    """What was expected, what was read, and where they differ; places are counted in the expected text as it is shown."""
    if result.outcome is Outcome.MISSING:
        return f"{result.expected!r} is not on the label"
    if not result.read:
        return f"expected {result.expected!r}"
    if result.outcome is Outcome.INVALID:
        return f"read {result.read!r}"
    places = _places(result)
    differences = [
        _difference([place for place, _ in run], [char for _, char in run])
        for state, numbered in groupby(zip(places, result.chars, strict=True), key=lambda one: one[1].state)
        if state is not CharState.GOOD
        for run in _runs(state, list(numbered))
    ]
    return "; ".join((f"expected {result.expected!r}, read {result.read!r}", *differences))


def _places(result: FieldResult) -> list[int]:
    """For each character its place, from 1, in the expected text as people see it, with its spaces.

    A pattern is shown in its own language, so its places are those of the print. An extra character has the place of
    the one before it.
    """
    shown = [place for place, char in enumerate(result.expected, 1) if not char.isspace()]
    wanted = sum(bool(char.expected.strip()) for char in result.chars)
    if len(shown) != wanted:
        shown = list(range(1, wanted + 1))
    places, at = [], -1
    for char in result.chars:
        at += bool(char.expected.strip())
        places.append(shown[max(at, 0)] if shown else 1)
    return places


def _runs(state: CharState, numbered: list[tuple[int, CharResult]]) -> Iterator[list[tuple[int, CharResult]]]:
    """Missing and extra characters that follow each other are one difference, others one each."""
    if state in {CharState.MISSING, CharState.EXTRA}:
        yield numbered
    else:
        yield from ([one] for one in numbered)


def _difference(places: list[int], run: list[CharResult]) -> str:
    char = run[0]
    expected, read = "".join(one.expected for one in run), "".join(one.read for one in run)
    said = {
        CharState.BAD: f"{read!r} is uncertain ({char.score or 0:.2f})",
        CharState.CONFUSED: f"{expected!r} read as {read!r}, which looks alike",
        CharState.CONFUSED_MISMATCH: f"{expected!r} read as {read!r}, with {expected!r} a close second",
        CharState.MISMATCH: f"{expected!r} read as {read!r}",
        CharState.MISSING: f"{expected!r} missing",
        CharState.EXTRA: f"{read!r} too much",
    }[char.state]
    if char.state is CharState.EXTRA:
        return f"after character {places[0]}: {said}"
    last = f" to {places[-1]}" if places[-1] != places[0] else ""
    return f"character{'s' if last else ''} {places[0]}{last}: {said}"

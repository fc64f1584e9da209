"""What became of each character of a print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.matching.outcome import CharState, Outcome
from service.recipes.normalise import fold

if TYPE_CHECKING:
    from service.matching.alignment import Step
    from service.matching.label import Label
    from service.ocr.text import CharScore
    from service.recipes.confusables import Confusables
    from service.recipes.recipe import Field
    from service.recipes.template import Position

# A runner-up this strong means that the recogniser itself hesitated between the two characters.
HESITATION: Final = 0.2


@dataclass(frozen=True, slots=True)
class CharResult:
    """`expected` is the character or its class (`{digit}`), empty for an extra one; `read` is empty for a missing one."""

    expected: str
    read: str
    state: CharState
    score: float | None


def judge_chars(
    steps: Sequence[Step], label: Label, field: Field, confusables: Confusables
) -> list[CharResult]:
    """One result for each step of an alignment."""
    results: list[CharResult] = []
    for position, index in steps:
        expected = position.shown if position else ""
        if index is None:
            results.append(CharResult(expected, "", CharState.MISSING, None))
            continue
        read = label.chars[index]
        score = _score(read, field) if read.alternatives else read.score
        state = _state(position, read, score, field, confusables)
        results.append(CharResult(expected, read.char, state, round(score, 4)))
    return results


def outcome_of(chars: Sequence[CharResult], field: Field) -> Outcome:
    """What the characters alone come to; a right one that is not sure enough is `Outcome.LOW_CONFIDENCE`."""
    states = {char.state for char in chars}
    wrong = {CharState.MISMATCH, CharState.MISSING, CharState.EXTRA}
    unsure = {CharState.CONFUSED_MISMATCH}
    if field.confusable == "fail":
        wrong.add(CharState.CONFUSED)
    elif field.confusable == "review":
        unsure.add(CharState.CONFUSED)
    if states & wrong:
        return Outcome.MISMATCH
    if states & unsure:
        return Outcome.CONFUSED
    return Outcome.LOW_CONFIDENCE if CharState.BAD in states else Outcome.MATCH


def _score(read: CharScore, field: Field) -> float:
    """The recogniser's belief in a character under the field's normalisation.

    Forms that count as the same (`：` and `:`, or both cases where the field ignores case) share their probability.
    """
    char = fold(read.char, field.case)
    score = read.score + sum(score for other, score in read.alternatives if fold(other, field.case) == char)
    return min(score, 1.0)  # in this order a score that is no number stays one, and is never enough


def _state(
    position: Position | None, read: CharScore, score: float, field: Field, confusables: Confusables
) -> CharState:
    if position is None:
        return CharState.EXTRA
    allowed = position.allowed
    char = fold(read.char, field.case)
    if char in allowed:
        return CharState.GOOD if score >= field.min_confidence else CharState.BAD
    alike = not allowed.isdisjoint(confusables.alike(char))
    if alike and (field.confusable != "accept" or score >= field.min_confidence):
        return CharState.CONFUSED
    if alike:
        return CharState.CONFUSED_MISMATCH
    if any(fold(other, field.case) in allowed for other, second in read.alternatives if second >= HESITATION):
        return CharState.CONFUSED_MISMATCH
    return CharState.MISMATCH

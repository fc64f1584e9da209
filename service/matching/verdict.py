"""Recipe and lines -> verdict, with the reason character by character."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.matching.alignment import Step
from service.matching.confusables import look_alikes
from service.matching.explanation import explain
from service.matching.layout import LabelChar, read_as_rows, span_box
from service.matching.outcome import VERDICTS, CharState, DefectCode, Outcome, Verdict, worst
from service.matching.search import Place, find
from service.ocr.text import Quad
from service.recipes.dates import date_fault, printed_length
from service.recipes.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.ocr.text import CharScore, TextLine
    from service.recipes.recipe import Field, Recipe

# A runner-up this strong means that the recogniser itself hesitated between the two characters.
HESITATION: Final = 0.2


@dataclass(frozen=True, slots=True)
class CharResult:
    """`expected` is the character or its class (`{digit}`), empty for an extra one; `read` is empty for a missing one."""

    expected: str
    read: str
    state: CharState
    score: float | None


@dataclass(frozen=True, slots=True)
class FieldResult:
    """What became of a field; `score` is its weakest character's, `box` where it was read."""

    name: str
    outcome: Outcome
    expected: str
    read: str
    score: float | None
    box: Quad | None
    chars: tuple[CharResult, ...]


@dataclass(frozen=True, slots=True)
class Defect:
    code: DefectCode
    field: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    verdict: Verdict
    fields: tuple[FieldResult, ...]
    defects: tuple[Defect, ...]


def evaluate(recipe: Recipe, lines: Sequence[TextLine]) -> Evaluation:
    """Compare what was read with a resolved recipe. The order of `lines` does not matter.

    PASS only if every field is MATCH (or an optional one ABSENT) and something was read at all.
    """
    if not lines:
        blank = Verdict.FAIL if recipe.on_blank == "fail" else Verdict.REVIEW
        fields = tuple(_missing(field) for field in recipe.fields)
        detail = "no text was read: no label in view, no print, or an image too poor to read"
        return Evaluation(blank, fields, (Defect(DefectCode.NOTHING_READ, None, detail),))
    label = read_as_rows(lines)
    found = find(recipe.fields, label)
    results, defects = [], []
    for field in recipe.fields:
        place = found.get(field.name)
        result, fault = _judge(field, place, label, lines) if place else (_missing(field), None)
        results.append(result)
        if VERDICTS[result.outcome] is not Verdict.PASS:
            detail = "; ".join(filter(None, (explain(result), fault)))
            defects.append(Defect(DefectCode(result.outcome.value), field.name, detail))
    verdict = worst([VERDICTS[result.outcome] for result in results])
    if verdict is Verdict.PASS and all(result.outcome is Outcome.ABSENT for result in results):
        # Text was read, but none of it is what the recipe speaks of: that is no evidence for a good label.
        detail = "none of the recipe's fields was found, and all of them are optional"
        return Evaluation(Verdict.REVIEW, tuple(results), (Defect(DefectCode.NOTHING_READ, None, detail),))
    return Evaluation(verdict, tuple(results), tuple(defects))


def _missing(field: Field) -> FieldResult:
    if field.optional:
        return FieldResult(field.name, Outcome.ABSENT, _expected(field), "", None, None, ())
    chars = tuple(CharResult(position.shown, "", CharState.MISSING, None) for position in field.template())
    return FieldResult(field.name, Outcome.MISSING, _expected(field), "", None, None, chars)


def _expected(field: Field) -> str:
    apart = " " if field.prefix[-1:].isascii() and field.prefix[-1:].isalnum() else ""  # for the eye only
    return field.prefix + apart + field.rule


def _judge(
    field: Field, place: Place, label: Sequence[LabelChar], lines: Sequence[TextLine]
) -> tuple[FieldResult, str | None]:
    """What became of a field that was found, and what its characters alone do not explain."""
    steps, indices = place.alignment.steps, place.alignment.indices
    chars = tuple(_char(step, label, field) for step in steps)
    span = label[min(indices) : max(indices) + 1]
    outcome, fault = _outcome(chars), None
    if outcome is Outcome.MATCH and field.date is not None:
        printed = [fold(char.read, field.case) for char in chars if not char.read.isspace()]
        fault = date_fault("".join(printed[-printed_length(field.date) :]), field.date)
        outcome = Outcome.INVALID if fault else outcome
    if outcome is Outcome.MATCH and place.beside:
        outcome = Outcome.CONFUSED
        fault = f"{place.beside!r} stands beside it, and the space between may be none: expect it too, or set whitespace"
    if outcome is Outcome.MISMATCH and place.doubtful:
        outcome, fault = Outcome.CONFUSED, "it is optional, and this may be another text"
    if outcome is Outcome.MATCH and any(char.state is CharState.BAD for char in chars):
        outcome = Outcome.LOW_CONFIDENCE
    result = FieldResult(
        name=field.name,
        outcome=outcome,
        expected=_expected(field),
        read="".join(char.char.char for char in span),
        score=min((char.score for char in chars if char.score is not None), default=None),
        box=span_box(span, lines),
        chars=chars,
    )
    return result, fault


def _char(step: Step, label: Sequence[LabelChar], field: Field) -> CharResult:
    expected = step.position.shown if step.position else ""
    if step.index is None:
        return CharResult(expected, "", CharState.MISSING, None)
    read = label[step.index].char
    score = _score(read, field)
    return CharResult(expected, read.char, _state(step, read, score, field), round(score, 4))


def _score(read: CharScore, field: Field) -> float:
    """The recogniser's belief in a character under the field's normalisation.

    Forms that count as the same (`：` and `:`, or both cases where the field ignores case) share their probability.
    """
    char = fold(read.char, field.case)
    score = read.score + sum(score for other, score in read.alternatives if fold(other, field.case) == char)
    return min(score, 1.0)  # in this order a score that is no number stays one, and is never enough


def _state(step: Step, read: CharScore, score: float, field: Field) -> CharState:
    if step.position is None:
        return CharState.EXTRA
    allowed = {fold(char, field.case) for char in step.position.allowed}
    char = fold(read.char, field.case)
    if char in allowed:
        return CharState.GOOD if score >= field.min_confidence else CharState.BAD
    if not allowed.isdisjoint(look_alikes(char)):
        return CharState.CONFUSED
    if any(fold(other, field.case) in allowed for other, second in read.alternatives if second >= HESITATION):
        return CharState.CONFUSED_MISMATCH
    return CharState.MISMATCH


def _outcome(chars: Sequence[CharResult]) -> Outcome:
    states = {char.state for char in chars}
    if states & {CharState.MISMATCH, CharState.MISSING, CharState.EXTRA}:
        return Outcome.MISMATCH
    if states & {CharState.CONFUSED, CharState.CONFUSED_MISMATCH}:
        return Outcome.CONFUSED
    return Outcome.MATCH

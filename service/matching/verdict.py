"""Recipe and lines -> verdict, with the reason character by character."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from service.matching.confusables import alike
from service.matching.dates import date_fault, printed_length
from service.matching.layout import Row, rows, span_box
from service.matching.normalise import fold_case, fold_width
from service.matching.outcome import VERDICTS, CharState, DefectCode, Outcome, Verdict, worst
from service.matching.search import Place, find, full_template
from service.ocr.text import Quad

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from service.matching.alignment import Step
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
    label = rows(lines)
    places = find(recipe.fields, label)
    results = []
    defects = []
    for field in recipe.fields:
        place = places.get(field.name)
        result, fault = _judge(field, place, label, lines) if place else (_missing(field), None)
        results.append(result)
        if VERDICTS[result.outcome] is not Verdict.PASS:
            detail = _explain(result) + (f": {fault}" if fault else "")
            defects.append(Defect(DefectCode(result.outcome.value), field.name, detail))
    verdict = worst([VERDICTS[result.outcome] for result in results])
    if verdict is Verdict.PASS and all(result.outcome is Outcome.ABSENT for result in results):
        # Text was read, but none of it is what the recipe speaks of: that is no evidence for a good label.
        detail = "none of the recipe's fields was found, and all of them are optional"
        return Evaluation(Verdict.REVIEW, tuple(results), (Defect(DefectCode.NOTHING_READ, None, detail),))
    return Evaluation(verdict, tuple(results), tuple(defects))


def _missing(field: Field) -> FieldResult:
    outcome = Outcome.ABSENT if field.optional else Outcome.MISSING
    chars = tuple(
        CharResult(position.shown, "", CharState.MISSING, None) for position in full_template(field)
    )
    return FieldResult(field.name, outcome, _expected(field), "", None, None, () if field.optional else chars)


def _expected(field: Field) -> str:
    rule = field.expect or field.pattern or field.date or field.regex or ""
    apart = " " if field.prefix[-1:].isascii() and field.prefix[-1:].isalnum() else ""  # for the eye only
    return field.prefix + apart + rule


def _judge(
    field: Field, place: Place, label: Sequence[Row], lines: Sequence[TextLine]
) -> tuple[FieldResult, str | None]:
    row = label[place.row]
    chars = tuple(_char(step, row, field) for step in place.alignment.steps)
    indices = place.alignment.indices
    span = row[min(indices) : max(indices) + 1]
    fault = None
    outcome = _outcome(chars)
    if outcome is Outcome.MATCH and field.date is not None:
        printed = [_folded(char.read, field) for char in chars if not char.read.isspace()]
        fault = date_fault("".join(printed[-printed_length(field.date) :]), field.date)
        outcome = Outcome.INVALID if fault else outcome
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


def _char(step: Step, row: Row, field: Field) -> CharResult:
    expected = step.position.shown if step.position else ""
    if step.index is None:
        return CharResult(expected, "", CharState.MISSING, None)
    read = row[step.index].char
    score = _score(read, field)
    return CharResult(expected, read.char, _state(step, read, score, field), round(score, 4))


def _score(read: CharScore, field: Field) -> float:
    """The recogniser's belief in a character under the field's normalisation.

    Forms that count as the same (`：` and `:`, or both cases where the field ignores case) share their probability.
    """
    char = _folded(read.char, field)
    return min(
        1.0, read.score + sum(score for other, score in read.alternatives if _folded(other, field) == char)
    )


def _state(step: Step, read: CharScore, score: float, field: Field) -> CharState:
    if step.position is None:
        return CharState.EXTRA
    allowed = step.position.allowed
    char = _folded(read.char, field)
    if char in allowed:
        return CharState.GOOD if score >= field.min_confidence else CharState.BAD
    if any(alike(char, one) for one in allowed):
        return CharState.CONFUSED
    if any(_folded(other, field) in allowed for other, second in read.alternatives if second >= HESITATION):
        return CharState.CONFUSED_MISMATCH
    return CharState.MISMATCH


def _folded(char: str, field: Field) -> str:
    folded = fold_width(char)
    return fold_case(folded) if field.case == "ignore" else folded


def _outcome(chars: Sequence[CharResult]) -> Outcome:
    states = {char.state for char in chars}
    if states & {CharState.MISMATCH, CharState.MISSING, CharState.EXTRA}:
        return Outcome.MISMATCH
    if states & {CharState.CONFUSED, CharState.CONFUSED_MISMATCH}:
        return Outcome.CONFUSED
    return Outcome.MATCH


def _explain(result: FieldResult) -> str:
    """One sentence for people: what was expected, what was read, and where they differ."""
    if result.outcome is Outcome.MISSING:
        return f"{result.expected!r} is not on the label"
    if result.outcome is Outcome.INVALID:
        return f"read {result.read!r}"
    differences = [
        _difference(first + 1, run)
        for state, numbered in groupby(enumerate(result.chars), key=lambda one: one[1].state)
        if state is not CharState.GOOD
        for first, run in _runs(state, list(numbered))
    ]
    return f"expected {result.expected!r}, read {result.read!r}; " + "; ".join(differences)


def _runs(state: CharState, numbered: list[tuple[int, CharResult]]) -> Iterator[tuple[int, list[CharResult]]]:
    """Missing and extra characters that follow each other are one difference, others one each."""
    if state in {CharState.MISSING, CharState.EXTRA}:
        yield numbered[0][0], [char for _, char in numbered]
    else:
        yield from ((at, [char]) for at, char in numbered)


def _difference(at: int, run: list[CharResult]) -> str:
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
    place = f"character {at}" if len(run) == 1 else f"characters {at} to {at + len(run) - 1}"
    return f"{place}: {said}"

"""What became of one field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from service.matching.characters import CharResult, judge_chars, outcome_of
from service.matching.completeness import PrintRatios, compare, print_faults, worst_of
from service.matching.label import hull
from service.matching.outcome import VERDICTS, CharState, Outcome, Verdict
from service.matching.placement import Registration, Size, placement_fault, stands_under
from service.matching.prints import forms_of
from service.ocr.text import Quad
from service.recipes.confusables import confusables
from service.recipes.normalise import ROW_BREAK

if TYPE_CHECKING:
    from service.matching.evidence import Evidence
    from service.matching.label import Label
    from service.matching.search import FoundField, Place
    from service.recipes.recipe import Field


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
    print: PrintRatios | None = None


Judged = tuple[FieldResult, str]
"""A field's result, and what its characters alone do not explain."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a field is judged against: the label, which characters look alike, and where on the image things are."""

    label: Label
    own_confusables: tuple[str, ...]
    registration: Registration
    evidence: Evidence


def judge_field(field: Field, found: FoundField, scene: Scene) -> Judged:
    """The result of a field; of one that must be there several times, that of the worst."""
    copies = [_judge(field, lines, scene) for lines in found.copies if any(line for line in lines)]
    if not copies:
        return not_found(field), ""
    result, fault = max(copies, key=lambda one: VERDICTS[one[0].outcome].severity)
    fewest, most = field.repeat
    count = len(copies) + len(found.spare)
    if len(copies) < fewest:
        return replace(result, outcome=Outcome.MISSING), f"found {count} of {fewest} times"
    if VERDICTS[result.outcome] is Verdict.FAIL:
        return result, fault
    if most is not None and count > most:
        return replace(result, outcome=Outcome.DUPLICATE), f"found {count} times, {most} allowed"
    values = sorted({field.value(one.read) for one, _ in copies})
    if most is not None and len(values) > 1 and result.outcome is Outcome.MATCH:
        return replace(result, outcome=Outcome.MISMATCH), f"its copies differ: {', '.join(map(repr, values))}"
    return result, fault


def not_found(field: Field) -> FieldResult:
    """The result of a field that is nowhere on the label."""
    if field.optional:
        return FieldResult(field.name, Outcome.ABSENT, _expected(field), "", None, None, ())
    chars = [CharResult(char, "", CharState.MISSING, None) for char in field.prefix]
    for line in forms_of(field):
        positions = line[0].template[len(line[0].prefix) :]
        chars += [CharResult(position.shown, "", CharState.MISSING, None) for position in positions]
    return FieldResult(field.name, Outcome.MISSING, _expected(field), "", None, None, tuple(chars))


def _expected(field: Field, places: Sequence[Place | None] = ()) -> str:
    """What should be printed, for people: of several ways the one that was found."""
    apart = " " if field.prefix[-1:].isascii() and field.prefix[-1:].isalnum() else ""
    rule = field.rule
    if places and field.any_of:
        rule = ROW_BREAK.join(place.form.shown for place in places if place)
    return field.prefix + apart + rule


def _judge(field: Field, places: Sequence[Place | None], scene: Scene) -> Judged:
    """One print of a field, of which at least one line was found."""
    label, alike = scene.label, confusables(scene.own_confusables, field.case)
    chars: list[CharResult] = []
    for number, place in enumerate(places):
        if place is not None:
            chars += judge_chars(place.alignment.steps, label, field, alike)
        else:
            template = forms_of(field)[number][0].template
            chars += [CharResult(position.shown, "", CharState.MISSING, None) for position in template]
    found = [place for place in places if place is not None]
    spans = [(place.first, place.last) for place in found]
    outcome, fault = outcome_of(chars, field), ""
    ratios, print_fault = _measured(field, spans, scene)
    if outcome in _RIGHT:
        outcome, fault = _doubts(field, found, chars, outcome)
    if outcome in _PRINTED and (misplaced := _misplaced(field, found, scene)) is not None:
        outcome, fault = misplaced
    if print_fault is not None and outcome in (_PRINTED if print_fault[0] is Outcome.INCOMPLETE else _RIGHT):
        outcome, fault = print_fault
    elif outcome is Outcome.MISMATCH and any(place.doubtful for place in found):
        outcome, fault = Outcome.CONFUSED, "it is optional, and this may be another text"
    result = FieldResult(
        name=field.name,
        outcome=outcome,
        expected=_expected(field, places),
        read=ROW_BREAK.join(label.read(*span) for span in spans),
        score=min((char.score for char in chars if char.score is not None), default=None),
        box=hull([label.box(*span) for span in spans]),
        chars=tuple(chars),
        print=ratios,
    )
    return result, fault


_RIGHT: Final = (Outcome.MATCH, Outcome.LOW_CONFIDENCE)
# A print that is partly missing is often read as something alike: the fault is the print then, not the reading.
_PRINTED: Final = (*_RIGHT, Outcome.CONFUSED)


def _doubts(
    field: Field, found: Sequence[Place], chars: Sequence[CharResult], outcome: Outcome
) -> tuple[Outcome, str]:
    """What may be wrong with a print whose characters are right."""
    if field.date is not None or field.check_digit is not None:
        fault = field.value_fault(field.value("".join(char.read for char in chars)))
        if fault is not None:
            return Outcome.INVALID, fault
    if any(place.is_joined for place in found):
        return Outcome.CONFUSED, "it runs into the next number without a space: where it ends cannot be told"
    beside = next((place.beside for place in found if place.beside), "")
    if beside:
        return (
            Outcome.CONFUSED,
            f"{beside!r} stands beside it, and the space between may be none: expect it too, or set whitespace",
        )
    return outcome, ""


def _misplaced(field: Field, found: Sequence[Place], scene: Scene) -> tuple[Outcome, str] | None:
    """What is wrong with where a print stands; None if nothing is."""
    if field.near is None and len(found) == 1:
        return None
    label = scene.label
    boxes = [label.box(place.first, place.last) for place in found]
    for place, above, below in zip(found[1:], boxes, boxes[1:], strict=False):
        if not stands_under(below, above):
            return (
                Outcome.MISPLACED,
                f"{label.read(place.first, place.last)!r} does not stand under the line before it",
            )
    if field.near is None:
        return None
    size = scene.evidence.size
    if field.near.box is not None and size is None:
        return Outcome.UNJUDGED, "where it stands cannot be judged: the size of the image is not known"
    degrees = label.degrees(found[0].first)
    return placement_fault(field.near, hull(boxes), degrees, scene.registration, size or Size(1, 1))


def _measured(
    field: Field, spans: Sequence[tuple[int, int]], scene: Scene
) -> tuple[PrintRatios | None, tuple[Outcome, str] | None]:
    """How the print came out beside its reference, and what is wrong with it."""
    if field.print is None:
        return None, None
    reference, evidence = field.print.reference, scene.evidence
    if reference is None or evidence.measure is None or evidence.size is None:
        return None, (Outcome.UNJUDGED, "its print cannot be measured: no image, or nothing taught")
    lines: list[PrintRatios] = []
    faults: list[str] = []
    for span in spans:
        for part in scene.label.parts(*span):
            text, places = part.inked()
            measure = evidence.measure(part.box, places)
            ratios, inks = compare(
                measure, text, reference, evidence.size.height, abs(scene.registration.turn)
            )
            lines.append(ratios)
            faults += print_faults(ratios, text, inks, field.print)
    return worst_of(lines), (Outcome.INCOMPLETE, "; ".join(faults)) if faults else None

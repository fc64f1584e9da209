"""Recipe and lines -> verdict, with the reason character by character."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.matching.codes import judge_codes
from service.matching.evidence import NOTHING_ELSE, Evidence
from service.matching.explanation import explain
from service.matching.field import FieldResult, Scene, judge_field, not_found
from service.matching.label import Label, hull
from service.matching.outcome import VERDICTS, DefectCode, Outcome, Verdict, worst
from service.matching.placement import Registration, preference, register
from service.matching.quality import quality_faults
from service.matching.search import PLACE_GAIN, find

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from service.matching.placement import Size
    from service.matching.search import Findings, Preference
    from service.ocr.text import TextLine
    from service.recipes.recipe import Recipe

SHOWN_WORDS: Final = 5  # of unexpected text, in a defect's detail


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


def evaluate(recipe: Recipe, lines: Sequence[TextLine], evidence: Evidence = NOTHING_ELSE) -> Evaluation:
    """Compare what was read, and what else the image shows, with a resolved recipe.

    The order of `lines` does not matter.

    PASS only if every field is MATCH (or an optional one ABSENT), something was read at all, and nothing about the whole
    label needs attention.
    """
    texts = [field for field in recipe.fields if field.barcode is None]
    if not lines and (texts or not evidence.codes):
        return _blank(recipe, evidence)
    label = Label(lines)
    registration = _registration(recipe, label, evidence.size)
    preferences = _preferences(recipe, label, evidence.size, registration)
    findings = find(texts, label, recipe.confusables, preferences)
    scene = Scene(label, recipe.confusables, registration, evidence)
    judged = {field.name: judge_field(field, findings.fields[field.name], scene) for field in texts}
    printed = {name: result for name, (result, _) in judged.items()}
    judged |= judge_codes(recipe, evidence.codes, printed)
    results: list[FieldResult] = []
    defects: list[Defect] = []
    verdicts: list[Verdict] = []
    for field in recipe.fields:
        result, fault = judged[field.name]
        results.append(result)
        verdicts.append(VERDICTS[result.outcome])
        if verdicts[-1] is not Verdict.PASS:
            detail = "; ".join(filter(None, (explain(result), fault)))
            defects.append(Defect(DefectCode(result.outcome.value), field.name, detail))
    if recipe.quality is not None:
        for code, detail in quality_faults(recipe.quality, lines, evidence):
            verdicts.append(Verdict.REVIEW)
            defects.append(Defect(code, None, detail))
    for verdict, defect in _of_the_label(recipe, results, findings):
        verdicts.append(verdict)
        defects.append(defect)
    return Evaluation(worst(verdicts), tuple(results), tuple(defects))


def _blank(recipe: Recipe, evidence: Evidence) -> Evaluation:
    """Nothing was read; a code may speak all the same, and if it is wrong that is certain."""
    detail = "no text was read: no label in view, no print, or an image too poor to read"
    verdicts = [Verdict.FAIL if recipe.on_blank == "fail" else Verdict.REVIEW]
    defects = [Defect(DefectCode.NOTHING_READ, None, detail)]
    results = {field.name: not_found(field) for field in recipe.fields}
    if evidence.codes:
        for name, (result, fault) in judge_codes(recipe, evidence.codes, results).items():
            results[name] = result
            verdicts.append(VERDICTS[result.outcome])
            if verdicts[-1] is not Verdict.PASS:
                defects.append(Defect(DefectCode(result.outcome.value), name, fault))
    return Evaluation(worst(verdicts), tuple(results.values()), tuple(defects))


def _registration(recipe: Recipe, label: Label, size: Size | None) -> Registration:
    """How the label lies, from the anchors alone; the other fields are looked for with that in mind."""
    anchors = [field for field in recipe.fields if field.name in recipe.anchors]
    if size is None or not anchors:
        return Registration()
    preferences = _preferences(recipe, label, size, Registration())
    found = find(anchors, label, recipe.confusables, preferences).fields
    spans = {
        name: [(place.first, place.last) for place in one.copies[0] if place] for name, one in found.items()
    }
    stand = {
        name: (hull([label.box(*span) for span in ones]), label.degrees(ones[0][0]))
        for name, ones in spans.items()
        if ones
    }
    return register(recipe, stand, size)


def _preferences(
    recipe: Recipe, label: Label, size: Size | None, registration: Registration
) -> dict[str, Preference]:
    """Of several equal prints the one is taken that stands where it should."""
    if size is None:
        return {}
    return {
        field.name: preference(field.near, registration, size, label.box, PLACE_GAIN)
        for field in recipe.fields
        if field.near is not None and field.near.box is not None
    }


def _of_the_label(
    recipe: Recipe, results: Sequence[FieldResult], findings: Findings
) -> Iterator[tuple[Verdict, Defect]]:
    """Defects that belong to no field."""
    if all(result.outcome is Outcome.ABSENT for result in results):
        # Text was read, but none of it is what the recipe speaks of: that is no evidence for a good label.
        detail = "none of the recipe's fields was found, and all of them are optional"
        yield Verdict.REVIEW, Defect(DefectCode.NOTHING_READ, None, detail)
    once = [
        field.name
        for field in recipe.fields
        if not field.optional and field.barcode is None and field.repeat[1] is None
    ]
    again = [name for name in once if findings.fields[name].spare]
    if len(again) > max(1, len(once) / 2):
        detail = f"{', '.join(again)} stand there more than once: two labels in view? If not, state how often with repeat"
        yield Verdict.REVIEW, Defect(DefectCode.SEVERAL_LABELS, None, detail)
    if recipe.unexpected_text != "ignore" and (found := findings.unclaimed()):
        more = f" and {len(found) - SHOWN_WORDS} more" if len(found) > SHOWN_WORDS else ""
        words = ", ".join(map(repr, found[:SHOWN_WORDS])) + more
        verdict = Verdict.FAIL if recipe.unexpected_text == "fail" else Verdict.REVIEW
        yield verdict, Defect(DefectCode.UNEXPECTED_TEXT, None, f"belongs to no field: {words}")

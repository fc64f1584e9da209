"""Which code belongs to which field, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from service.matching.field import FieldResult, Judged, not_found
from service.matching.gs1 import Comparison, compare_elements
from service.matching.outcome import Outcome
from service.recipes.confusables import confusables

if TYPE_CHECKING:
    from service.imaging.evidence import Code
    from service.recipes.recipe import Field, Recipe


def judge_codes(
    recipe: Recipe, codes: Sequence[Code] | None, printed: Mapping[str, FieldResult]
) -> dict[str, Judged]:
    """The results of the fields with a barcode, by name; `printed` holds those of the fields that are text.

    Each code belongs to one field at most, and goes to the one that it serves best. A further code of the same kind
    that no field asks for is doubt: it may be the one that counts.
    """
    asked = [field for field in recipe.fields if field.barcode is not None]
    if codes is None:
        missing = {field.name: replace(_missing(field), outcome=Outcome.UNJUDGED) for field in asked}
        return {name: (result, "no image to look for the code in") for name, result in missing.items()}
    compared = [
        (_compare(field, code, recipe, printed), order, which)
        for order, field in enumerate(asked)
        for which, code in enumerate(codes)
        if field.barcode is not None and code.symbology == field.barcode.symbology and code.text
    ]
    compared.sort(key=lambda one: (len(one[0].faults), len(one[0].doubts), one[1], one[2]))
    given: dict[int, tuple[Comparison, int]] = {}
    used: set[int] = set()
    for found, order, which in compared:
        if order not in given and which not in used:
            given[order] = found, which
            used.add(which)
    judged: dict[str, Judged] = {}
    for order, field in enumerate(asked):
        alike = [code for code in codes if field.barcode and code.symbology == field.barcode.symbology]
        if order in given:
            found, which = given[order]
            others = {
                code.text for at, code in enumerate(codes) if code in alike and at not in used and code.text
            }
            judged[field.name] = _judge(field, found, codes[which], sorted(others - {codes[which].text}))
        elif field.optional and not alike:
            judged[field.name] = replace(_missing(field), outcome=Outcome.ABSENT), ""
        else:
            damaged = any(not code.text for code in alike)
            what = (
                "is damaged: it is seen, but cannot be decoded"
                if damaged
                else "is not in view, or cannot be read"
            )
            symbology = field.barcode.symbology if field.barcode else ""
            # What resembles a code may be none: of an optional one that is no proof.
            outcome = Outcome.CONFUSED if field.optional and damaged else Outcome.CODE_UNREADABLE
            result = replace(_missing(field), outcome=outcome)
            judged[field.name] = result, f"a {symbology} code {what}"
    return judged


def _missing(field: Field) -> FieldResult:
    return replace(not_found(field), chars=(), expected=field.rule)


def _compare(field: Field, code: Code, recipe: Recipe, printed: Mapping[str, FieldResult]) -> Comparison:
    if field.barcode is not None and field.barcode.gs1:
        fields = {one.name: one for one in recipe.fields}
        return compare_elements(field.barcode.gs1, code, fields, printed, confusables(recipe.confusables))
    fault = field.text_fault(code.text)
    return Comparison(field.rule, code.text, [fault] if fault else [])


def _judge(field: Field, found: Comparison, code: Code, others: Sequence[str]) -> Judged:
    outcome, details = Outcome.MATCH, found.faults + found.doubts
    if found.faults:
        outcome = Outcome.CODE_MISMATCH
    elif found.doubts or others:
        outcome = Outcome.CONFUSED
        if others:
            details.append(
                f"another {code.symbology} code says {others[0]!r}: name it as a field, or keep it out of view"
            )
    result = FieldResult(field.name, outcome, found.expected, found.read, None, code.box, ())
    return result, "; ".join(details)

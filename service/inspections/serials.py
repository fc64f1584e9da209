"""Holds a part's numbers against those of the parts before it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from service.inspections.inspection import Judgement, Submission, rejects
from service.matching.outcome import VERDICTS, DefectCode, Outcome, worst
from service.matching.verdict import Defect

if TYPE_CHECKING:
    from service.inspections.repository import SerialLog
    from service.recipes.recipe import Recipe
    from service.recipes.sequence import SequenceRule


def serials_of(recipe: Recipe, judgement: Judgement) -> dict[str, str]:
    """The values of the fields with a sequence that were read for certain, by field."""
    results = {result.name: result for result in judgement.evaluation.fields}
    return {
        field.name: field.value(results[field.name].read)
        for field in recipe.fields
        if field.sequence is not None
        and field.name in results
        and results[field.name].outcome is Outcome.MATCH
    }


def judge_serials(
    judgement: Judgement,
    serials: Mapping[str, str],
    recipe: Recipe,
    submission: Submission,
    log: SerialLog,
    now: dt.datetime,
) -> Judgement:
    """The judgement, with INVALID for a number that does not follow and DUPLICATE for one that came before."""
    rules = {field.name: field.sequence for field in recipe.fields}
    faults: dict[str, tuple[Outcome, str]] = {}
    for name, value in serials.items():
        rule = rules[name]
        fault = _fault(name, value, rule, submission, log, now) if rule is not None else None
        if fault is not None:
            faults[name] = fault
    if not faults:
        return judgement
    evaluation = judgement.evaluation
    verdict = worst([evaluation.verdict, *(VERDICTS[outcome] for outcome, _ in faults.values())])
    judged = replace(
        evaluation,
        verdict=verdict,
        fields=tuple(
            replace(result, outcome=faults[result.name][0]) if result.name in faults else result
            for result in evaluation.fields
        ),
        defects=(
            *evaluation.defects,
            *(Defect(DefectCode(outcome.value), name, detail) for name, (outcome, detail) in faults.items()),
        ),
    )
    return replace(judgement, evaluation=judged, reject=rejects(verdict, recipe))


def _fault(
    name: str, value: str, rule: SequenceRule, submission: Submission, log: SerialLog, now: dt.datetime
) -> tuple[Outcome, str] | None:
    if rule.unique_within is not None:
        before = log.passed_before(name, value, now - rule.unique_within, submission)
        if before is not None:
            return Outcome.DUPLICATE, f"{value!r} has passed already, in inspection {before}"
    fault = rule.fault(value, log.last(name, submission))
    return (Outcome.INVALID, fault) if fault is not None else None

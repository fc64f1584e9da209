"""One inspection: what came in, what was found. Pure values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from service.matching.evidence import Evidence
from service.matching.field import FieldResult
from service.matching.outcome import DefectCode, Verdict
from service.matching.verdict import Defect, Evaluation, evaluate
from service.ocr.text import Quad, Reading
from service.recipes.production import Production
from service.recipes.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Submission:
    """What a camera sends with an image; an empty `recipe` is that of the station."""

    recipe: str
    expected: Mapping[str, str] = field(default_factory=dict)
    station_id: str | None = None
    part_id: str | None = None
    captured_at: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line as it is stored: without the evidence of each character, which `fields` hold where it matters."""

    text: str
    score: float
    box: Quad


@dataclass(frozen=True, slots=True)
class Origin:
    """By what an inspection was made, so that it can be replayed."""

    bundle: str
    bundle_sha256: str
    runtime: str
    service_version: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """A finished inspection. `reject` is what the line does with the part."""

    id: str
    received_at: dt.datetime
    submission: Submission
    recipe_version: int
    verdict: Verdict
    reject: bool
    production: Production | None
    fields: tuple[FieldResult, ...]
    defects: tuple[Defect, ...]
    lines: tuple[ReadLine, ...]
    timings_ms: dict[str, float]
    width: int
    height: int
    media_type: str
    notes: tuple[str, ...]
    image_sha256: str
    image_bytes: int
    image_key: str | None
    origin: Origin


def rejects(verdict: Verdict, recipe: Recipe) -> bool:
    """What the line does with the part: REVIEW and failures of the service follow the recipe's `on_error`."""
    if verdict is Verdict.REVIEW:
        return recipe.on_error == "reject"
    return verdict is Verdict.FAIL


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an inspection comes to: the evaluation, what the line does with the part, and the lines to keep."""

    evaluation: Evaluation
    reject: bool
    lines: tuple[ReadLine, ...] = ()


def judge(recipe: Recipe, reading: Reading, evidence: Evidence) -> Judgement:
    """Compare a reading, and what else its image shows, with a resolved recipe."""
    evaluation = evaluate(recipe, reading.lines, evidence)
    lines = tuple(ReadLine(line.text, round(line.score, 4), line.box) for line in reading.lines)
    return Judgement(evaluation, rejects(evaluation.verdict, recipe), lines)


def without_evidence(fields: tuple[FieldResult, ...]) -> tuple[FieldResult, ...]:
    """The fields without what was seen of each character: of a part that passed nobody asks for it."""
    return tuple(replace(result, chars=()) for result in fields)


def judge_failure(recipe: Recipe, code: DefectCode, detail: str) -> Judgement:
    """An inspection that was admitted but could not be carried out: never PASS."""
    evaluation = Evaluation(Verdict.REVIEW, (), (Defect(code, None, detail),))
    return Judgement(evaluation, rejects(evaluation.verdict, recipe))

"""What goes over the wire. The keys of `InspectionOut` are fixed: cameras and PLC programs depend on them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from service.api.filters import PRINTABLE, SIGNABLE
from service.audit.entry import MAX_REASON
from service.inspections.inspection import Inspection, Judgement
from service.inspections.reviews.review import Review, ReviewOutcome
from service.matching.outcome import CharState, DefectCode, Outcome, Verdict
from service.ocr.text import Quad
from service.recipes.production import Source
from service.recipes.recipe import Recipe
from service.recipes.repository import Change, StoredRecipe
from service.recipes.resolve import needed_values

_BOX = (
    "Corners in pixels of the upright image: top left, top right, bottom right, bottom left along the text."
)


class In(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Out(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class CharOut(Out):
    expected: str = Field(
        description="The character, or its class such as `{digit}`; empty for one too many."
    )
    read: str = Field(description="Empty for a missing character.")
    state: CharState
    score: float | None = Field(description="The recogniser's probability, 0 to 1.")


class PrintOut(Out):
    height: float
    contrast: float
    sharpness: float
    rows: float = Field(description="The weakest band across the print.")
    ink: float = Field(description="The weakest character.")
    max_ink: float = Field(description="The fattest character.")


class FieldOut(Out):
    name: str
    outcome: Outcome
    expected: str
    read: str
    score: float | None = Field(description="Score of the weakest character.")
    box: Quad | None = Field(description=_BOX)
    chars: list[CharOut]
    print: PrintOut | None = Field(
        description="How it was printed, beside what good samples showed; null without a `print` rule."
    )


class DefectOut(Out):
    code: DefectCode
    field: str | None = Field(description="Null where the defect is of the whole label.")
    detail: str = Field(description="For people; may change between versions.")


class LineOut(Out):
    text: str
    score: float
    box: Quad = Field(description=_BOX)


class ProductionOut(Out):
    date: dt.date
    shift: str | None
    source: Source = Field(description="Whether it came with the part, or by which clock it was computed.")


class ReviewOut(Out):
    verdict: Verdict = Field(description="What the label really is: PASS or FAIL.")
    outcome: ReviewOutcome = Field(description="What that says of what the line did with the part.")
    by: str
    reason: str
    at: dt.datetime


class InspectionOut(Out):
    id: str
    verdict: Verdict
    reject: bool = Field(description="What the line does with the part.")
    recipe: str
    recipe_version: int
    station_id: str | None
    part_id: str | None
    received_at: dt.datetime
    production: ProductionOut | None = Field(
        description="The production date that expected dates were computed from; null where the recipe uses none."
    )
    fields: list[FieldOut]
    defects: list[DefectOut]
    lines: list[LineOut] = Field(description="All text that was read, in reading order.")
    width: int | None = Field(description="Of the upright image in pixels; null without an image.")
    height: int | None
    notes: list[str] = Field(
        description="What a person should know of the image file; no defects of the label."
    )
    timings_ms: dict[str, float]
    review: ReviewOut | None = Field(description="What a person said of it, the latest; null until then.")

    @classmethod
    def of(cls, inspection: Inspection, review: Review | None = None) -> InspectionOut:
        submission = inspection.submission
        return cls.model_validate(
            {
                **{name: getattr(inspection, name) for name in cls.model_fields if hasattr(inspection, name)},
                "recipe": submission.recipe,
                "station_id": submission.station_id,
                "part_id": submission.part_id,
                "review": review,
            },
            from_attributes=True,
        )

    @classmethod
    def unstored(
        cls,
        name: str,
        recipe: Recipe,
        judgement: Judgement,
        received_at: dt.datetime,
        size: tuple[int, int] | None,
        notes: Sequence[str],
        timings_ms: Mapping[str, float],
    ) -> InspectionOut:
        """A verdict that is not kept: its id is whatever the image or the reading is called."""
        evaluation = judgement.evaluation
        return cls.model_validate(
            {
                "id": name,
                "verdict": evaluation.verdict,
                "reject": judgement.reject,
                "recipe": recipe.name,
                "recipe_version": recipe.version,
                "station_id": None,
                "part_id": None,
                "received_at": received_at,
                "production": recipe.production,
                "fields": evaluation.fields,
                "defects": evaluation.defects,
                "lines": judgement.lines,
                "width": size[0] if size else None,
                "height": size[1] if size else None,
                "notes": list(notes),
                "timings_ms": {stage: round(spent, 2) for stage, spent in timings_ms.items()},
                "review": None,
            },
            from_attributes=True,
        )


class InspectionPage(BaseModel):
    items: list[InspectionOut]
    next_cursor: str | None = Field(description="Pass as `cursor` for the next page; null on the last.")


class RecipeOut(BaseModel):
    name: str
    version: int
    active: bool
    from_file: bool = Field(description="It is a file of the recipes folder, and is changed there.")
    description: str
    created_at: dt.datetime
    expected: list[str] = Field(description="Names of the values that each inspection must bring.")
    source: str = Field(description="The recipe file as it was stored.")

    @classmethod
    def of(cls, stored: StoredRecipe) -> RecipeOut:
        recipe = stored.recipe
        return cls(
            name=recipe.name,
            version=recipe.version,
            active=stored.active,
            from_file=stored.from_file,
            description=recipe.description,
            created_at=stored.created_at,
            expected=list(needed_values(recipe)),
            source=stored.source,
        )


class ReasonIn(In):
    reason: Annotated[str, StringConstraints(min_length=1, max_length=MAX_REASON, pattern=SIGNABLE)] = Field(
        description="Why; it is kept in the audit trail, with who makes the change."
    )


class RecipeText(In):
    source: str = Field(description="A recipe file (YAML).")


class RecipeIn(ReasonIn):
    source: str = Field(description="A recipe file (YAML); it names the recipe.")
    based_on: int = Field(
        0, ge=0, le=2**31 - 1, description="The newest version the author has seen; 0 for a new recipe."
    )
    activate: bool = False


class ActivationIn(ReasonIn):
    version: int = Field(ge=1, le=2**31 - 1)


class RecipeIssue(BaseModel):
    line: int
    column: int
    message: str

    @classmethod
    def of(cls, issue: str) -> RecipeIssue:
        """Of a fault as `RecipeInvalid` lists it: `line:column: message`."""
        line, column, message = issue.split(":", 2)
        return cls(line=int(line), column=int(column), message=message.strip())


class RecipeValidation(BaseModel):
    valid: bool
    name: str | None
    expected: list[str] = Field(description="Names of the values that each inspection must bring.")
    issues: list[RecipeIssue]


class RecipeDiff(BaseModel):
    name: str
    old: int
    new: int
    diff: str = Field(description="As `diff -u` shows it; empty if the texts are equal.")


class RecipeChangeOut(Out):
    at: dt.datetime
    recipe: str
    version: int
    action: Change
    by: str
    reason: str


class RecipeChangeList(BaseModel):
    items: list[RecipeChangeOut]


class ChangeoverIn(ReasonIn):
    recipe: Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=PRINTABLE)]


class LineIn(ReasonIn):
    line: Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=SIGNABLE)]


class StationOut(Out):
    id: str
    recipe: str | None
    since: dt.datetime | None = Field(description="When it was given its recipe.")
    line: str | None = Field(description="On which it stands: its results are counted there.")


class ReviewIn(ReasonIn):
    verdict: Literal["PASS", "FAIL"] = Field(description="What the label really is.")


class StationList(BaseModel):
    items: list[StationOut]


class ChangeoverOut(Out):
    at: dt.datetime
    station_id: str
    recipe: str
    by: str
    reason: str


class ChangeoverList(BaseModel):
    items: list[ChangeoverOut]


class RecipeList(BaseModel):
    items: list[RecipeOut]


class EngineOut(Out):
    bundle: str
    bundle_sha256: str
    runtime: str
    device: str
    fallback: bool = Field(description="`device` is `auto` and the CPU is used for want of a GPU.")


class Info(BaseModel):
    version: str
    engine: EngineOut | None = Field(description="Null until the engine has started.")
    limits: dict[str, Any]


class Health(BaseModel):
    status: str

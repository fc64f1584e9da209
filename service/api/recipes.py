"""/v1/recipes: created, compared, activated, rolled back and tried."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import PlainTextResponse

from service import errors
from service.api.dependencies import App
from service.api.filters import PRINTABLE
from service.api.inspections import IMAGE_BODY, SUBMISSION_ERRORS
from service.api.problems import responses
from service.api.schemas import (
    ActivationIn,
    InspectionOut,
    ReasonIn,
    RecipeChangeList,
    RecipeChangeOut,
    RecipeDiff,
    RecipeIn,
    RecipeIssue,
    RecipeList,
    RecipeOut,
    RecipeText,
    RecipeValidation,
)
from service.api.security import DENIALS, Engineer, can_configure, can_read
from service.api.submission import read_submission
from service.audit.entry import Author
from service.recipes.files import parse_recipe
from service.recipes.repository import unified_diff
from service.recipes.resolve import needed_values

router = APIRouter(prefix="/v1/recipes", tags=["recipes"], responses=DENIALS)

RecipeName = Annotated[str, Path(pattern=PRINTABLE, max_length=64)]
Version = Annotated[int | None, Query(ge=1, le=2**31 - 1)]


@router.get(
    "",
    dependencies=[can_read],
    operation_id="list_recipes",
    summary="Active recipes",
    responses=responses(errors.StoreUnavailable),
)
def list_recipes(app: App) -> RecipeList:
    return RecipeList(items=[RecipeOut.of(stored) for stored in app.recipes.active_recipes()])


@router.post(
    "",
    status_code=201,
    operation_id="create_recipe_version",
    summary="Store a recipe, or the next version of one",
    responses=responses(
        errors.RecipeInvalid,
        errors.VersionConflict,
        errors.RecipeFromFile,
        errors.ValueInvalid,
        errors.StoreUnavailable,
    ),
)
def create_recipe_version(app: App, caller: Engineer, said: RecipeIn) -> RecipeOut:
    """`based_on` is the newest version that the author has seen (0 for a new recipe): a newer one is a conflict."""
    stored = app.recipes.create(
        said.source, Author(caller.signature, said.reason), based_on=said.based_on, activate=said.activate
    )
    return RecipeOut.of(stored)


@router.post(
    ":validate",
    dependencies=[can_configure],
    operation_id="validate_recipe",
    summary="Every fault of a recipe, with line and column",
    responses=responses(errors.ValueInvalid),
)
def validate_recipe(said: RecipeText) -> RecipeValidation:
    try:
        recipe = parse_recipe(said.source, "recipe")
    except errors.RecipeInvalid as error:
        return RecipeValidation(
            valid=False, name=None, expected=[], issues=[RecipeIssue.of(one) for one in error.issues]
        )
    return RecipeValidation(valid=True, name=recipe.name, expected=list(needed_values(recipe)), issues=[])


@router.get(
    "/{name}",
    dependencies=[can_read],
    operation_id="get_recipe",
    summary="One recipe, its active version unless another is named",
    responses=responses(errors.RecipeNotFound, errors.ValueInvalid, errors.StoreUnavailable),
)
def get_recipe(app: App, name: RecipeName, version: Version = None) -> RecipeOut:
    return RecipeOut.of(app.recipes.get(name, version))


@router.get(
    "/{name}/source",
    dependencies=[can_read],
    operation_id="export_recipe",
    summary="The recipe file, as it was stored",
    response_class=PlainTextResponse,
    responses={
        200: {"content": {"application/yaml": {"schema": {"type": "string"}}}},
        **responses(errors.RecipeNotFound, errors.ValueInvalid, errors.StoreUnavailable),
    },
)
def export_recipe(app: App, name: RecipeName, version: Version = None) -> PlainTextResponse:
    stored = app.recipes.get(name, version)
    headers = {"Content-Disposition": f'attachment; filename="{stored.recipe.name}.yaml"'}
    return PlainTextResponse(stored.source, media_type="application/yaml", headers=headers)


@router.get(
    "/{name}/versions",
    dependencies=[can_read],
    operation_id="list_recipe_versions",
    summary="All versions, the newest first",
    responses=responses(errors.RecipeNotFound, errors.ValueInvalid, errors.StoreUnavailable),
)
def list_recipe_versions(app: App, name: RecipeName) -> RecipeList:
    return RecipeList(items=[RecipeOut.of(stored) for stored in app.recipes.versions(name)])


@router.get(
    "/{name}/diff",
    dependencies=[can_read],
    operation_id="diff_recipe",
    summary="What changed from one version to another",
    responses=responses(errors.RecipeNotFound, errors.ValueInvalid, errors.StoreUnavailable),
)
def diff_recipe(
    app: App,
    name: RecipeName,
    old: Annotated[int, Query(alias="from", ge=1, le=2**31 - 1)],
    new: Annotated[int, Query(alias="to", ge=1, le=2**31 - 1)],
) -> RecipeDiff:
    before, after = app.recipes.get(name, old), app.recipes.get(name, new)
    return RecipeDiff(name=name, old=old, new=new, diff=unified_diff(before, after))


@router.get(
    "/{name}/changes",
    dependencies=[can_read],
    operation_id="list_recipe_changes",
    summary="Who did what to a recipe and why, the latest first",
    responses=responses(errors.ValueInvalid, errors.StoreUnavailable),
)
def list_recipe_changes(
    app: App, name: RecipeName, limit: Annotated[int, Query(ge=1, le=1000)] = 100
) -> RecipeChangeList:
    return RecipeChangeList(
        items=[RecipeChangeOut.model_validate(one) for one in app.recipes.changes(name, limit)]
    )


_CHANGES = responses(
    errors.RecipeNotFound, errors.RecipeFromFile, errors.ValueInvalid, errors.StoreUnavailable
)


@router.post(
    "/{name}:activate",
    operation_id="activate_recipe",
    summary="Judge by a version from now on",
    responses=_CHANGES,
)
def activate_recipe(app: App, caller: Engineer, name: RecipeName, said: ActivationIn) -> RecipeOut:
    return RecipeOut.of(app.recipes.activate(name, said.version, Author(caller.signature, said.reason)))


@router.post(
    "/{name}:roll_back",
    operation_id="roll_back_recipe",
    summary="Judge by the version that was active before",
    responses=_CHANGES,
)
def roll_back_recipe(app: App, caller: Engineer, name: RecipeName, said: ReasonIn) -> RecipeOut:
    return RecipeOut.of(app.recipes.roll_back(name, Author(caller.signature, said.reason)))


@router.post(
    "/{name}:deactivate",
    status_code=204,
    operation_id="deactivate_recipe",
    summary="Judge by no version any more; all of them stay stored",
    responses=_CHANGES,
)
def deactivate_recipe(app: App, caller: Engineer, name: RecipeName, said: ReasonIn) -> None:
    app.recipes.deactivate(name, Author(caller.signature, said.reason))


@router.post(
    "/{name}:try",
    dependencies=[can_configure],
    operation_id="try_recipe",
    summary="Inspect an image without storing anything",
    responses=responses(*SUBMISSION_ERRORS),
    openapi_extra=IMAGE_BODY,
)
async def try_recipe(request: Request, app: App, name: RecipeName, version: Version = None) -> InspectionOut:
    """The image and the values as for an inspection; `version` may be one that is not active."""
    image, submission, deadline_ms = await read_submission(request, recipe=name, other={"version"})
    trial = await app.pipeline.try_out(
        image, submission, version, deadline_ms or app.settings.limits.deadline_ms
    )
    return InspectionOut.unstored(
        "trial", trial.recipe, trial.judgement, trial.received_at, trial.size, trial.notes, trial.timings_ms
    )

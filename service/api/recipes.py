"""/v1/recipes: what each recipe says, read-only."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from service import errors
from service.api.dependencies import App
from service.api.problems import responses
from service.api.schemas import RecipeList, RecipeOut

router = APIRouter(prefix="/v1/recipes", tags=["recipes"])


@router.get(
    "", operation_id="list_recipes", summary="Active recipes", responses=responses(errors.StoreUnavailable)
)
def list_recipes(app: App) -> RecipeList:
    return RecipeList(items=[RecipeOut.of(stored) for stored in app.recipes.active_recipes()])


@router.get(
    "/{name}",
    operation_id="get_recipe",
    summary="One recipe, its active version unless another is named",
    responses=responses(errors.RecipeNotFound, errors.ValueInvalid, errors.StoreUnavailable),
)
def get_recipe(
    app: App, name: str, version: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None
) -> RecipeOut:
    return RecipeOut.of(app.recipes.get(name, version))

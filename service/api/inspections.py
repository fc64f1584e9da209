"""/v1/inspections: cameras post, everybody reads."""

from __future__ import annotations

from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import FileResponse

from service import errors
from service.api.dependencies import App
from service.api.filters import Wanted
from service.api.problems import responses
from service.api.schemas import InspectionOut, InspectionPage
from service.api.submission import FORM_TYPE, RAW_TYPES, SubmissionIn, read_submission
from service.imaging.decode import MEDIA_TYPES

router = APIRouter(prefix="/v1/inspections", tags=["inspections"])

_BINARY: Final = {"type": "string", "format": "binary"}


def _values() -> dict[str, dict[str, Any]]:
    """Schemas of the values beside the image, as they are sent: all of them as text."""
    schemas: dict[str, dict[str, Any]] = SubmissionIn.model_json_schema()["properties"]
    plain = {
        name: next((one for one in schema.get("anyOf", ()) if one != {"type": "null"}), schema)
        for name, schema in schemas.items()
    }
    plain["expected"] = {
        "type": "string",
        "contentMediaType": "application/json",
        "description": 'JSON object of texts, such as {"lot": "L240817B"}',
    }
    return plain


def _request_body() -> dict[str, Any]:
    form = {
        "type": "object",
        "properties": {"image": _BINARY, **_values()},
        "required": ["image"],
        "additionalProperties": False,
    }
    return {
        "required": True,
        "content": {FORM_TYPE: {"schema": form}, **{kind: {"schema": _BINARY} for kind in RAW_TYPES}},
    }


def _query_parameters() -> list[dict[str, Any]]:
    where = "For an image sent as the body; a form holds it as a field."
    return [
        {"name": name, "in": "query", "required": False, "schema": schema, "description": where}
        for name, schema in _values().items()
    ]


IMAGE_BODY: Final = {"requestBody": _request_body(), "parameters": _query_parameters()}
SUBMISSION_ERRORS: Final = (
    errors.RequestMalformed,
    errors.ValueInvalid,
    errors.ImageMissing,
    errors.ImageTooLarge,
    errors.ImageTypeUnsupported,
    errors.ImageUndecodable,
    errors.RecipeNotFound,
    errors.StationNotFound,
    errors.ExpectedValueMissing,
    errors.ExpectedValueUnknown,
    errors.ExpectedValueInvalid,
    errors.QueueFull,
    errors.NotReady,
    errors.StoreUnavailable,
    errors.DeadlinePassed,
    errors.EngineFailed,
)


def _part_at_stake(request: Request) -> None:
    """Whatever goes wrong from here on, the answer says what the line does with the part."""
    request.state.part_at_stake = True


@router.post(
    "",
    status_code=201,
    operation_id="create_inspection",
    summary="Inspect an image",
    dependencies=[Depends(_part_at_stake)],
    responses=responses(*SUBMISSION_ERRORS),
    openapi_extra=IMAGE_BODY,
)
async def create_inspection(request: Request, response: Response, app: App) -> InspectionOut:
    """The image as a multipart form, or as the body with the values in the query. FAIL and REVIEW are results (201)."""
    image, submission, deadline_ms = await read_submission(request)
    inspection, store_ms = await app.pipeline.inspect(
        image, submission, deadline_ms or app.settings.limits.deadline_ms
    )
    stages = {**inspection.timings_ms, "store": store_ms}
    response.headers["Server-Timing"] = ", ".join(
        f"{stage};dur={spent:.2f}" for stage, spent in stages.items()
    )
    response.headers["Location"] = f"/v1/inspections/{inspection.id}"
    return InspectionOut.of(inspection)


@router.get(
    "",
    operation_id="list_inspections",
    summary="Inspections, newest first",
    responses=responses(errors.ValueInvalid, errors.StoreUnavailable),
)
def list_inspections(
    app: App,
    wanted: Wanted,
    cursor: Annotated[UUID | None, Query(description="`next_cursor` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> InspectionPage:
    """Pages stay stable while inspections arrive."""
    found = app.inspections.page(wanted, before=str(cursor) if cursor else None, limit=limit + 1)
    items = [InspectionOut.of(one) for one in found[:limit]]
    return InspectionPage(items=items, next_cursor=items[-1].id if len(found) > limit else None)


@router.get(
    "/{inspection_id}",
    operation_id="get_inspection",
    summary="One inspection",
    responses=responses(errors.InspectionNotFound, errors.StoreUnavailable),
)
def get_inspection(app: App, inspection_id: str) -> InspectionOut:
    return InspectionOut.of(app.inspections.get(inspection_id))


@router.get(
    "/{inspection_id}/image",
    operation_id="get_inspection_image",
    summary="The image as it was sent",
    response_class=FileResponse,
    responses={
        200: {"content": {kind: {"schema": _BINARY} for kind in sorted(set(MEDIA_TYPES.values()))}},
        **responses(errors.InspectionNotFound, errors.ImageNotFound, errors.StoreUnavailable),
    },
)
def get_inspection_image(app: App, inspection_id: str) -> FileResponse:
    inspection = app.inspections.get(inspection_id)
    if inspection.image_key is None:
        raise errors.ImageNotFound("the image of this inspection is no longer stored")
    # A stored image is data from outside: no browser may take it for anything but an image.
    headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'"}
    return FileResponse(
        app.images.path(inspection.image_key), media_type=inspection.media_type, headers=headers
    )

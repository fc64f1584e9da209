"""/v1/inspections: cameras post, everybody reads."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import time
from contextlib import suppress
from dataclasses import asdict
from itertools import chain
from typing import Annotated, Any, Final
from uuid import UUID

from anyio import CancelScope, to_thread
from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from service import errors
from service.api.dependencies import App, Components
from service.api.filters import Wanted
from service.api.problems import responses
from service.api.schemas import InspectionOut, InspectionPage, ReviewIn
from service.api.security import DENIALS, Reviewer, Submitter, can_read
from service.api.submission import FORM_TYPE, RAW_TYPES, SubmissionIn, read_submission
from service.audit.entry import Author
from service.idempotency.repository import Claim
from service.inspections.export import csv_lines
from service.inspections.inspection import Submission
from service.matching.outcome import Verdict

router = APIRouter(prefix="/v1/inspections", tags=["inspections"], responses=DENIALS)

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
    errors.IdempotencyKeyReused,
    errors.IdempotencyKeyInFlight,
    errors.QueueFull,
    errors.NotReady,
    errors.StoreUnavailable,
    errors.DeadlinePassed,
    errors.EngineFailed,
)


IdempotencyKey = Annotated[
    str | None,
    Header(
        pattern=r"^[\x21-\x7e]+$",
        max_length=128,
        description="Sent again with the same request within 24 h: the answer is the first result.",
    ),
]
_STORING: Final = dt.timedelta(seconds=45)  # longer than the database lets a statement take


def _part_at_stake(request: Request) -> None:
    """Whatever goes wrong from here on, the answer says what the line does with the part; its deadline runs."""
    request.state.part_at_stake = True
    request.state.began = time.monotonic()


@router.post(
    "",
    status_code=201,
    operation_id="create_inspection",
    summary="Inspect an image",
    dependencies=[Depends(_part_at_stake)],
    responses=responses(*SUBMISSION_ERRORS),
    openapi_extra=IMAGE_BODY,
)
async def create_inspection(
    request: Request, response: Response, app: App, caller: Submitter, idempotency_key: IdempotencyKey = None
) -> InspectionOut:
    """The image as a multipart form, or as the body with the values in the query. FAIL and REVIEW are results (201)."""
    image, submission, deadline_ms = await read_submission(request, station_id=caller.station_id)
    deadline_ms = deadline_ms or app.settings.limits.deadline_ms
    claim: Claim | None = None
    if idempotency_key is not None:
        taken = await to_thread.run_sync(
            _claim, app, caller.id, idempotency_key, image, submission, deadline_ms
        )
        if isinstance(taken, str):
            earlier = await to_thread.run_sync(app.inspections.get, taken)
            response.headers["Idempotent-Replayed"] = "true"
            response.headers["Location"] = f"/v1/inspections/{earlier.id}"
            return InspectionOut.of(earlier)
        claim = taken
    try:
        inspection, store_ms = await app.pipeline.inspect(
            image, submission, deadline_ms, claim, began=request.state.began
        )
    except BaseException:
        if claim is not None:  # what was stored keeps its key
            with CancelScope(shield=True), suppress(errors.StoreUnavailable):  # then it ends with its lease
                await to_thread.run_sync(app.idempotency.release, claim)
        raise
    stages = {**inspection.timings_ms, "store": store_ms}
    response.headers["Server-Timing"] = ", ".join(
        f"{stage};dur={spent:.2f}" for stage, spent in stages.items()
    )
    response.headers["Location"] = f"/v1/inspections/{inspection.id}"
    return InspectionOut.of(inspection)


def _claim(
    app: Components, scope: str, key: str, image: bytes, submission: Submission, deadline_ms: int
) -> Claim | str:
    """The key for this request, or the id of the inspection that came of it before."""
    said = json.dumps(asdict(submission), sort_keys=True, default=str)
    fingerprint = hashlib.sha256(image + said.encode()).hexdigest()
    return app.idempotency.claim(scope, key, fingerprint, dt.timedelta(milliseconds=deadline_ms) + _STORING)


@router.get(
    "",
    dependencies=[can_read],
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
    reviews = app.reviews.of([one.id for one in found])
    items = [InspectionOut.of(one, reviews.get(one.id)) for one in found[:limit]]
    return InspectionPage(items=items, next_cursor=items[-1].id if len(found) > limit else None)


@router.get(
    ".csv",
    dependencies=[can_read],
    operation_id="export_inspections",
    summary="Inspections as a table (CSV), newest first",
    response_class=StreamingResponse,
    responses={
        200: {"content": {"text/csv": {"schema": {"type": "string"}}}},
        **responses(errors.ValueInvalid, errors.StoreUnavailable),
    },
)
def export_inspections(app: App, wanted: Wanted) -> StreamingResponse:
    """As many as there are, streamed; without an end of the stream, it broke off."""
    headers = {"Content-Disposition": 'attachment; filename="inspections.csv"'}
    lines = csv_lines(app.inspections, wanted)
    first = next(lines)  # whatever is wrong with the database is told before the answer has begun
    return StreamingResponse(chain([first], lines), media_type="text/csv; charset=utf-8", headers=headers)


@router.get(
    "/{inspection_id}",
    dependencies=[can_read],
    operation_id="get_inspection",
    summary="One inspection",
    responses=responses(errors.InspectionNotFound, errors.StoreUnavailable),
)
def get_inspection(app: App, inspection_id: str) -> InspectionOut:
    inspection = app.inspections.get(inspection_id)
    return InspectionOut.of(inspection, app.reviews.of([inspection.id]).get(inspection.id))


@router.post(
    "/{inspection_id}/review",
    operation_id="review_inspection",
    summary="Confirm or overrule a verdict",
    responses=responses(errors.InspectionNotFound, errors.ValueInvalid, errors.StoreUnavailable),
)
def review_inspection(app: App, caller: Reviewer, inspection_id: str, said: ReviewIn) -> InspectionOut:
    """The verdict itself stays as it was. A later review takes the place of an earlier one; all are in the audit trail."""
    inspection = app.inspections.get(inspection_id)
    review = app.reviews.add(inspection, Verdict(said.verdict), Author(caller.signature, said.reason))
    return InspectionOut.of(inspection, review)

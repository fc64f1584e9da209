"""Errors as RFC 9457 problem+json, each with the stable `code` of `service.errors`."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import structlog
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from service import errors
from service.observability import metrics

if TYPE_CHECKING:
    from fastapi import FastAPI, Request

log = structlog.get_logger()

STATUS: Final[dict[type[errors.PrintProofError], HTTPStatus]] = {
    errors.RequestMalformed: HTTPStatus.BAD_REQUEST,
    errors.ImageTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.ImageTypeUnsupported: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    errors.InvalidInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.Unauthenticated: HTTPStatus.UNAUTHORIZED,
    errors.LogInRefused: HTTPStatus.UNAUTHORIZED,
    errors.LogInLimited: HTTPStatus.TOO_MANY_REQUESTS,
    errors.AccessDenied: HTTPStatus.FORBIDDEN,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.Conflict: HTTPStatus.CONFLICT,
    errors.QueueFull: HTTPStatus.TOO_MANY_REQUESTS,
    errors.NotReady: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.StoreUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.DeadlinePassed: HTTPStatus.GATEWAY_TIMEOUT,
    errors.EngineFailed: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""Status of an error class; a class that is not listed takes its nearest listed base's."""

RETRY_AFTER_S: Final = {HTTPStatus.TOO_MANY_REQUESTS: "1", HTTPStatus.SERVICE_UNAVAILABLE: "2"}
_MOST_FAULTS: Final = 20
MEDIA_TYPE: Final = "application/problem+json"
_HTTP_CODES: Final = {404: "not_found", 405: "method_not_allowed"}


class Problem(BaseModel):
    """RFC 9457 problem details."""

    type: str = Field("about:blank", description="Always `about:blank`: `code` tells the kind.")
    title: str = Field(description="The HTTP status in words.")
    status: int
    code: str = Field(description="Stable name of the error, listed in docs/errors.md.")
    detail: str
    reject: bool | None = Field(
        None,
        description="Only on POST /v1/inspections: what the line does with the part. Never false by accident.",
    )
    inspection_id: str | None = Field(
        None, description="The stored inspection, if there is one all the same."
    )


def responses(*kinds: type[errors.PrintProofError]) -> dict[int | str, dict[str, Any]]:
    """OpenAPI entries for the errors that an operation documents."""
    entries: dict[int | str, dict[str, Any]] = {}
    for status in sorted({status_of(kind) for kind in kinds}):
        codes = sorted(kind.code for kind in kinds if status_of(kind) == status)
        entries[int(status)] = {"model": Problem, "description": ", ".join(f"`{code}`" for code in codes)}
    return entries


def describe(schema: dict[str, Any]) -> dict[str, Any]:
    """An OpenAPI schema whose errors are all problems: FastAPI itself would announce forms of its own."""
    reference = {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}
    for operations in schema["paths"].values():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                if int(status) >= HTTPStatus.BAD_REQUEST:
                    response["content"] = {MEDIA_TYPE: reference}
    for unused in ("HTTPValidationError", "ValidationError"):
        schema["components"]["schemas"].pop(unused, None)
    return schema


def status_of(kind: type[BaseException]) -> HTTPStatus:
    return next((STATUS[base] for base in kind.__mro__ if base in STATUS), HTTPStatus.INTERNAL_SERVER_ERROR)


def install(app: FastAPI) -> None:
    """Every error of the application leaves it as a problem, and its OpenAPI schema says so."""
    plain_schema = app.openapi
    app.openapi = lambda: describe(plain_schema())  # type: ignore[method-assign]  # FastAPI's documented way

    @app.exception_handler(errors.PrintProofError)
    async def known(request: Request, error: errors.PrintProofError) -> JSONResponse:
        status = status_of(type(error))
        if isinstance(error, errors.Unavailable):
            return _problem(request, status, error.code, str(error), error.reject, error.inspection_id)
        if isinstance(error, errors.LogInLimited):
            return _problem(
                request, status, error.code, str(error), headers={"Retry-After": str(error.wait_s)}
            )
        return _problem(request, status, error.code, str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        shown = error.errors()[:_MOST_FAULTS]
        faults = "; ".join(f"{'.'.join(map(str, fault['loc'][1:]))[:200]}: {fault['msg']}" for fault in shown)
        return _problem(request, HTTPStatus.UNPROCESSABLE_ENTITY, errors.ValueInvalid.code, faults)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        if isinstance(
            error.__cause__, errors.PrintProofError
        ):  # such as a body that is too long, to FastAPI's parser
            return await known(request, error.__cause__)
        status = HTTPStatus(error.status_code)
        code = _HTTP_CODES.get(status, errors.RequestMalformed.code)
        return _problem(request, status, code, str(error.detail), headers=dict(error.headers or {}))

    @app.exception_handler(ClientDisconnect)
    async def gone(_request: Request, _error: ClientDisconnect) -> Response:
        metrics.refused.labels(code="client_gone").inc()
        return Response(status_code=HTTPStatus.BAD_REQUEST)  # nobody is there to read it

    @app.exception_handler(Exception)
    async def unknown(request: Request, error: Exception) -> JSONResponse:
        log.error(
            "unexpected_error", path=request.url.path, error=repr(error)
        )  # the server logs where it came from
        detail = "an unexpected error; the log has it under this time and path"
        return _problem(request, HTTPStatus.INTERNAL_SERVER_ERROR, errors.PrintProofError.code, detail)


def _problem(
    request: Request,
    status: HTTPStatus,
    code: str,
    detail: str,
    reject: bool = True,
    inspection_id: str | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    metrics.refused.labels(code=code).inc()
    problem = Problem(
        title=status.phrase, status=status, code=code, detail=detail, inspection_id=inspection_id
    )
    if getattr(request.state, "part_at_stake", False):
        problem.reject = reject
    headers = headers or {}
    if status in RETRY_AFTER_S:
        headers.setdefault("Retry-After", RETRY_AFTER_S[status])
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    body = problem.model_dump(mode="json", exclude_none=True)
    return JSONResponse(body, status, headers=headers, media_type=MEDIA_TYPE)

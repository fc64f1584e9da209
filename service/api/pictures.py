"""/v1/inspections/{id}/image, /thumbnail, /overlay: what was inspected, to look at."""

from __future__ import annotations

import re
from typing import Annotated, Final

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Query, Request, Response

from service import errors
from service.api.dependencies import App, Components
from service.api.overlay import draw
from service.api.problems import responses
from service.api.security import DENIALS, can_read
from service.imaging.decode import MEDIA_TYPES, decode
from service.imaging.thumbnail import jpeg
from service.inspections.inspection import Inspection

ERRORS: Final = responses(errors.InspectionNotFound, errors.ImageNotFound, errors.StoreUnavailable)
BINARY: Final = {"type": "string", "format": "binary"}
router = APIRouter(
    prefix="/v1/inspections/{inspection_id}",
    tags=["inspections"],
    dependencies=[can_read],
    responses={**DENIALS, **ERRORS, 304: {"description": "Not changed since it was fetched."}},
)

# Pictures for people never take more than one core from the line, nor the threads that store its results.
_drawing: Final = CapacityLimiter(1)
_reading: Final = CapacityLimiter(4)


@router.get(
    "/image",
    operation_id="get_inspection_image",
    summary="The image as it was sent",
    response_class=Response,
    responses={
        200: {"content": {kind: {"schema": BINARY} for kind in sorted(set(MEDIA_TYPES.values()))}},
        206: {"description": "The range of bytes that was asked for."},
        416: {"description": "The image has no such bytes."},
    },
)
async def get_inspection_image(app: App, request: Request, inspection_id: str) -> Response:
    inspection = await _inspection(app, inspection_id)
    headers = _headers(f'"{inspection.image_sha256}"')
    if _is_known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    data = await to_thread.run_sync(_read, app, inspection, limiter=_reading)
    return _ranged(request, headers, inspection.media_type, data)


@router.get(
    "/thumbnail",
    operation_id="get_inspection_thumbnail",
    summary="The image, small and upright",
    response_class=Response,
    responses={200: {"content": {"image/jpeg": {"schema": BINARY}}}, **responses(errors.ValueInvalid)},
)
async def get_inspection_thumbnail(
    app: App, request: Request, inspection_id: str, width: Annotated[int, Query(ge=16, le=1024)] = 320
) -> Response:
    inspection = await _inspection(app, inspection_id)
    headers = _headers(f'"{inspection.image_sha256}-{width}"')
    if _is_known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    data = await to_thread.run_sync(_read, app, inspection, limiter=_reading)
    picture = await to_thread.run_sync(_draw, app, inspection, data, width, limiter=_drawing)
    return Response(picture, media_type="image/jpeg", headers=headers)


@router.get(
    "/overlay",
    operation_id="get_inspection_overlay",
    summary="The image with what was found drawn on it (SVG)",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}},
)
async def get_inspection_overlay(app: App, inspection_id: str) -> Response:
    """Each field in the colour and the line of its state, with what was expected and what was read beneath."""
    inspection = await _inspection(app, inspection_id)
    data = await to_thread.run_sync(_read, app, inspection, limiter=_reading)
    picture = await to_thread.run_sync(_draw, app, inspection, data, None, limiter=_drawing)
    headers = {**_HARMLESS, "Cache-Control": "private, no-cache"}
    return Response(draw(inspection, picture), media_type="image/svg+xml", headers=headers)


# A stored image is data from outside: no browser may take it for anything but an image. An overlay holds its image
# as data, and styles of its own.
_HARMLESS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
}


def _read(app: Components, inspection: Inspection) -> bytes:
    if inspection.image_key is None:
        raise errors.ImageNotFound("the image of this inspection is no longer stored")
    return app.images.read(inspection.image_key)


def _draw(app: Components, inspection: Inspection, data: bytes, width: int | None) -> bytes:
    pixels = max(app.settings.limits.image_max_pixels, inspection.width * inspection.height)
    return jpeg(decode(data, max_bytes=len(data), max_pixels=pixels), width)


async def _inspection(app: Components, inspection_id: str) -> Inspection:
    return await to_thread.run_sync(app.inspections.get, inspection_id, limiter=_reading)


def _headers(tag: str) -> dict[str, str]:
    """Of a picture that never changes."""
    return {**_HARMLESS, "ETag": tag, "Cache-Control": "private, max-age=31536000, immutable"}


def _is_known(request: Request, tag: str) -> bool:
    """Whether the client has the picture (RFC 9110, 13.1.2)."""
    known = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    return tag in known or known == ["*"]


def _ranged(request: Request, headers: dict[str, str], media_type: str, data: bytes) -> Response:
    """The picture, or the one range of bytes that was asked for (RFC 9110, 14)."""
    headers = {**headers, "Accept-Ranges": "bytes"}
    wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", request.headers.get("range", "").strip())
    if (
        wanted is None
        or wanted[0] == "bytes=-"
        or request.headers.get("if-range", headers["ETag"]) != headers["ETag"]
    ):
        return Response(data, media_type=media_type, headers=headers)
    first, last = wanted[1][:18], wanted[2][:18]
    start = int(first) if first else max(0, len(data) - int(last))
    end = min(int(last) + 1 if first and last else len(data), len(data))
    if start >= end:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{len(data)}"})
    headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
    return Response(data[start:end], 206, media_type=media_type, headers=headers)

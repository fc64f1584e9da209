"""Reads what a camera posts: a multipart form, or the image as the body with the values in the query."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, StringConstraints, ValidationError, field_validator
from pydantic import Field as Checked
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from service.errors import ImageMissing, ImageTypeUnsupported, RequestMalformed, ValueInvalid
from service.imaging.decode import MEDIA_TYPES
from service.inspections.inspection import Submission

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request

RAW_TYPES: Final = (*MEDIA_TYPES, "image/x-ms-bmp", "image/jpg", "application/octet-stream")
FORM_TYPE: Final = "multipart/form-data"
_MAX_EXPECTED: Final = 64

Identifier = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=64)]
Value = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=200)]


class SubmissionIn(BaseModel):
    """The values beside the image."""

    model_config = ConfigDict(extra="forbid")

    recipe: Identifier
    station_id: Identifier | None = None
    part_id: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=128)] | None = None
    captured_at: AwareDatetime | None = None
    expected: Annotated[dict[Identifier, Value], Checked(max_length=_MAX_EXPECTED)] = Checked(
        default_factory=dict
    )
    deadline_ms: Annotated[int, Checked(ge=1, le=600_000)] | None = None

    @field_validator("expected", mode="before")
    @classmethod
    def _parse(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError('must be a JSON object of texts, such as {"lot": "L240817B"}') from None
        if not isinstance(parsed, dict):
            raise ValueError('must be a JSON object of texts, such as {"lot": "L240817B"}')  # noqa: TRY004
        return parsed


async def read_submission(request: Request) -> tuple[bytes, Submission, int | None]:
    """The image, what was said of it, and the deadline in milliseconds if one was named.

    Raises:
        ImageTypeUnsupported: a content type that is neither an image nor a form.
        RequestMalformed: a form that cannot be parsed, or without one `image` file.
        ImageMissing: no bytes.
        ValueInvalid: a value that is missing, unknown or out of bounds.
        ImageTooLarge: more bytes than the limit.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    values: dict[str, Any] = dict(request.query_params)
    if content_type == FORM_TYPE:
        try:
            async with request.form(max_files=1, max_fields=16, max_part_size=64 * 1024) as form:
                image = await _take(form, values)
        except HTTPException as error:
            raise RequestMalformed(f"the form cannot be read: {error.detail}") from None
    elif content_type in RAW_TYPES:
        image = await request.body()
    else:
        raise ImageTypeUnsupported(
            f"content type {content_type or '(none)'} is not accepted; send {FORM_TYPE} or one of {', '.join(RAW_TYPES)}"
        )
    if not image:
        raise ImageMissing("the image is empty: 0 bytes were sent")
    try:
        said = SubmissionIn.model_validate(values)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise ValueInvalid(faults) from None
    submission = Submission(said.recipe, said.expected, said.station_id, said.part_id, said.captured_at)
    return image, submission, said.deadline_ms


async def _take(form: FormData, values: dict[str, Any]) -> bytes:
    image = None
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            if name != "image":
                raise RequestMalformed(f"the form has a file {name!r}; the image must be named 'image'")
            declared = (value.content_type or "application/octet-stream").partition(";")[0].strip().lower()
            if declared not in RAW_TYPES:
                raise ImageTypeUnsupported(f"content type {declared} is not an image this service reads")
            image = await value.read()
        elif name in values:
            raise RequestMalformed(f"{name} is given twice")
        else:
            values[name] = value
    if image is None:
        raise RequestMalformed("the form has no file named 'image'")
    return image

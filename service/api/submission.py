"""Reads what a camera posts: a multipart form, or the image as the body with the values in the query."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import (
    BaseModel,
    ConfigDict,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic import Field as Checked
from python_multipart.multipart import parse_options_header
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from service.api.filters import PRINTABLE, Moment
from service.errors import Forbidden, ImageMissing, ImageTypeUnsupported, RequestMalformed, ValueInvalid
from service.imaging.decode import MEDIA_TYPES
from service.inspections.inspection import Submission
from service.settings import MAX_DEADLINE_MS

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request

RAW_TYPES: Final = (
    *sorted(set(MEDIA_TYPES.values())),
    "image/x-ms-bmp",
    "image/jpg",
    "application/octet-stream",
)
FORM_TYPE: Final = "multipart/form-data"
_MAX_EXPECTED: Final = 64

Identifier = Annotated[str, StringConstraints(pattern=PRINTABLE, max_length=64)]
Value = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=200)]
_NOT_TEXTS: Final = 'must be a JSON object of texts, such as {"lot": "L240817B"}'


class SubmissionIn(BaseModel):
    """The values beside the image."""

    model_config = ConfigDict(extra="forbid")

    recipe: Identifier | None = Checked(None, description="Left out, the recipe of the station is meant.")
    station_id: Identifier | None = None
    part_id: Annotated[str, StringConstraints(pattern=PRINTABLE, max_length=128)] | None = None
    captured_at: Moment | None = None
    expected: Annotated[dict[Identifier, Value], Checked(max_length=_MAX_EXPECTED)] = Checked(
        default_factory=dict
    )
    deadline_ms: Annotated[int, Checked(ge=1, le=MAX_DEADLINE_MS)] | None = None

    @field_validator("expected", mode="before")
    @classmethod
    def _parse(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            parsed = json.loads(value, object_pairs_hook=_without_repeats)
        except (RecursionError, json.JSONDecodeError):
            raise ValueError(_NOT_TEXTS) from None
        if not isinstance(parsed, dict):
            raise ValueError(_NOT_TEXTS)  # noqa: TRY004 (pydantic reports this kind)
        return parsed

    @model_validator(mode="after")
    def _names_a_recipe(self) -> SubmissionIn:
        if self.recipe is None and self.station_id is None:
            raise ValueError("recipe: Field required, or the station_id of a station that runs one")
        return self

    @field_validator("captured_at", mode="before")
    @classmethod
    def _is_iso_8601(cls, value: Any) -> Any:
        if isinstance(value, str) and not re.match(r"\d{4}-\d{2}-\d{2}[T ]", value):
            raise ValueError("must be ISO 8601 with a time zone, such as 2026-12-01T10:00:00+01:00")
        return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("gives a name twice")
    return values


async def read_submission(
    request: Request, *, recipe: str | None = None, station_id: str | None = None, other: Collection[str] = ()
) -> tuple[bytes, Submission, int | None]:
    """The image, what was said of it, and the deadline in milliseconds if one was named.

    `recipe` is what the path names, `station_id` the only station that the caller speaks for, `other` are query
    parameters that are the handler's own.

    Raises:
        ImageTypeUnsupported: a content type that is neither an image nor a form.
        RequestMalformed: a form that cannot be parsed, or without one `image` file.
        ImageMissing: no bytes.
        ValueInvalid: a value that is missing, unknown or out of bounds.
        ImageTooLarge: more bytes than the limit.
        Forbidden: it names another station.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    values: dict[str, Any] = {}
    if recipe is not None:
        values["recipe"] = recipe
    for name, value in request.query_params.multi_items():
        if name not in other:
            _set(values, name, value)
    if content_type == FORM_TYPE:
        image = await _read_form(request, values)
    elif content_type in RAW_TYPES:
        image = await request.body()
    else:
        raise ImageTypeUnsupported(
            f"content type {content_type or '(none)'} is not accepted; send {FORM_TYPE} or one of {', '.join(RAW_TYPES)}"
        )
    if not image:
        raise ImageMissing("the image is empty: 0 bytes were sent")
    if station_id is not None and values.setdefault("station_id", station_id) != station_id:
        raise Forbidden(f"this key speaks for station {station_id!r} only")
    try:
        said = SubmissionIn.model_validate(values)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise ValueInvalid(faults) from None
    submission = Submission(said.recipe or "", said.expected, said.station_id, said.part_id, said.captured_at)
    return image, submission, said.deadline_ms


def _set(values: dict[str, Any], name: str, value: str) -> None:
    if name in values:
        raise RequestMalformed(f"{name} is given twice")
    values[name] = value


async def _read_form(request: Request, values: dict[str, Any]) -> bytes:
    body = (await request.body()).rstrip()
    _, options = parse_options_header(request.headers["content-type"])
    if not body.endswith(b"--" + options.get(b"boundary", b"") + b"--"):
        raise RequestMalformed("the form is cut off: it does not end with its boundary")
    try:
        async with request.form(max_files=1, max_fields=16, max_part_size=64 * 1024) as form:
            return await _take(form, values)
    except HTTPException as error:
        raise RequestMalformed(f"the form cannot be read: {error.detail}") from None
    except (UnicodeError, LookupError):
        raise RequestMalformed("the form's charset cannot be read; send UTF-8") from None


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
        else:
            _set(values, name, value)
    if image is None:
        raise RequestMalformed("the form has no file named 'image'")
    return image

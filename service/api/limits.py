"""A bound on what a request may send, before anything is kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.errors import ImageTooLarge

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FORM_OVERHEAD_BYTES = 64 * 1024  # the other fields and the boundaries of a multipart form
_TEXT_BYTES = 512 * 1024  # twice the longest recipe; FastAPI parses it before anybody is asked for a key


class BodyLimit:
    """Stops reading a body once it exceeds the limit of its path; the handler then sees `ImageTooLarge`."""

    def __init__(self, app: ASGIApp, image_max_bytes: int) -> None:
        self._app = app
        self._image_limit = image_max_bytes + _FORM_OVERHEAD_BYTES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._image_limit if _takes_image(scope["path"]) else _TEXT_BYTES
        announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        seen = 0

        async def limited() -> Message:
            nonlocal seen
            if int(announced) > limit:  # nothing needs to be read to know
                raise _too_large(limit)
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise _too_large(limit)
            return message

        await self._app(scope, limited, send)


def _takes_image(path: str) -> bool:
    return path == "/v1/inspections" or path.endswith(":try")


def _too_large(limit: int) -> ImageTooLarge:
    return ImageTooLarge(f"the request has more than {limit} bytes")

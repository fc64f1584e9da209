"""A bound on what a request may send, before anything is kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.errors import ImageTooLarge

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FORM_OVERHEAD_BYTES = 64 * 1024  # the other fields and the boundaries of a multipart form


class BodyLimit:
    """Stops reading a body once it exceeds the image limit; the handler then sees `ImageTooLarge`."""

    def __init__(self, app: ASGIApp, image_max_bytes: int) -> None:
        self._app = app
        self._limit = image_max_bytes + _FORM_OVERHEAD_BYTES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        seen = 0

        async def limited() -> Message:
            nonlocal seen
            if int(announced) > self._limit:  # nothing needs to be read to know
                raise self._too_large()
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limit:
                raise self._too_large()
            return message

        await self._app(scope, limited, send)

    def _too_large(self) -> ImageTooLarge:
        return ImageTooLarge(f"the request has more than {self._limit} bytes")

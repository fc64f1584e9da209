"""Images in a local folder, one sub-folder a day."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.errors import ImageNotFound, StoreUnavailable

if TYPE_CHECKING:
    from pathlib import Path


class ImageFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, key: str, data: bytes, media_type: str) -> None:  # noqa: ARG002 (a file has none)
        path = self._folder / key
        partial = path.with_suffix(".part")
        try:
            _make_folder(path.parent)
            with partial.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(path)
            _sync_folder(path.parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise StoreUnavailable(f"the image cannot be stored: {error.strerror or error}") from error

    def read(self, key: str) -> bytes:
        try:
            return (self._folder / key).read_bytes()
        except FileNotFoundError:
            raise ImageNotFound("the image of this inspection is no longer stored") from None
        except OSError as error:
            raise StoreUnavailable(f"the image cannot be read: {error.strerror or error}") from error

    def delete(self, keys: Sequence[str]) -> None:
        try:
            for key in keys:
                (self._folder / key).unlink(missing_ok=True)
        except OSError as error:
            raise StoreUnavailable(f"an image cannot be deleted: {error.strerror or error}") from error


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, each durable in its own parent."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    # The rename itself is durable only once the folder's own entry is on disk.
    descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

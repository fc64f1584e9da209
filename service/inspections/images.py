"""Inspected images, kept exactly as they were sent."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

from service.errors import ImageNotFound, StoreUnavailable

if TYPE_CHECKING:
    import datetime as dt
    from pathlib import Path

SUFFIXES: Final = {
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/bmp": ".bmp",
    "image/tiff": ".tif",
    "image/webp": ".webp",
}


class ImageFolder:
    """Images in a local folder, one sub-folder a day."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, inspection_id: str, received_at: dt.datetime, media_type: str, data: bytes) -> str:
        """Store an image so that it survives a loss of power; returns its key.

        Raises:
            StoreUnavailable: the folder cannot be written.
        """
        key = f"{received_at:%Y/%m/%d}/{inspection_id}{SUFFIXES[media_type]}"
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
        return key

    def path(self, key: str) -> Path:
        """Where an image is.

        Raises:
            ImageNotFound: it is no longer there.
        """
        path = self._folder / key
        if not path.is_file():
            raise ImageNotFound("the image of this inspection is no longer stored")
        return path


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

"""Where commands write: results to standard output, everything for people to standard error."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console

from service.errors import ImageMissing

if TYPE_CHECKING:
    from pathlib import Path

    from service.imaging.frame import Frame
    from service.settings import Settings

EXIT_NOT_PASSED: Final = 1
EXIT_ERROR: Final = 2

output = Console(soft_wrap=True, highlight=False, emoji=False)
people = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)

VERDICT_STYLES: Final = {"PASS": "bold green", "REVIEW": "bold yellow", "FAIL": "bold red"}


def print_json(value: Any) -> None:
    """One object on one line, as it is: no colours, no wrapping, non-ASCII kept."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def read_frame(path: Path, settings: Settings) -> tuple[Frame, float]:
    """Decode an image file; the frame, and the milliseconds it took.

    Raises:
        InvalidInput: the file cannot be read or decoded.
    """
    from service.imaging.decode import decode  # noqa: PLC0415 (OpenCV, which not every command needs)

    started = time.perf_counter()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ImageMissing(f"cannot be read: {error.strerror}") from None
    limits = settings.limits
    frame = decode(data, max_bytes=limits.image_max_bytes, max_pixels=limits.image_max_pixels)
    return frame, 1000 * (time.perf_counter() - started)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole, or as it was before."""
    partial = path.with_name(f".{path.name}.part")
    try:
        with partial.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def say(message: str) -> None:
    """A message for people, as it is."""
    people.print(message, markup=False)


def complain(message: str) -> None:
    """An error for people, as it is."""
    people.print(message, style="red", markup=False)

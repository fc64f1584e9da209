"""`printproof ocr`: what the reader sees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.console import EXIT_ERROR, complain, output, print_json, read_frame
from service.cli.lines import describe_line
from service.errors import InvalidInput, Unavailable
from service.settings import load_settings

if TYPE_CHECKING:
    from service.imaging.frame import Frame
    from service.ocr.text import Reading


def ocr(
    images: Annotated[list[Path], typer.Argument(help="Image files.", metavar="IMAGE...")],
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object per image and output line.")
    ] = False,
) -> None:
    """Read all text on images.

    Exit status 2 if an image could not be read; the others are read all the same.
    """
    from service.ocr.engine import EngineSource  # noqa: PLC0415 (loads OpenCV and the runtimes)

    settings = load_settings()
    reader = EngineSource(settings.engine, settings.weights_dir).load()
    failed = False
    for path in images:
        try:
            frame, decode_ms = read_frame(path, settings)
            reading = reader.read([frame])[0]
        except (InvalidInput, Unavailable) as error:
            complain(f"{path}: {error}")
            failed = True
            continue
        if as_json:
            print_json(_describe(path, frame, reading, decode_ms))
        else:
            output.print(f"{path} ({frame.width} x {frame.height})", style="bold", markup=False)
            for note in frame.notes:
                output.print(f"  {note}", markup=False)
            for line in reading.lines:
                output.print(f"  {line.score:.2f}  {line.text}", markup=False)
    if failed:
        raise typer.Exit(EXIT_ERROR)


def _describe(path: Path, frame: Frame, reading: Reading, decode_ms: float) -> dict[str, Any]:
    stages = {"decode": decode_ms, **reading.timings_ms}
    return {
        "file": str(path),
        "width": frame.width,
        "height": frame.height,
        "notes": list(frame.notes),
        "lines": [describe_line(line) for line in reading.lines],
        "timings_ms": {stage: round(spent, 2) for stage, spent in stages.items()},
    }

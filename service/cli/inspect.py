"""`printproof inspect`: verdicts without a server."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import track

from service.cli.console import (
    EXIT_ERROR,
    EXIT_NOT_PASSED,
    VERDICT_STYLES,
    complain,
    output,
    people,
    print_json,
    read_frame,
)
from service.errors import InvalidInput, Unavailable, ValueInvalid
from service.matching.outcome import Verdict
from service.recipes.files import load_recipe
from service.recipes.resolve import resolve
from service.settings import load_settings

if TYPE_CHECKING:
    from service.api.schemas import InspectionOut
    from service.ocr.reader import Reader
    from service.recipes.recipe import Recipe
    from service.settings import Settings


def inspect(
    images: Annotated[list[Path], typer.Argument(help="Image files.", metavar="IMAGE...")],
    recipe: Annotated[Path, typer.Option(help="Recipe file.")],
    expected: Annotated[
        list[str] | None, typer.Option(help="A value that the recipe needs, as name=value; repeat for more.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object per image and output line.")
    ] = False,
) -> None:
    """Inspect images against a recipe file; nothing is stored.

    Exit status: 0 all PASS, 1 any FAIL or REVIEW, 2 an error.
    """
    from service.ocr.engine import EngineSource  # noqa: PLC0415 (loads OpenCV and the runtimes)

    settings = load_settings()
    now = dt.datetime.now(dt.timezone.utc)
    wanted = resolve(load_recipe(recipe)[0], parse_expected(expected or []), now, "received_at")
    reader = EngineSource(settings.engine, settings.weights_dir).load()
    status = 0
    for path in track(
        images, "inspecting", console=people, disable=len(images) < 2 or not people.is_terminal
    ):
        try:
            result = _inspect(path, wanted, reader, settings)
        except (InvalidInput, Unavailable) as error:
            complain(f"{path}: {error}")
            status = EXIT_ERROR
            continue
        if result.verdict is not Verdict.PASS:
            status = max(status, EXIT_NOT_PASSED)
        if as_json:
            print_json({"file": str(path), **result.model_dump(mode="json")})
        else:
            show(path, result)
    if status:
        raise typer.Exit(status)


def parse_expected(pairs: list[str]) -> dict[str, str]:
    """`name=value` arguments as a mapping.

    Raises:
        ValueInvalid: one of them has no equals sign, or a name comes twice.
    """
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name in values:
            raise ValueInvalid(f"--expected {pair}: give each value once, as name=value")
        values[name] = value
    return values


def _inspect(path: Path, recipe: Recipe, reader: Reader, settings: Settings) -> InspectionOut:
    from service.api.schemas import InspectionOut  # noqa: PLC0415
    from service.inspections.evidence import gather  # noqa: PLC0415
    from service.inspections.inspection import judge  # noqa: PLC0415

    received_at = dt.datetime.now(dt.timezone.utc)
    frame, decode_ms = read_frame(path, settings)
    reading = reader.read([replace(frame, view=recipe.image)])[0]
    started = time.perf_counter()
    judgement = judge(recipe, reading, gather(frame, recipe))
    timings = {"decode": decode_ms, **reading.timings_ms, "match": 1000 * (time.perf_counter() - started)}
    return InspectionOut.unstored(
        path.stem, recipe, judgement, received_at, (frame.width, frame.height), frame.notes, timings
    )


def show(path: Path, result: InspectionOut) -> None:
    """The verdict and its reasons, for people."""
    output.print(f"{result.verdict.value:<7}", style=VERDICT_STYLES[result.verdict.value], end="")
    output.print(str(path), markup=False)
    for note in result.notes:
        output.print(f"       {note}", markup=False)
    for defect in result.defects:
        where = f"{defect.field}: " if defect.field else ""
        output.print(f"       {defect.code.value:<15} {where}{defect.detail}", markup=False)

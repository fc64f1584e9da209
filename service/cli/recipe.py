"""`printproof recipe`: work with recipe files."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from service.cli.console import (
    EXIT_ERROR,
    EXIT_NOT_PASSED,
    complain,
    output,
    print_json,
    read_frame,
    say,
    write_whole,
)
from service.cli.inspect import parse_expected, show
from service.cli.lines import load_readings
from service.errors import InvalidInput, RecipeInvalid, Unavailable
from service.matching.outcome import Verdict
from service.recipes.files import load_recipe, parse_recipe
from service.recipes.resolve import needed_values, resolve
from service.settings import load_settings

app = typer.Typer(help="Work with recipe files.", no_args_is_help=True)


@app.command("validate")
def validate(files: Annotated[list[Path], typer.Argument(help="Recipe files.", metavar="FILE...")]) -> None:
    """Check recipe files; every fault is named by line and column. Exit status 2 if there is one."""
    sound = True
    for path in files:
        try:
            recipe, _ = load_recipe(path)
        except RecipeInvalid as error:
            complain(str(error))
            sound = False
        else:
            values = needed_values(recipe)
            needs = f", needs {', '.join(values)}" if values else ""
            output.print(f"{path}: {recipe.name}, {len(recipe.fields)} fields{needs}", markup=False)
    if not sound:
        raise typer.Exit(EXIT_ERROR)


@app.command("check")
def check(
    recipe: Annotated[Path, typer.Option(help="Recipe file.")],
    lines: Annotated[
        Path,
        typer.Option(help="What was read: output of `printproof ocr --json`, or results of the service."),
    ],
    expected: Annotated[
        list[str] | None, typer.Option(help="A value that the recipe needs, as name=value; repeat for more.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object per reading and output line.")
    ] = False,
) -> None:
    """Compare what was read with a recipe, without an image: try a recipe on history, or explain a result.

    Exit status: 0 all PASS, 1 any FAIL or REVIEW, 2 an error.
    """
    from service.api.schemas import InspectionOut  # noqa: PLC0415 (loads numpy and SQLAlchemy)
    from service.inspections.inspection import judge  # noqa: PLC0415
    from service.ocr.text import Reading  # noqa: PLC0415

    wanted, _ = load_recipe(recipe)
    values = parse_expected(expected or [])
    status = 0
    for number, one in enumerate(load_readings(lines), 1):
        name = Path(one.file).stem if one.file else one.id or str(number)
        received_at = one.received_at or dt.datetime.now(dt.timezone.utc)
        started = time.perf_counter()
        resolved = resolve(wanted, values, received_at, "received_at")
        reading = Reading(tuple(line.line() for line in one.lines), {})
        judgement = judge(resolved, reading, one.evidence(resolved))
        timings = {"match": 1000 * (time.perf_counter() - started)}
        result = InspectionOut.unstored(name, resolved, judgement, received_at, one.size, (), timings)
        if result.verdict is not Verdict.PASS:
            status = EXIT_NOT_PASSED
        if as_json:
            print_json({"file": one.file or str(lines), **result.model_dump(mode="json")})
        else:
            show(Path(name), result)
    if status:
        raise typer.Exit(status)


@app.command("teach")
def teach(
    recipe: Annotated[Path, typer.Option(help="Recipe file.")],
    images: Annotated[
        list[Path], typer.Argument(help="Images of good labels, all of one camera.", metavar="IMAGE...")
    ],
    expected: Annotated[
        list[str] | None, typer.Option(help="A value that all of them show, as name=value; repeat for more.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; standard output without it.")] = None,
) -> None:
    """Learn from good labels where each print stands and how it comes out; writes the recipe with `near` and `print`.

    Exit status 2 if an image is no good sample: nothing is written then.
    """
    from service.inspections.teaching import Lesson, for_teaching, odd_samples, write_taught  # noqa: PLC0415 (loads OpenCV)
    from service.matching.placement import Size  # noqa: PLC0415
    from service.ocr.engine import EngineSource  # noqa: PLC0415

    settings = load_settings()
    wanted, source = load_recipe(recipe, untaught=True)
    values = parse_expected(expected or [])
    resolved = resolve(for_teaching(wanted, values), values, dt.datetime.now(dt.timezone.utc), "received_at")
    reader = EngineSource(settings.engine, settings.weights_dir).load()
    lesson: Lesson | None = None
    for path in images:
        try:
            frame, _ = read_frame(path, settings)
            lesson = lesson or Lesson(resolved, wanted.anchors, Size(frame.width, frame.height))
            lesson.take(frame, reader.read([replace(frame, view=wanted.image)])[0].lines)
        except (InvalidInput, Unavailable) as error:
            complain(f"{path}: {error}")
            raise typer.Exit(EXIT_ERROR) from None
    if lesson is None:
        raise typer.Exit(EXIT_ERROR)
    odd = [
        f"{images[which]}: {name} is printed unlike on the other images"
        for name, which in odd_samples(lesson).items()
    ]
    for fault in odd:
        complain(fault)
    if odd:
        raise typer.Exit(EXIT_ERROR)
    written = write_taught(source, wanted, lesson)
    parse_recipe(written, str(recipe))
    if out is None:
        typer.echo(written, nl=False)
    else:
        write_whole(out, written)
    for name, taught in lesson.taught.items():
        seen = "".join(sorted(set("".join(taught.texts))))
        say(f"{name}: {len(taught.boxes)} samples, characters {seen}")

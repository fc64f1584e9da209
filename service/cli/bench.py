"""`printproof bench`: PrintProof beside its peers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.console import output, say
from service.errors import RuntimeUnavailable, ValueInvalid
from service.settings import load_settings

app = typer.Typer(help="Measure PrintProof beside its peers.", no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Benchmarks; each peer runs in a locked environment of its own, one at a time."""


@app.command("ocr")
def ocr(
    images: Annotated[
        Path, typer.Option(help="Folder with images and their truth (truth.jsonl or index.json).")
    ],
    out: Annotated[Path, typer.Option(help="Folder for ocr.json, ocr.md and ocr.svg.")],
    rounds: Annotated[
        int, typer.Option(min=1, max=100, help="Alternating rounds, after one that is not counted.")
    ] = 5,
    limit: Annotated[int, typer.Option(min=0, help="Only so many images; 0 is all.")] = 0,
    own: Annotated[
        bool,
        typer.Option(
            "--own",
            help="Instead of peers, PrintProof with what a recipe may know of its images, and with its other bundles.",
        ),
    ] = False,
) -> None:
    """Read the same images with PrintProof and its peers in alternating rounds: time and mistakes."""
    try:
        from models.bench import peers, report, runner  # noqa: PLC0415 (packages that only the bench needs)
    except ImportError as error:
        raise _packages_missing(error) from None

    pictures = runner.load_pictures(images)
    pipelines = peers.OWN if own else peers.PEERS
    results = runner.run(pictures[: limit or None], pipelines, load_settings().weights_dir, rounds, say)
    report.write(results, out, images.name)
    output.print((out / "ocr.md").read_text("utf-8"), markup=False)


@app.command("match")
def match(
    rounds: Annotated[
        int, typer.Option(min=1, max=1000, help="Alternating rounds, after one that is not counted.")
    ] = 20,
) -> None:
    """Compare labels of 10 to 200 lines with a recipe of ten fields, beside a script with rapidfuzz."""
    try:
        from models.bench import matching  # noqa: PLC0415 (packages that only the bench needs)
    except ImportError as error:
        raise _packages_missing(error) from None

    output.print(matching.table(matching.run(rounds)), markup=False)


@app.command("store")
def store(
    rows: Annotated[int, typer.Option(min=1000, help="Rows to fill an empty database with.")],
    page: Annotated[
        Path,
        typer.Option(help="Markdown page, in which the section of this kind of database is written anew."),
    ] = Path("docs/benchmarks.md"),
) -> None:
    """Fill the database of PRINTPROOF_DATABASE_URL if it is empty, and time queries and inserts among its rows."""
    from models.bench import plant  # noqa: PLC0415
    from models.bench import store as bench_store  # noqa: PLC0415
    from service.db.engine import opened  # noqa: PLC0415

    with opened(load_settings().database) as database:
        there = bench_store.count_rows(database)
        if there == 0:
            plant.fill(database, rows, say)
        elif there < rows or not bench_store.is_made_up(database):
            raise ValueInvalid(f"the database holds {there:,} inspections, and only an empty one is filled")
        queries = bench_store.measure_queries(database)
        inserts = bench_store.measure_inserts(database)
        text = bench_store.report(database.dialect.name, rows, queries, inserts)
    bench_store.write_section(page, text)
    output.print(text, markup=False)


def _packages_missing(error: ImportError) -> RuntimeUnavailable:
    return RuntimeUnavailable(
        f"the bench needs more packages ({error}); run: pip install 'printproof[bench]'"
    )

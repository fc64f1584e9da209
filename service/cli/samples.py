"""`printproof samples`: labels to try the product with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.console import output

app = typer.Typer(help="Make sample labels.", no_args_is_help=True)


@app.command("make")
def make(
    out: Annotated[Path, typer.Option(help="Folder to write to; it is made.")],
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="The same seed gives the same bytes.")] = 1,
    count: Annotated[int, typer.Option(min=1, max=100_000, help="How many labels.")] = 20,
) -> None:
    """Draw label photographs, good and defective, with their truth (truth.jsonl) and recipes."""
    from service.samples.generator import make_samples  # noqa: PLC0415 (Pillow and the fonts)

    samples = make_samples(out, seed=seed, count=count)
    good = sum(sample.defect is None for sample in samples)
    output.print(
        f"{out}: {good} good and {len(samples) - good} defective labels, truth.jsonl, recipes/", markup=False
    )

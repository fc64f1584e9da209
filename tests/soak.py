"""Many inspections of many sizes through a real server: is its memory flat, and its first answer as fast as later ones?

`make soak` runs it at full length, the tests with few small images.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Annotated

import cv2
import numpy as np
import typer
from numpy.typing import NDArray

from service.samples.generator import Sample, make_samples
from tests.e2e.conftest import Server, serving

LARGEST = (1280, 960)
MAX_GROWTH = 0.05


@dataclass(frozen=True, slots=True)
class Soaked:
    """Resident memory of the server in MB, and answer times in ms of one image sent again and again at first."""

    inspections: int
    sizes: int
    settled_mb: float
    """After the inspections that let it settle."""
    last_mb: float
    highest_mb: float
    growth: float
    """Of the highest since then over the settled."""
    first_ms: float
    hundredth_ms: float
    """Median of the ninetieth to the hundredth."""
    verdicts: dict[str, int]


def soak(folder: Path, *, count: int, settle: int, sizes: int, largest: tuple[int, int]) -> Soaked:
    """Post `count` images, none at the same time, in `sizes` sizes up to `largest` (width, height)."""
    random = Random(11)
    samples = [one for one in make_samples(folder / "samples", seed=11, count=40) if one.defect is None]
    images = {one.file: _load(folder / "samples" / one.file) for one in samples}
    shapes = [
        (random.randint(largest[0] // 4, largest[0]), random.randint(largest[1] // 4, largest[1]))
        for _ in range(sizes)
    ]
    with serving(folder / "data", folder / "samples" / "recipes") as server:
        one = samples[0]
        same = [_post(server, _fitted(images[one.file], shapes[0]), one) for _ in range(100)]
        verdicts: dict[str, int] = {}
        memory = []
        for number in range(count):
            one = random.choice(samples)
            # All sizes while it settles, then any of them.
            shape = shapes[number % sizes] if number < settle else random.choice(shapes)
            verdict, _ = _post(server, _fitted(images[one.file], shape), one)
            verdicts[verdict] = verdicts.get(verdict, 0) + 1
            memory.append(_resident_mb(server.process.pid))
            if number % 100 == 99:
                print(f"{number + 1} of {count}: {memory[-1]:.0f} MB", file=sys.stderr)  # noqa: T201
    return Soaked(
        inspections=count,
        sizes=sizes,
        settled_mb=memory[settle - 1],
        last_mb=memory[-1],
        highest_mb=max(memory),
        growth=max(memory[settle:]) / memory[settle - 1] - 1,
        first_ms=same[0][1],
        hundredth_ms=statistics.median(spent for _, spent in same[-11:]),
        verdicts=verdicts,
    )


def _load(path: Path) -> NDArray[np.uint8]:
    pixels = cv2.imread(str(path))
    assert pixels is not None
    return np.asarray(pixels, np.uint8)


def _fitted(label: NDArray[np.uint8], shape: tuple[int, int]) -> bytes:
    """The label on a grey background of this width and height."""
    width, height = shape
    scale = min(width / label.shape[1], height / label.shape[0])
    resized = cv2.resize(label, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    background = np.full((height, width, 3), 128, np.uint8)
    background[: resized.shape[0], : resized.shape[1]] = resized
    return cv2.imencode(".jpg", background)[1].tobytes()


def _post(server: Server, image: bytes, sample: Sample) -> tuple[str, float]:
    started = time.perf_counter()
    answer = server.post(image, sample, deadline_ms="60000")
    spent = 1000 * (time.perf_counter() - started)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["verdict"]), spent


def _resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("the server is gone")


def main(
    count: Annotated[int, typer.Option(min=300)] = 2000,
    sizes: Annotated[int, typer.Option(min=1, max=200)] = 50,
) -> None:
    """Post images of many sizes to a server of its own; fails where its memory grows by more than 5 % after 200."""
    with tempfile.TemporaryDirectory() as folder:
        soaked = soak(Path(folder), count=count, settle=200, sizes=sizes, largest=LARGEST)
    print(json.dumps(asdict(soaked), indent=1))  # noqa: T201
    if soaked.growth > MAX_GROWTH:
        raise SystemExit(f"memory grew by {soaked.growth:.1%}, more than {MAX_GROWTH:.0%}")


if __name__ == "__main__":
    typer.run(main)

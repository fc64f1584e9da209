"""The same bytes give the same text: alone, in any batch, from many threads at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest

from service.batching.batcher import Batcher, State
from service.imaging.decode import decode
from service.imaging.frame import Frame
from service.imaging.regions import Region, View
from service.ocr.engine import EngineSource
from service.ocr.reader import Reader
from service.ocr.text import Reading
from service.samples.generator import Sample
from service.settings import EngineSettings

THREADS = 32
FOREVER_S = 300


@pytest.fixture(scope="module")
def frames(samples: tuple[Path, list[Sample]]) -> list[Frame]:
    """Labels of several sizes, one upside down, one seen through a region, one that is blank."""
    folder, truth = samples
    loaded = [
        decode((folder / sample.file).read_bytes(), max_bytes=10**8, max_pixels=10**8) for sample in truth[:4]
    ]
    pixels = [frame.pixels for frame in loaded]
    small = np.asarray(cv2.resize(pixels[0], (480, 320), interpolation=cv2.INTER_AREA), np.uint8)
    return [
        *loaded,
        replace(loaded[0], pixels=small),
        replace(loaded[1], pixels=np.ascontiguousarray(np.rot90(pixels[1], 2))),
        replace(loaded[2], view=View(roi=Region(0, 0.3, 1, 0.7), min_glyph_px=24)),
        replace(loaded[3], pixels=np.full_like(pixels[3], 200)),
    ]


@pytest.fixture(scope="module")
def alone(reader: Reader, frames: list[Frame]) -> list[Reading]:
    return [reader.read([frame])[0] for frame in frames]


def assert_same(reading: Reading, expected: Reading) -> None:
    assert [line.text for line in reading.lines] == [line.text for line in expected.lines]
    for line, other in zip(reading.lines, expected.lines, strict=True):
        assert line.box == other.box
        for char, known in zip(line.chars, other.chars, strict=True):
            assert char.score == pytest.approx(known.score, abs=1e-3)


@pytest.fixture(params=[1, 8], ids=["one by one", "eight in a call"])
def batching(request: pytest.FixtureRequest, reader: Reader, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """The reader as on a CPU, and as on a GPU: there tiles and crops share the calls of a network."""
    monkeypatch.setattr(reader._detector, "_max_batch", request.param)
    monkeypatch.setattr(reader._recognizer, "_max_batch", request.param)
    return reader


@pytest.mark.parametrize("seed", range(2))
def test_in_any_batch(seed: int, batching: Reader, frames: list[Frame], alone: list[Reading]) -> None:
    random = Random(seed)
    order = random.sample(range(len(frames)), len(frames))
    cut = random.randint(2, 6)
    for batch in (order[:cut], order[cut:]):
        for index, reading in zip(batch, batching.read([frames[index] for index in batch]), strict=True):
            assert_same(reading, alone[index])


@pytest.fixture(scope="module")
def batcher(weights_dir: Path) -> Iterator[Batcher[Reader, Frame, Reading]]:
    def run(engine: Reader, items: Sequence[Frame]) -> list[Reading]:
        return engine.read(items)

    batcher: Batcher[Reader, Frame, Reading] = Batcher(
        EngineSource(EngineSettings(device="cpu"), weights_dir).load,
        run,
        max_batch_size=5,
        max_wait_ms=5,
        queue_size=THREADS,
        hang_after_s=FOREVER_S,
    )
    batcher.start()
    while batcher.state is State.STARTING:
        time.sleep(0.01)
    yield batcher
    batcher.drain(FOREVER_S)


def test_from_32_threads_at_once(
    batcher: Batcher[Reader, Frame, Reading], frames: list[Frame], alone: list[Reading]
) -> None:
    """Each caller gets its own image's text, from an engine and a thread that are not those of `alone`."""

    def ask(number: int) -> Reading:
        deadline = time.monotonic() + FOREVER_S
        return asyncio.run(batcher.submit(frames[number % len(frames)], deadline))[0]

    with ThreadPoolExecutor(THREADS) as pool:
        for number, reading in enumerate(pool.map(ask, range(THREADS))):
            assert_same(reading, alone[number % len(frames)])

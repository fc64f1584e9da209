"""The Paddle form of PP-OCRv6, converted on this machine, reads as its ONNX form does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from models.pull import pull
from service.imaging.decode import decode
from service.ocr.engine import EngineSource
from service.ocr.reader import Reader
from service.ocr.weights import find_bundle
from service.samples.generator import Sample
from service.settings import EngineSettings


@pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="X2Paddle needs onnx 1.17, which has no build for this Python"
)
def test_the_converted_bundle_reads_the_same(
    weights_dir: Path, reader: Reader, samples: tuple[Path, list[Sample]]
) -> None:
    bundle = find_bundle("ppocr-v6-small-paddle")
    pull(bundle, weights_dir, print)
    converted = EngineSource(EngineSettings(bundle=bundle.name, device="cpu"), weights_dir).load()
    folder, truth = samples
    for sample in truth[:3]:
        data = (folder / sample.file).read_bytes()
        frame = decode(data, max_bytes=len(data), max_pixels=10**7)
        ours, theirs = (engine.read([frame])[0].lines for engine in (reader, converted))
        assert [line.text for line in ours] == [line.text for line in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert one.score == pytest.approx(other.score, abs=1e-3)

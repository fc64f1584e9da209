"""The real networks on real pixels."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from service.errors import DeviceUnavailable, EngineFailed, SettingsInvalid
from service.imaging.decode import decode
from service.imaging.frame import Frame
from service.imaging.regions import WHOLE_IMAGE, Region, View
from service.ocr import reader as reader_module
from service.ocr.engine import EngineSource
from service.ocr.reader import Reader
from service.ocr.runtimes import onnx as onnx_runtime
from service.ocr.text import TextLine
from service.recipes.normalise import fold_width
from service.samples.generator import Sample
from service.settings import EngineSettings
from tests.conftest import PHOTOGRAPHS

BUNDLES = ["ppocr-v6-small", "ppocr-v4-mobile"]
MIN_PHOTOGRAPH_LINES = 29  # of 36; docs/benchmarks.md has what was measured


def load(path: Path) -> Frame:
    return decode(path.read_bytes(), max_bytes=10**8, max_pixels=10**8)


def squeeze(text: str) -> str:
    return "".join(text.split()).lower()


@pytest.mark.parametrize("bundle", BUNDLES)
def test_every_bundle_reads_the_built_in_sample(bundle: str, weights_dir: Path) -> None:
    engine = EngineSource(EngineSettings(bundle=bundle, device="cpu"), weights_dir).load()
    assert (engine.facts.bundle, engine.facts.device, engine.facts.fallback) == (bundle, "cpu", False)


def test_an_engine_that_reads_wrongly_fails_the_check(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_module, "SAMPLE_LINES", ("PRINTPR00F", *reader_module.SAMPLE_LINES[1:]))
    with pytest.raises(EngineFailed, match="must not be used"):
        reader.check()


def test_answers_that_are_no_numbers_are_an_error(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    network = reader._recognizer._network
    monkeypatch.setattr(
        network, "run", lambda batch: np.full((len(batch), 4, len(reader._recognizer._characters)), np.nan)
    )
    with pytest.raises(EngineFailed, match="no numbers"):
        reader.check()


def test_tensorrt_is_refused_where_there_is_none(weights_dir: Path) -> None:
    for bundle in BUNDLES:
        with pytest.raises(SettingsInvalid, match="PRINTPROOF_ENGINE__TENSORRT"):
            EngineSource(EngineSettings(bundle=bundle, device="cpu", tensorrt=True), weights_dir)


@pytest.mark.filterwarnings("ignore:Specified provider")  # the CPU build warns, then falls back as well
def test_a_gpu_that_is_demanded_is_never_replaced_in_silence(
    weights_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where CUDA's libraries cannot be loaded: ONNX Runtime then falls back to the CPU and only logs."""
    monkeypatch.setattr(onnx_runtime, "gpu_obstacle", lambda: None)
    with pytest.raises(DeviceUnavailable, match="fell back to the CPU"):
        EngineSource(EngineSettings(device="gpu"), weights_dir).load()
    facts = EngineSource(EngineSettings(device="auto"), weights_dir).load().facts
    assert (facts.device, facts.fallback) == ("cpu", True)


def test_good_samples_are_read_to_the_letter(reader: Reader, samples: tuple[Path, list[Sample]]) -> None:
    folder, truth = samples
    for sample in truth:
        if sample.defect is None:
            read = [fold(line.text) for line in reader.read([load(folder / sample.file)])[0].lines]
            assert read == [fold(text) for text in sample.lines]


def fold(text: str) -> str:
    return squeeze("".join(map(fold_width, text)))


def test_boxes_lie_on_the_image_and_on_their_text(reader: Reader, samples: tuple[Path, list[Sample]]) -> None:
    folder, truth = samples
    frame = load(folder / truth[0].file)
    lines = reader.read([frame])[0].lines
    for one in lines:
        for x, y in one.box:
            assert 0 <= x <= frame.width
            assert 0 <= y <= frame.height
        assert len(one.chars) == len(one.text)
        assert all(0 <= char.score <= 1 for char in one.chars)
    middles = [sum(y for _, y in one.box) / 4 for one in lines]
    assert middles == sorted(middles)


@pytest.mark.parametrize("shape", [(2, 2), (11, 65), (40, 3000), (3000, 40), (448, 756)])
def test_blank_images_of_any_size_read_nothing(reader: Reader, shape: tuple[int, int]) -> None:
    assert reader.read([Frame(np.full((*shape, 3), 200, np.uint8), "image/png")])[0].lines == ()


def test_no_gpu_is_an_error_only_where_one_is_demanded(weights_dir: Path) -> None:
    for bundle in BUNDLES:
        with pytest.raises(DeviceUnavailable, match="PRINTPROOF_ENGINE__DEVICE=gpu"):
            EngineSource(EngineSettings(bundle=bundle, device="gpu"), weights_dir).load()
    assert EngineSource(EngineSettings(device="auto"), weights_dir).load().facts.fallback


def test_readers_of_their_own_threads_agree(weights_dir: Path, samples: tuple[Path, list[Sample]]) -> None:
    folder, truth = samples
    frame = load(folder / truth[0].file)

    def read(_: int) -> list[str]:
        engine = EngineSource(EngineSettings(device="cpu"), weights_dir).load()
        return [one.text for one in engine.read([frame])[0].lines]

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(read, range(2))
    assert first == second


@pytest.mark.parametrize("turn", [cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE])
def test_labels_are_read_whichever_way_they_lie(
    turn: int, reader: Reader, samples: tuple[Path, list[Sample]]
) -> None:
    """All of them as they stand, and the same lines in the same order on an image that is turned."""
    folder, truth = samples
    for sample in [sample for sample in truth if sample.defect is None][:3]:
        upright = load(folder / sample.file)
        lines = reader.read(
            [replace(upright, pixels=np.asarray(cv2.rotate(upright.pixels, turn), np.uint8))]
        )[0].lines
        assert [fold(one.text) for one in lines] == [fold(text) for text in sample.lines]
        for one in lines:  # the box begins where the text does
            (x0, y0), (x1, y1) = one.box[0], one.box[1]
            along = {
                cv2.ROTATE_90_CLOCKWISE: y1 - y0,
                cv2.ROTATE_180: x0 - x1,
                cv2.ROTATE_90_COUNTERCLOCKWISE: y0 - y1,
            }
            assert along[turn] > 0


def test_a_line_upside_down_between_upright_ones(reader: Reader) -> None:
    sample = decode(
        Path(reader_module.__file__).with_name("sample.png").read_bytes(), max_bytes=10**7, max_pixels=10**7
    )
    lines = reader.read([sample])[0].lines
    left, top = (int(value) for value in lines[1].box[0])
    right, bottom = (int(value) for value in lines[1].box[2])
    pixels = sample.pixels.copy()
    pixels[top:bottom, left:right] = np.rot90(pixels[top:bottom, left:right], 2)
    read = [squeeze(one.text) for one in reader.read([replace(sample, pixels=pixels)])[0].lines]
    assert read == [squeeze(text) for text in reader_module.SAMPLE_LINES]


def regions_of(lines: Sequence[TextLine], frame: Frame) -> tuple[Region, ...]:
    """Upright rectangles around lines, with a tenth of their height to spare."""
    found = []
    for one in lines:
        (left, top), (right, bottom) = np.min(one.box, axis=0), np.max(one.box, axis=0)
        spare = (bottom - top) / 10
        left, top = max(0.0, left - spare), max(0.0, top - spare)
        found.append(
            Region(
                left / frame.width,
                top / frame.height,
                (right + spare - left) / frame.width,
                (bottom + spare - top) / frame.height,
            )
        )
    return tuple(found)


def test_lines_whose_places_are_known_are_read_without_looking_for_text(
    reader: Reader, samples: tuple[Path, list[Sample]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, truth = samples
    sample = next(sample for sample in truth if sample.defect is None)
    frame = load(folder / sample.file)
    places = regions_of(reader.read([frame])[0].lines, frame)
    monkeypatch.setattr(reader._detector._network, "run", None)  # calling it would fail
    lines = reader.read([replace(frame, view=View(lines=places[1:]))])[0].lines
    assert [fold(one.text) for one in lines] == [fold(text) for text in sample.lines[1:]]
    assert all(0 <= x <= frame.width and 0 <= y <= frame.height for one in lines for x, y in one.box)


def test_a_region_of_interest_hides_the_rest_and_moves_nothing(
    reader: Reader, samples: tuple[Path, list[Sample]]
) -> None:
    folder, truth = samples
    frame = load(folder / next(sample for sample in truth if sample.defect is None).file)
    whole = reader.read([frame])[0].lines
    middle = (whole[0].box[3][1] + whole[1].box[0][1]) / 2 / frame.height
    below = reader.read([replace(frame, view=View(roi=Region(0, middle, 1, 1 - middle)))])[0].lines
    assert [fold(one.text) for one in below] == [fold(one.text) for one in whole[1:]]
    for one, other in zip(below, whole[1:], strict=True):
        assert np.abs(np.subtract(one.box, other.box)).max() < 8


@pytest.mark.parametrize("share", [0.35, 0.5, 0.65, 0.8])
def test_a_print_that_a_view_cuts_off_is_not_read(
    share: float, reader: Reader, samples: tuple[Path, list[Sample]]
) -> None:
    """It would read like a shorter print, and pass for it."""
    folder, truth = samples
    frame = load(folder / next(sample for sample in truth if sample.defect is None).file)
    whole = reader.read([frame])[0].lines
    places = regions_of(whole, frame)
    cut = [replace(place, width=place.width * share) for place in places]
    right = min(place.left + place.width for place in cut)
    for view in (View(lines=(places[0], *cut[1:])), View(roi=Region(0, 0, right, 1))):
        read = [one.text for one in reader.read([replace(frame, view=view)])[0].lines]
        assert not view.lines or whole[0].text in read
        # Cut between two words at most: what is read is whole words.
        assert all(any(f"{full.text} ".startswith(f"{text} ") for full in whole) for text in read)


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_stated_direction_is_read_at_once_and_no_other(
    rotate: int, reader: Reader, samples: tuple[Path, list[Sample]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, truth = samples
    sample = next(sample for sample in truth if sample.defect is None)
    upright = load(folder / sample.file)
    monkeypatch.setattr(reader_module, "to_reread", None)  # calling it would fail
    for turn in range(4):
        pixels = np.ascontiguousarray(np.rot90(upright.pixels, -turn))
        lines = reader.read([replace(upright, pixels=pixels, view=View(rotate=rotate))])[0].lines
        read = sorted(fold(one.text) for one in lines)
        assert (read == sorted(fold(text) for text in sample.lines)) is (90 * turn == rotate)


def test_images_with_and_without_a_view_share_a_batch(
    reader: Reader, samples: tuple[Path, list[Sample]]
) -> None:
    folder, truth = samples
    frame = load(folder / truth[0].file)
    lines = reader.read([frame])[0].lines
    views = [View(lines=regions_of(lines[:1], frame)), WHOLE_IMAGE, View(min_glyph_px=24)]
    read = reader.read([replace(frame, view=view) for view in views])
    assert [len(one.lines) for one in read] == [1, len(lines), len(lines)]


@pytest.mark.parametrize("scale", [0.5, 1, 3])
def test_a_known_glyph_height_is_enough_at_every_resolution(
    scale: float, reader: Reader, samples: tuple[Path, list[Sample]]
) -> None:
    """The smallest capitals of the samples are about 24 pixels high."""
    folder, truth = samples
    sample = next(sample for sample in truth if sample.defect is None)
    frame = load(folder / sample.file)
    pixels = np.asarray(
        cv2.resize(frame.pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
    )
    scaled = replace(frame, pixels=pixels, view=View(min_glyph_px=24 * scale))
    assert [fold(one.text) for one in reader.read([scaled])[0].lines] == [fold(text) for text in sample.lines]


def test_small_text_on_a_long_image_is_read_in_tiles(
    reader: Reader, samples: tuple[Path, list[Sample]]
) -> None:
    """A line camera's image: labels side by side, 7,200 pixels long, with text on every seam."""
    folder, truth = samples
    sample = next(sample for sample in truth if sample.defect is None)
    label = cv2.resize(load(folder / sample.file).pixels, (720, 480), interpolation=cv2.INTER_AREA)
    frame = Frame(np.asarray(np.tile(label, (1, 10, 1)), np.uint8), "image/png")
    # O and 0 look alike in this font: what matters here is that each line is found once and whole.
    read = Counter(fold(one.text).replace("o", "0") for one in reader.read([frame])[0].lines)
    assert read == Counter({fold(text).replace("o", "0"): 10 for text in sample.lines})


def test_large_print_on_the_seams_of_tiles_is_read(reader: Reader) -> None:
    """300 pixels high on the middle of 2400 x 2000: the network sees no tile with a whole letter of it."""
    pixels = np.full((2000, 2400, 3), 235, np.uint8)
    cv2.putText(pixels, "PRINT 42", (250, 1150), cv2.FONT_HERSHEY_SIMPLEX, 12, (20, 20, 20), 40)
    read = [squeeze(one.text) for one in reader.read([Frame(pixels, "image/png")])[0].lines]
    assert "print42" in read


@pytest.mark.skipif(not PHOTOGRAPHS.is_dir(), reason="the evaluation photographs are not here")
def test_photographs(reader: Reader) -> None:
    """Lines that equal one output line, case and spaces ignored."""
    found = 0
    for entry in json.loads((PHOTOGRAPHS / "photos" / "index.json").read_text("utf-8")):
        reading = reader.read([load(PHOTOGRAPHS / "photos" / entry["file"])])[0]
        read = Counter(squeeze(one.text) for one in reading.lines)
        found += sum((Counter(map(squeeze, entry["lines"])) & read).values())
    assert found >= MIN_PHOTOGRAPH_LINES


def test_the_text_does_not_depend_on_threads(weights_dir: Path, samples: tuple[Path, list[Sample]]) -> None:
    """Crops are read on several cores at once: the same text and scores as one after the other."""
    folder, truth = samples
    frames = [load(folder / sample.file) for sample in truth[:3]]
    alone, spread = (
        EngineSource(EngineSettings(device="cpu", threads=threads), weights_dir).load().read(frames)
        for threads in (1, 4)
    )
    for one, other in zip(alone, spread, strict=True):
        assert [line.text for line in one.lines] == [line.text for line in other.lines]
        for line_alone, line_spread in zip(one.lines, other.lines, strict=True):
            assert line_alone.score == pytest.approx(line_spread.score, abs=1e-3)

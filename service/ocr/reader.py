"""Images -> lines of text: the one thing that the rest of the product knows of OCR."""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from service.errors import EngineFailed
from service.imaging.decode import decode
from service.ocr.detection import TextDetector
from service.ocr.lines import in_reading_order
from service.ocr.orientation import (
    REVERSED,
    SIDEWAYS,
    Text,
    running_down,
    to_reread,
    undecidable,
    unsure,
    upside_down,
)
from service.ocr.recognition import TextRecognizer, crop_box
from service.ocr.text import CharScore, Quad, Reading, TextLine
from service.ocr.tiling import scale_of
from service.ocr.view import inside_roi, stated_boxes, trimmed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from service.imaging.frame import Frame
    from service.ocr.runtime import Runtime
    from service.ocr.weights import Bundle

Crop = tuple[NDArray[np.uint8], NDArray[Any]]
"""A straightened piece of an image, and its box there."""

MIN_LINE_SCORE: Final = 0.3  # below this a line is texture more often than text
# On a CPU a crop alone at its own width is faster than a batch (235 ms against 300 per image of the photographs).
CROPS_PER_BATCH: Final = {"cpu": 1, "gpu": 32}
TILES_PER_BATCH: Final = {"cpu": 1, "gpu": 8}

SAMPLE_LINES: Final = ("PRINTPROOF", "LOT L240817B", "BEST BEFORE 28/11/26", "净含量 220 ml")
"""What `sample.png` beside this file says; it is read at every start."""


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What reads, as `/v1/info` and every stored result state it."""

    bundle: str
    bundle_sha256: str
    runtime: str
    device: str
    fallback: bool
    """A GPU would have been taken, but the CPU is used."""


class Reader:
    """Detection and recognition over a batch of images. Not thread-safe: call it from the thread that made it."""

    def __init__(self, bundle: Bundle, weights_dir: Path, runtime: Runtime, device: str) -> None:
        """Load the networks of a bundle; `device` is what the settings ask for.

        Raises:
            RuntimeUnavailable, DeviceUnavailable: the runtime cannot load them, or not on the device demanded.
        """
        recognition = bundle.paths("recognition", weights_dir)
        if bundle.recognition.characters == "metadata":
            characters = runtime.characters(recognition)
        else:
            listed = (weights_dir / bundle.name / bundle.recognition.characters).read_text("utf-8")
            characters = listed.removesuffix("\n").split("\n")
        detection = runtime.load(bundle.paths("detection", weights_dir))
        self._detector = TextDetector(detection, bundle.detection, TILES_PER_BATCH[runtime.device])
        self._recognizer = TextRecognizer(
            runtime.load(recognition, many_small=True),
            bundle.recognition,
            characters,
            CROPS_PER_BATCH[runtime.device],
        )
        self.facts = EngineFacts(
            bundle=bundle.name,
            bundle_sha256=bundle.sha256,
            runtime=runtime.name,
            device=runtime.device,
            fallback=device == "auto" and runtime.device == "cpu",
        )

    def read(self, frames: Sequence[Frame]) -> list[Reading]:
        """Lines of each frame in reading order; the text of an image does not depend on its batch-mates.

        Raises:
            EngineFailed: the runtime failed on this batch.
        """
        started = time.perf_counter()
        found = self._find(frames)
        detected = time.perf_counter()
        lines = [
            in_reading_order([line for text, box in read if (line := _line(text, box, frame)) is not None])
            for frame, read in zip(frames, self._recognise(frames, found), strict=True)
        ]
        finished = time.perf_counter()
        timings = {"detect": 1000 * (detected - started), "recognise": 1000 * (finished - detected)}
        return [Reading(tuple(one), dict(timings)) for one in lines]

    def _find(self, frames: Sequence[Frame]) -> list[list[Crop]]:
        """What stands in the boxes of each frame: those its view states, or those detected in its region of interest."""
        boxes = [stated_boxes(frame) for frame in frames]
        unknown = [index for index, frame in enumerate(frames) if not frame.view.lines]
        images = [_seen(frames[index]) for index in unknown]
        for index, found in zip(unknown, self._detector.detect(images), strict=True):
            frame = frames[index]
            kept = inside_roi(found, frame)
            down = running_down(kept, frame.view.rotate)
            if frame.view.rotate is not None:  # text that runs another way is not this label's
                kept, down = (of_all[down == (frame.view.rotate in SIDEWAYS)] for of_all in (kept, down))
            boxes[index] = kept, down
        return [_crops(frame, *one) for frame, one in zip(frames, boxes, strict=True)]

    def _recognise(
        self, frames: Sequence[Frame], found: list[list[Crop]]
    ) -> list[list[tuple[Text, NDArray[Any]]]]:
        """Text and box of each crop of each image, turned the way that reads where the view does not tell it."""
        texts = self._read_crops([[pixels for pixels, _ in crops] for crops in found])
        boxes = [[box for _, box in crops] for crops in found]
        doubtful = [
            to_reread(image_boxes, image_texts) if frame.view.rotate is None else []
            for frame, image_boxes, image_texts in zip(frames, boxes, texts, strict=True)
        ]
        again = self._read_crops(
            [
                [_upside_down(crops[index])[0] for index in indices]
                for crops, indices in zip(found, doubtful, strict=True)
            ]
        )
        for crops, image_boxes, image_texts, indices, other in zip(
            found, boxes, texts, doubtful, again, strict=True
        ):
            reread = dict(zip(indices, other, strict=True))
            for index in upside_down(image_boxes, image_texts, reread):
                image_texts[index] = reread[index]
                image_boxes[index] = _upside_down(crops[index])[1]
        for frame, image_boxes, image_texts in zip(frames, boxes, texts, strict=True):
            if frame.view.rotate is None:
                for index in undecidable(image_boxes, image_texts):
                    image_texts[index] = unsure(image_texts[index])
        return [list(zip(*image, strict=True)) for image in zip(texts, boxes, strict=True)]

    def _read_crops(self, crops: list[list[NDArray[np.uint8]]]) -> list[list[Text]]:
        """Texts of the crops of several images, which share their batches."""
        texts = iter(self._recognizer.recognise([crop for image in crops for crop in image]))
        return [[next(texts) for _ in image] for image in crops]

    def check(self) -> None:
        """Read the built-in sample and compare: a runtime that computes wrongly must never see a label.

        Raises:
            EngineFailed: it reads anything else than `SAMPLE_LINES`.
        """
        sample = files("service.ocr").joinpath("sample.png").read_bytes()
        frame = decode(sample, max_bytes=len(sample), max_pixels=10**7)
        # The recognisers differ in where they see spaces, so the check is on the characters.
        read = ["".join(line.text.split()) for line in self.read([frame])[0].lines]
        known = ["".join(line.split()) for line in SAMPLE_LINES]
        if read != known:
            raise EngineFailed(
                f"the built-in sample reads {read}, it says {known}: this engine must not be used"
            )


def _seen(frame: Frame) -> tuple[NDArray[np.uint8], float]:
    """The pixels in which text is looked for, and how much they are enlarged for it."""
    left, top, right, bottom = frame.view.area(frame.width, frame.height)
    pixels = frame.pixels[top:bottom, left:right]
    # By the size of the whole image: a part of it is no reason to look closer.
    scale = scale_of(frame.width, frame.height, frame.view.min_glyph_px, seen=(right - left) * (bottom - top))
    return pixels, scale


def _crops(frame: Frame, boxes: NDArray[np.float32], down: NDArray[np.bool_]) -> list[Crop]:
    crops = [crop_box(frame.pixels, box, down=bool(runs)) for box, runs in zip(boxes, down, strict=True)]
    turned = frame.view.rotate in REVERSED
    return [_upside_down(crop) if turned else crop for crop in crops if crop is not None]


def _upside_down(crop: Crop) -> Crop:
    pixels, box = crop
    return np.rot90(pixels, 2), np.roll(box, 2, axis=0)


def _line(chars: tuple[CharScore, ...], box: NDArray[Any], frame: Frame) -> TextLine | None:
    if frame.view.lines:
        chars, box = trimmed(chars, box)
    if not chars:
        return None
    score = sum(char.score for char in chars) / len(chars)
    if score < MIN_LINE_SCORE:
        return None
    inside = np.clip(box, 0, [frame.width, frame.height]).round(1)
    corners: Quad = tuple((float(x), float(y)) for x, y in inside)  # type: ignore[assignment]  # 4 x 2
    return TextLine("".join(char.char for char in chars), score, corners, chars)

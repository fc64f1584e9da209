"""Bench worker: PrintProof's reader. Runs in PrintProof's own environment.

Its arguments are the folder of the weights, the bundle, and what a recipe knows: `nothing`, the smallest `glyph`, or the
places of `lines`, both of the lines that the truth asks for. They are learnt from the first reading of an image, in the
round that is not counted.
"""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from models.bench.runner import load_pictures
from models.bench.scoring import normalise
from service.imaging.decode import decode
from service.imaging.frame import Frame
from service.imaging.regions import WHOLE_IMAGE, Region, View
from service.ocr.engine import EngineSource
from service.ocr.text import Reading
from service.settings import EngineSettings, load_settings

# Boxes of PP-OCR's detectors are about this many times as high as the capitals inside.
BOX_TO_GLYPH = 1.6


def learn(frame: Frame, reading: Reading, wanted: Sequence[str], known: str) -> View:
    """What a recipe for these lines would say of the image, as far as they were read."""
    sought = set(map(normalise, wanted))
    lines = [line for line in reading.lines if normalise(line.text) in sought]
    if known == "nothing" or not lines:
        return WHOLE_IMAGE
    if known == "glyph":
        heights = [float(np.linalg.norm(np.subtract(line.box[3], line.box[0]))) for line in lines]
        return View(min_glyph_px=max(4.0, min(heights) / BOX_TO_GLYPH))  # recipes allow no less than 4
    size = np.array([frame.width, frame.height])
    places = []
    for line in lines:
        begin, end = np.min(line.box, axis=0) / size, np.max(line.box, axis=0) / size
        places.append(Region(*begin.tolist(), *(end - begin).tolist()))
    return View(lines=tuple(places))


def wanted_on(image: Path) -> Sequence[str]:
    return next(picture.lines for picture in load_pictures(image.parent) if picture.path == image)


weights_dir, bundle, known = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
reader = EngineSource(EngineSettings(bundle=bundle), weights_dir).load()
limits = load_settings().limits
views: dict[str, View] = {}
print(json.dumps({"runtime": f"{reader.facts.bundle}, {reader.facts.runtime}"}), flush=True)  # noqa: T201
for line in sys.stdin:
    path = line.rstrip("\n")
    data = Path(path).read_bytes()
    view = views.get(path, WHOLE_IMAGE)
    started = time.perf_counter()
    frame = decode(data, max_bytes=limits.image_max_bytes, max_pixels=limits.image_max_pixels)
    decoded = time.perf_counter()
    reading = reader.read([replace(frame, view=view)])[0]
    answer = {
        "ms": 1000 * (time.perf_counter() - started),
        "lines": [one.text for one in reading.lines],
        "stages": {"decode": 1000 * (decoded - started), **reading.timings_ms},
    }
    if path not in views:
        views[path] = learn(frame, reading, wanted_on(Path(path)), known)
    print(json.dumps(answer), flush=True)  # noqa: T201

"""Bench worker: PrintProof's reader. Runs in PrintProof's own environment; its arguments are weights folder and bundle."""

import json
import sys
import time
from pathlib import Path

from service.imaging.decode import decode
from service.ocr.engine import EngineSource
from service.settings import EngineSettings, load_settings

reader = EngineSource(EngineSettings(bundle=sys.argv[2]), Path(sys.argv[1])).load()
limits = load_settings().limits
print(json.dumps({"runtime": f"{reader.facts.bundle}, {reader.facts.runtime}"}), flush=True)  # noqa: T201
for line in sys.stdin:
    data = Path(line.rstrip("\n")).read_bytes()
    started = time.perf_counter()
    frame = decode(data, max_bytes=limits.image_max_bytes, max_pixels=limits.image_max_pixels)
    decoded = time.perf_counter()
    reading = reader.read([frame])[0]
    answer = {
        "ms": 1000 * (time.perf_counter() - started),
        "lines": [one.text for one in reading.lines],
        "stages": {"decode": 1000 * (decoded - started), **reading.timings_ms},
    }
    print(json.dumps(answer), flush=True)  # noqa: T201

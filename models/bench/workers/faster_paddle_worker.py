"""Bench worker: faster-paddle, PP-OCRv6 small. Runs in an environment of its own."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

from faster_paddle import OcrEngine

engine = OcrEngine(model_size="small")
print(json.dumps({"runtime": f"PP-OCRv6 small, faster-paddle {version('faster-paddle')}"}), flush=True)  # noqa: T201
for line in sys.stdin:
    data = Path(line.rstrip("\n")).read_bytes()
    started = time.perf_counter()
    result = engine.ocr(data)
    spent = 1000 * (time.perf_counter() - started)
    lines = [bound["text"] for bound in result["bounds"].values()]
    print(json.dumps({"ms": spent, "lines": lines, "stages": {}}), flush=True)  # noqa: T201

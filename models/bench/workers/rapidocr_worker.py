"""Bench worker: RapidOCR, PP-OCRv6 small on ONNX Runtime, its defaults. Runs in an environment of its own."""

import json
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path

from rapidocr import RapidOCR

cores = len(os.sched_getaffinity(0))
engine = RapidOCR(
    params={"Global.log_level": "error", "EngineConfig.onnxruntime.intra_op_num_threads": cores}
)
runtime = f"PP-OCRv6 small, rapidocr {version('rapidocr')}, onnxruntime {version('onnxruntime')}"
print(json.dumps({"runtime": runtime}), flush=True)  # noqa: T201
for line in sys.stdin:
    data = Path(line.rstrip("\n")).read_bytes()
    started = time.perf_counter()
    result = engine(data)
    spent = 1000 * (time.perf_counter() - started)
    print(json.dumps({"ms": spent, "lines": list(result.txts or ()), "stages": {}}), flush=True)  # noqa: T201

"""Bench worker: the official PaddleOCR pipeline, PP-OCRv4 mobile on Paddle with oneDNN. Runs in an environment of its own.

Its arguments name the folder of the weights and a PP-OCRv4 bundle in it: a model hub is not needed. Longest side 960 and no
orientation models, which is how PaddleOCR's own figures for this pipeline are taken.
"""

import json
import logging
import os
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import cv2
import numpy as np
import yaml

# Both are read when the packages are imported.
os.environ["PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK"] = "True"
os.environ["DISABLE_MODEL_SOURCE_CHECK"] = "True"
from paddleocr import PaddleOCR

logging.disable(logging.WARNING)
bundle = Path(sys.argv[1], sys.argv[2]).resolve()


def model_folder(root: Path, short: str, configuration: dict[str, object]) -> str:
    """A model as PaddleX wants it: program, parameters, and how they are fed."""
    folder = root / short
    folder.mkdir()
    for ending in ("pdmodel", "pdiparams"):
        (folder / f"inference.{ending}").symlink_to(bundle / f"{short}.{ending}")
    (folder / "inference.yml").write_text(yaml.safe_dump(configuration, allow_unicode=True), "utf-8")
    return str(folder)


detection = {
    "Global": {"model_name": "PP-OCRv4_mobile_det"},
    "PreProcess": {
        "transform_ops": [
            {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
            {"DetResizeForTest": {"resize_long": 960}},
            {
                "NormalizeImage": {
                    "mean": [0.485, 0.456, 0.406],
                    "std": [0.229, 0.224, 0.225],
                    "scale": "1./255.",
                    "order": "hwc",
                }
            },
            {"ToCHWImage": None},
        ]
    },
    "PostProcess": {"name": "DBPostProcess", "thresh": 0.3, "box_thresh": 0.6, "unclip_ratio": 1.5},
}
recognition = {
    "Global": {"model_name": "PP-OCRv4_mobile_rec"},
    "PreProcess": {
        "transform_ops": [
            {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
            {"RecResizeImg": {"image_shape": [3, 48, 320]}},
        ]
    },
    "PostProcess": {
        "name": "CTCLabelDecode",
        "character_dict": (bundle / "characters.txt").read_text("utf-8").removesuffix("\n").split("\n"),
    },
}
with tempfile.TemporaryDirectory() as scratch:
    engine = PaddleOCR(
        text_detection_model_name="PP-OCRv4_mobile_det",
        text_detection_model_dir=model_folder(Path(scratch), "det", detection),
        text_recognition_model_name="PP-OCRv4_mobile_rec",
        text_recognition_model_dir=model_folder(Path(scratch), "rec", recognition),
        use_doc_orientation_classify=False,
        use_doc_unwarping=False,
        use_textline_orientation=False,
        text_det_limit_side_len=960,
        text_det_limit_type="max",
        device="cpu",
        cpu_threads=len(os.sched_getaffinity(0)),
    )
runtime = f"PP-OCRv4 mobile, paddleocr {version('paddleocr')}, paddle {version('paddlepaddle')} oneDNN"
print(json.dumps({"runtime": runtime}), flush=True)  # noqa: T201
for line in sys.stdin:
    data = Path(line.rstrip("\n")).read_bytes()
    started = time.perf_counter()
    result = engine.predict(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR))
    spent = 1000 * (time.perf_counter() - started)
    print(json.dumps({"ms": spent, "lines": list(result[0]["rec_texts"]), "stages": {}}), flush=True)  # noqa: T201

"""ONNX -> Paddle, by X2Paddle in a locked virtual environment of its own.

X2Paddle needs an old onnx and its own set of packages, which must not meet the service's; the environment is made
for the one run and thrown away. The same input gives the same bytes, so the catalogue pins the output by hash.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from importlib.resources import files
from typing import TYPE_CHECKING

from service.errors import WeightsMissing
from service.ocr.runtimes.graph import read_characters

if TYPE_CHECKING:
    from pathlib import Path

    from service.ocr.weights import Bundle

_SHORT = {"detection": "det", "recognition": "rec"}


def convert(origin: Bundle, weights_dir: Path, scratch: Path) -> Path:
    """Convert the networks of an ONNX bundle into `scratch` and return it.

    The result holds `det/inference_model/`, `rec/inference_model/` and `characters.txt`.

    Raises:
        RuntimeUnavailable: the packages of ONNX, which the characters are read with, are not installed.
        WeightsMissing: a step failed; the message carries the tool's last line.
    """
    recognition = origin.paths("recognition", weights_dir)[0]
    (scratch / "characters.txt").write_text("\n".join(read_characters(recognition)), "utf-8", newline="\n")
    python = _environment(scratch / "venv")
    for task, short in _SHORT.items():
        network = origin.paths(task, weights_dir)[0]  # type: ignore[arg-type]
        _run(
            [
                *(str(python), "-W", "ignore", "-m", "x2paddle.convert", "--framework=onnx"),
                # Without this the tool reports each use to a host of its makers.
                "--disable_feedback=True",
                *(f"--model={network}", f"--save_dir={scratch / short}"),
            ]
        )
    return scratch


def _environment(folder: Path) -> Path:
    if sys.version_info >= (3, 13):
        raise WeightsMissing(
            "the conversion needs Python 3.10 to 3.12: X2Paddle's onnx has no build for later ones"
        )
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    lock = str(files("models").joinpath("requirements-convert.lock"))
    _run(
        [
            *(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            "--require-hashes",
            "-r",
            lock,
        ]
    )
    return python


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
        raise WeightsMissing(f"the conversion failed at `{' '.join(command[1:5])}`: {said[-1]}")

"""The pipelines that are compared, each in a locked virtual environment of its own, driven as a worker process.

A worker prints one JSON object when it is warm, then answers each image path on its input with one:
`{"ms": time from bytes to lines, "lines": [...], "stages": {...}}`.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from platformdirs import user_cache_path

from service.errors import EngineFailed

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Peer:
    """`lock` names the lock file of its environment, None is PrintProof's own.

    The worker is told the folder of the weights, the `bundle` in it that it reads with, and what a recipe has `known`.
    """

    name: str
    worker: str
    lock: str | None = None
    bundle: str = ""
    known: str = ""


def _ours(name: str, bundle: str = "ppocr-v6-small", known: str = "nothing") -> Peer:
    return Peer(name, "printproof_worker.py", bundle=bundle, known=known)


PEERS: Final = (
    _ours("PrintProof"),
    Peer("faster-paddle", "faster_paddle_worker.py", "requirements-faster-paddle.lock"),
    Peer("RapidOCR", "rapidocr_worker.py", "requirements-rapidocr.lock"),
    Peer("PaddleOCR", "paddleocr_worker.py", "requirements-paddleocr.lock", "ppocr-v4-mobile"),
)
OWN: Final = (
    PEERS[0],
    _ours("PrintProof, smallest glyph known", known="glyph"),
    _ours("PrintProof, places of lines known", known="lines"),
    _ours("PrintProof, v4", "ppocr-v4-mobile"),
    _ours("PrintProof, v6 on Paddle", "ppocr-v6-small-paddle"),
)
"""PrintProof beside itself: with what a recipe may know of its images, and with its other bundles."""


def interpreter(peer: Peer, report: Callable[[str], None]) -> Path:
    """The Python of a peer's environment, which is made on first use and kept in the user's cache folder.

    Raises:
        EngineFailed: its packages cannot be installed.
    """
    if peer.lock is None:
        return Path(sys.executable)
    lock = _HERE / peer.lock
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
    folder = user_cache_path("printproof") / "peers" / f"{peer.name}-{digest}"
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists():
        report(f"{peer.name}: making its environment")
        venv.create(folder, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(lock)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
            raise EngineFailed(f"{peer.name}: its environment cannot be made: {said[-1]}")
        ready.touch()
    return python


class Worker:
    """A running worker process."""

    def __init__(self, peer: Peer, python: Path, weights_dir: Path) -> None:
        self.peer = peer
        command = [str(python), "-W", "ignore", str(_HERE / "workers" / peer.worker)]
        self._process = subprocess.Popen(  # noqa: S603
            [*command, str(weights_dir), peer.bundle, peer.known],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            self.runtime: str = self._answer()["runtime"]
        except EngineFailed:
            self.close()
            raise

    def read(self, image: Path) -> dict[str, Any]:
        assert self._process.stdin is not None  # noqa: S101 (a pipe was asked for)
        self._process.stdin.write(f"{image}\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101
        line = self._process.stdout.readline()
        if not line:
            raise EngineFailed(f"{self.peer.name}: its worker ended with status {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process: its input is closed, so it stops after what it is at."""
        self._process.communicate(timeout=60)

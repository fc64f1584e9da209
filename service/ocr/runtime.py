"""What the reader needs of an inference runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Batch = NDArray[np.float32]
T = TypeVar("T")


class Network(Protocol):
    """One loaded network. Not thread-safe: only the thread that loaded it may call it."""

    def run(self, batch: Batch) -> Batch:
        """`batch` is N x 3 x H x W; the answer is the network's one output, its first axis N.

        Raises:
            EngineFailed: the runtime raised, or the answer does not have N entries.
        """
        ...

    def run_all(self, batches: Sequence[Batch], finish: Callable[[Batch], T]) -> list[T]:
        """Run several batches, where it pays on several cores at once, and return what `finish` makes of each answer.

        `finish` is called on the thread that computed the answer, so that a large answer need not outlive it.

        Raises:
            EngineFailed: as `run`, for any of them.
        """
        ...


class Runtime(Protocol):
    """Loads networks onto one device."""

    name: str
    """`onnxruntime` or `paddle`, with its version: what a stored result was read by."""
    device: str
    """`cpu` or `gpu`: where the networks really run."""

    def load(self, files: list[Path], *, many_small: bool = False) -> Network:
        """`files` are those of one task, program first; `many_small` says that many small batches come at once.

        Raises:
            RuntimeUnavailable, DeviceUnavailable: the runtime cannot load them, or not on the device demanded.
        """
        ...

    def characters(self, recognition_files: list[Path]) -> list[str]:
        """The character list that a recognition network carries in its own metadata, empty if it carries none."""
        ...

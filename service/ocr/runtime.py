"""What the reader needs of an inference runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


class Network(Protocol):
    """One loaded network. Not thread-safe: only the thread that loaded it may call it."""

    def run(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """`batch` is N x 3 x H x W; the answer is the network's one output, its first axis N.

        Raises:
            EngineFailed: the runtime raised, or the answer does not have N entries.
        """
        ...


class Runtime(Protocol):
    """Loads networks onto one device."""

    name: str
    """`onnx` or `paddle`, with its version: what a stored result was read by."""
    device: str
    """`cpu` or `gpu`: where the networks really run."""

    def load(self, files: list[Path]) -> Network:
        """`files` are those of one task, program first.

        Raises:
            RuntimeUnavailable: the runtime cannot load them.
        """
        ...

    def characters(self, recognition_files: list[Path]) -> list[str]:
        """The character list that a recognition network carries in its own metadata, empty if it carries none."""
        ...

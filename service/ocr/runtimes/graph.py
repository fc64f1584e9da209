"""ONNX files as they come, made ready for a processor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from service.errors import RuntimeUnavailable

if TYPE_CHECKING:
    from pathlib import Path

# The smallest normal float32 is 1.2e-38. Products of weights near it and activations are subnormal too, and far below
# what any output can show.
NEGLIGIBLE: Final = np.float32(1e-30)


def _package() -> Any:
    try:
        import onnx  # noqa: PLC0415
    except ImportError as error:
        raise RuntimeUnavailable(
            f"ONNX files cannot be prepared ({error}); run: pip install 'printproof[onnx]'"
        ) from None
    return onnx


def without_subnormals(network: Path) -> bytes:
    """The network with every weight below `NEGLIGIBLE` set to zero.

    Training with weight decay leaves dead channels behind, whose weights shrink for ever: a quarter of a million of
    PP-OCRv6 small's detection weights are subnormal. A processor that handles such numbers in microcode (Intel's)
    spends two thirds of the network's time on them.
    """
    onnx = _package()
    model = onnx.load(network)
    for weights in model.graph.initializer:
        if weights.data_type != onnx.TensorProto.FLOAT:
            continue
        values = onnx.numpy_helper.to_array(weights)
        negligible = (values != 0) & (np.abs(values) < NEGLIGIBLE)
        if negligible.any():
            weights.CopyFrom(onnx.numpy_helper.from_array(np.where(negligible, 0, values), weights.name))
    prepared: bytes = model.SerializeToString()
    return prepared


def read_characters(network: Path) -> list[str]:
    """The `character` entry of a PP-OCR recognition network's metadata, one character a line; empty if there is none."""
    listed = {entry.key: entry.value for entry in _package().load(network).metadata_props}.get(
        "character", ""
    )
    return listed.split("\n") if listed else []

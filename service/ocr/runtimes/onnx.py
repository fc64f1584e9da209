"""ONNX Runtime: CPU, and CUDA where its GPU build is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from service.errors import DeviceUnavailable, EngineFailed, RuntimeUnavailable
from service.ocr.runtime import Batch, T
from service.ocr.runtimes.graph import read_characters, without_subnormals

if TYPE_CHECKING:
    from pathlib import Path

_PROVIDERS = {
    "cpu": ["CPUExecutionProvider"],
    # The exhaustive search that is the default stalls for seconds on each new shape.
    "gpu": [("CUDAExecutionProvider", {"cudnn_conv_algo_search": "HEURISTIC"}), "CPUExecutionProvider"],
}


def _package() -> Any:
    try:
        import onnxruntime  # noqa: PLC0415
    except ImportError as error:
        raise RuntimeUnavailable(
            f"ONNX Runtime cannot be imported ({error}); run: pip install 'printproof[onnx]'"
        ) from None
    # 3 is errors: its warnings are about details of graphs that nobody here can act on.
    onnxruntime.set_default_logger_severity(3)
    return onnxruntime


def gpu_obstacle() -> str | None:
    """Why this runtime cannot use a GPU here, None if it can."""
    package = _package()
    if "CUDAExecutionProvider" not in package.get_available_providers():
        return "the installed ONNX Runtime is its CPU build (the GPU build is: pip install 'printproof[onnx-gpu]')"
    if not _cuda_devices():
        return (
            "no CUDA device is visible (look at nvidia-smi, CUDA_VISIBLE_DEVICES and the container's --gpus)"
        )
    return None


def _cuda_devices() -> int:
    import ctypes  # noqa: PLC0415

    # The provider is listed whenever it was built in; only the driver knows whether there is a card.
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


class OnnxRuntime:
    """See `service.ocr.runtime.Runtime`; `demanded` says that the device must not be another one."""

    def __init__(self, device: str, threads: int, *, demanded: bool) -> None:
        self._demanded = demanded
        self._package = _package()
        self.name = f"onnxruntime {self._package.__version__}"
        self.device = device
        self._threads = threads

    def load(self, files: list[Path], *, many_small: bool = False) -> OnnxNetwork:
        # Small batches leave much of a second core idle: one core each, several at once, is about a quarter faster.
        spread = self._threads if many_small and self.device == "cpu" else 1
        options = self._package.SessionOptions()
        options.intra_op_num_threads = 1 if spread > 1 else self._threads
        options.inter_op_num_threads = 1
        try:
            session = self._package.InferenceSession(
                without_subnormals(files[0]), options, providers=_PROVIDERS[self.device]
            )
        except Exception as error:  # the package raises bare classes of its own C++ module
            raise RuntimeUnavailable(f"ONNX Runtime cannot load {files[0]}: {error}") from error
        if self.device == "gpu" and "CUDAExecutionProvider" not in session.get_providers():
            # It falls back by itself and only logs: the libraries of CUDA or cuDNN were not found.
            if self._demanded:
                raise DeviceUnavailable(
                    "PRINTPROOF_ENGINE__DEVICE=gpu, but ONNX Runtime fell back to the CPU: "
                    "its CUDA or cuDNN libraries cannot be loaded"
                )
            self.device = "cpu"
        return OnnxNetwork(session, spread)

    def characters(self, recognition_files: list[Path]) -> list[str]:
        return read_characters(recognition_files[0])


class OnnxNetwork:
    """See `service.ocr.runtime.Network`. An ONNX Runtime session, unlike others, may run on several threads at once."""

    def __init__(self, session: Any, spread: int) -> None:
        self._session = session
        self._input = session.get_inputs()[0].name
        self._pool = ThreadPoolExecutor(spread, "onnx") if spread > 1 else None

    def run(self, batch: Batch) -> Batch:
        try:
            (answer,) = self._session.run(None, {self._input: batch})
        except Exception as error:
            raise EngineFailed(f"ONNX Runtime failed: {error}") from error
        if len(answer) != len(batch):
            raise EngineFailed(f"ONNX Runtime answered {len(answer)} entries for {len(batch)}")
        return np.asarray(answer, np.float32)

    def run_all(self, batches: Sequence[Batch], finish: Callable[[Batch], T]) -> list[T]:
        if self._pool is None or len(batches) < 2:
            return [finish(self.run(batch)) for batch in batches]
        # The largest first, so that no core is left with one of them at the end.
        largest_first = sorted(range(len(batches)), key=lambda index: -batches[index].size)
        started = {
            index: self._pool.submit(lambda batch: finish(self.run(batch)), batches[index])
            for index in largest_first
        }
        return [started[index].result() for index in range(len(batches))]

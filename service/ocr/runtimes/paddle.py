"""Paddle Inference: CPU with oneDNN; GPU, and its TensorRT option, by setting.

The GPU path and its TensorRT option are written after Paddle's documentation and have not been run on a GPU by this
project: the builds that Hopper needs come only with Paddle's own images.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from service.errors import EngineFailed, RuntimeUnavailable
from service.ocr.runtime import Batch, T

if TYPE_CHECKING:
    from pathlib import Path


# oneDNN compiles its kernels for each input shape and by default forgets them after ten: crops of twenty widths then take
# 55 ms each instead of 26. Crops have 50 widths at most (3200 in steps of 64).
_ONEDNN_SHAPES = 64
_GPU_MEMORY_MB = 512  # the pool's first size; it grows (FLAGS_fraction_of_gpu_memory_to_use bounds it)


def _package() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it misses a compiler cache that inference has no use for
            import paddle  # noqa: PLC0415
            import paddle.inference  # noqa: PLC0415
    except ImportError as error:
        raise RuntimeUnavailable(
            f"Paddle cannot be imported ({error}); run: pip install 'printproof[paddle]'"
        ) from None
    return paddle


def gpu_obstacle() -> str | None:
    """Why this runtime cannot use a GPU here, None if it can."""
    paddle = _package()
    if not paddle.device.is_compiled_with_cuda():
        return "the installed Paddle is its CPU build (see docs/engine.md for the GPU builds)"
    if paddle.device.cuda.device_count() < 1:
        return (
            "no CUDA device is visible (look at nvidia-smi, CUDA_VISIBLE_DEVICES and the container's --gpus)"
        )
    return None


class PaddleRuntime:
    """See `service.ocr.runtime.Runtime`."""

    def __init__(self, device: str, threads: int, *, tensorrt: bool) -> None:
        self._package = _package()
        self.name = f"paddle {self._package.__version__}"
        self.device = device
        self._threads = threads
        self._tensorrt = tensorrt

    def load(self, files: list[Path], *, many_small: bool = False) -> PaddleNetwork:
        inference = self._package.inference
        program, parameters = files
        config = inference.Config(str(program), str(parameters))
        config.disable_glog_info()
        # Paddle 3.3 refuses or fails PIR programs (.json) with memory optimisation after another predictor, and with
        # oneDNN ("ConvertPirAttribute2RuntimeAttribute not support").
        is_pir = program.suffix == ".json"
        config.switch_ir_optim(True)
        config.enable_memory_optim(not is_pir)
        if self.device == "gpu":
            config.enable_use_gpu(_GPU_MEMORY_MB, 0)
            if self._tensorrt:
                config.enable_tensorrt_engine(
                    workspace_size=1 << 30,
                    max_batch_size=8,
                    min_subgraph_size=5,
                    precision_mode=inference.PrecisionType.Half,
                )
        else:
            config.set_cpu_math_library_num_threads(self._threads)
            if is_pir:
                config.disable_mkldnn()
            else:
                config.enable_mkldnn()
                if many_small:
                    config.set_mkldnn_cache_capacity(_ONEDNN_SHAPES)
        try:
            predictor = inference.create_predictor(config)
        except Exception as error:  # a bare RuntimeError or a class of Paddle's C++ module
            raise RuntimeUnavailable(f"Paddle cannot load {program}: {error}") from error
        return PaddleNetwork(predictor)

    def characters(self, recognition_files: list[Path]) -> list[str]:  # noqa: ARG002 (Paddle programs carry none)
        return []


class PaddleNetwork:
    """See `service.ocr.runtime.Network`."""

    def __init__(self, predictor: Any) -> None:
        self._predictor = predictor
        self._input = predictor.get_input_handle(predictor.get_input_names()[0])
        self._output = predictor.get_output_handle(predictor.get_output_names()[0])

    def run(self, batch: Batch) -> Batch:
        try:
            self._input.copy_from_cpu(np.ascontiguousarray(batch, np.float32))
            self._predictor.run()
            answer = self._output.copy_to_cpu()
        except Exception as error:
            raise EngineFailed(f"Paddle failed: {error}") from error
        if len(answer) != len(batch):
            raise EngineFailed(f"Paddle answered {len(answer)} entries for {len(batch)}")
        return np.asarray(answer, np.float32)

    def run_all(self, batches: Sequence[Batch], finish: Callable[[Batch], T]) -> list[T]:
        return [finish(self.run(batch)) for batch in batches]

"""The runtimes there are, and the choice of one: the form of the weights decides which, the setting which device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.errors import DeviceUnavailable, SettingsInvalid

if TYPE_CHECKING:
    from service.ocr.runtime import Runtime
    from service.ocr.weights import Bundle
    from service.settings import EngineSettings


def create_runtime(bundle: Bundle, settings: EngineSettings, cores: int) -> Runtime:
    """The runtime for a bundle, on the device that the setting allows.

    `device: auto` takes a GPU where the installed runtime can use one; the caller compares `Runtime.device` with the
    setting to report a fallback.

    Raises:
        RuntimeUnavailable: its package is not installed.
        DeviceUnavailable: `device: gpu`, and there is none that the runtime can use.
        SettingsInvalid: TensorRT is asked of a runtime or device that does not have it.
    """
    if bundle.form == "paddle":
        from service.ocr.runtimes.paddle import PaddleRuntime, gpu_obstacle  # noqa: PLC0415 (heavy, optional)
    else:
        from service.ocr.runtimes.onnx import OnnxRuntime, gpu_obstacle  # noqa: PLC0415

    obstacle = None if settings.device == "cpu" else gpu_obstacle()
    demanded = settings.device == "gpu"
    if demanded and obstacle is not None:
        raise DeviceUnavailable(f"PRINTPROOF_ENGINE__DEVICE=gpu, but {obstacle}")
    device = "cpu" if settings.device == "cpu" or obstacle is not None else "gpu"
    if settings.tensorrt and (bundle.form != "paddle" or device != "gpu"):
        raise SettingsInvalid("PRINTPROOF_ENGINE__TENSORRT: only Paddle bundles on a GPU have this option")
    threads = settings.threads or cores
    if bundle.form == "paddle":
        return PaddleRuntime(device, threads, tensorrt=settings.tensorrt)
    return OnnxRuntime(device, threads, demanded=demanded)

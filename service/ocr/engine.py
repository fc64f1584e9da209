"""From settings to a reader that has shown that it reads."""

from __future__ import annotations

from pathlib import Path

from service.ocr import weights
from service.ocr.cores import granted_cores
from service.ocr.reader import Reader
from service.ocr.runtimes import create_runtime
from service.settings import EngineSettings


class EngineSource:
    """Everything about an engine that can be known before its networks are loaded; loading is for its own thread.

    Raises:
        ConfigurationError: the bundle, one of its files, the runtime or the device is not there.
    """

    def __init__(self, settings: EngineSettings, weights_dir: Path) -> None:
        self._settings = settings
        self._weights_dir = weights_dir
        self._bundle = weights.find_bundle(settings.bundle)
        weights.verify(self._bundle, weights_dir)
        self._runtime = create_runtime(self._bundle, settings, granted_cores())

    def load(self) -> Reader:
        """Load the networks and read the built-in sample.

        Raises:
            RuntimeUnavailable, DeviceUnavailable: the runtime cannot load them, or not on the device demanded.
            EngineFailed: the sample is read wrongly.
        """
        reader = Reader(self._bundle, self._weights_dir, self._runtime, device=self._settings.device)
        reader.check()
        return reader

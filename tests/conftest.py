from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.ocr.engine import EngineSource
from service.ocr.reader import Reader
from service.samples.generator import Sample, make_samples
from service.settings import EngineSettings, Settings
from tests.postgresql import PostgreSQL, running_server

PHOTOGRAPHS = Path(__file__).resolve().parents[2] / "shared" / "data"
"""Real photographs for evaluation; they are not part of the project, and tests that need them skip without them."""


@pytest.fixture(autouse=True, scope="session")
def _no_settings_from_outside() -> None:
    """Tests set what they need; only the place of the weights may come from outside."""
    for name in [
        name for name in os.environ if name.startswith("PRINTPROOF_") and name != "PRINTPROOF_WEIGHTS_DIR"
    ]:
        del os.environ[name]


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def weights_dir() -> Path:
    return Settings().weights_dir


@pytest.fixture(scope="session")
def reader(weights_dir: Path) -> Reader:
    """The default engine."""
    return EngineSource(EngineSettings(device="cpu"), weights_dir).load()


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Sample]]:
    """Folder and truth of sample labels: six good ones and each defect."""
    folder = tmp_path_factory.mktemp("samples")
    return folder, make_samples(folder, seed=42, count=12)


@pytest.fixture(scope="session")
def good(samples: tuple[Path, list[Sample]]) -> tuple[bytes, Sample]:
    """Image and truth of a label that passes."""
    folder, truth = samples
    sample = next(sample for sample in truth if sample.defect is None)
    return (folder / sample.file).read_bytes(), sample

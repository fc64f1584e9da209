"""The weight catalogue and the check that a bundle on disk is exactly what the catalogue says."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

import yaml
from pydantic import BaseModel, ConfigDict, model_validator

from service.errors import BundleUnknown, WeightsAltered, WeightsMissing

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Self

Task = Literal["detection", "recognition", "characters"]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WeightFile(_Entry):
    """One file of a bundle: `member` is its path inside the source."""

    task: Task
    member: str
    sha256: str


class Source(_Entry):
    """A wheel of the package index, pinned by hash."""

    distribution: str
    version: str
    sha256: str


class DetectionInput(_Entry):
    """What the detection network was trained on, and how its probability map becomes boxes."""

    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    threshold: float
    box_threshold: float
    unclip_ratio: float


class RecognitionInput(_Entry):
    """How a text crop is fed: its height, and what its width is rounded up to, in pixels.

    The padding of a crop thus depends on the crop alone, and shapes stay few. `characters` says where the character
    list is: a file, or the network's own metadata.
    """

    height: int
    width_multiple: int
    characters: str


class Bundle(_Entry):
    """Weights that belong together: detection, recognition and the characters they know."""

    name: str
    title: str
    form: Literal["onnx", "paddle"]
    licence: str
    source: Source | None = None
    converted_from: str | None = None
    files: dict[str, WeightFile]
    detection: DetectionInput
    recognition: RecognitionInput

    @model_validator(mode="after")
    def _has_one_origin(self) -> Self:
        if (self.source is None) == (self.converted_from is None):
            raise ValueError("a bundle has either a source or converted_from")
        return self

    @property
    def sha256(self) -> str:
        """One hash over all files; stored with each result, so that it can be replayed."""
        listed = "".join(f"{name}:{file.sha256}\n" for name, file in sorted(self.files.items()))
        return hashlib.sha256(listed.encode()).hexdigest()

    def paths(self, task: Task, weights_dir: Path) -> list[Path]:
        """Files of one task in catalogue order (program before parameters)."""
        return [weights_dir / self.name / name for name, file in self.files.items() if file.task == task]


@cache
def catalogue() -> dict[str, Bundle]:
    """All bundles by name, as `models/catalogue.yaml` lists them."""
    listed = yaml.safe_load(files("models").joinpath("catalogue.yaml").read_text("utf-8"))["bundles"]
    return {name: Bundle(name=name, **entry) for name, entry in listed.items()}


def find_bundle(name: str) -> Bundle:
    """Raises BundleUnknown, naming those that exist."""
    bundle = catalogue().get(name)
    if bundle is None:
        raise BundleUnknown(f"there is no weight bundle {name!r}; known are: {', '.join(catalogue())}")
    return bundle


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def verify(bundle: Bundle, weights_dir: Path) -> None:
    """Hash every file of a bundle.

    Raises:
        WeightsMissing, WeightsAltered: one line that names the file and the command that mends it.
    """
    remedy = f"run: printproof models pull {bundle.name}"
    for name, file in bundle.files.items():
        path = weights_dir / bundle.name / name
        if not path.is_file():
            raise WeightsMissing(f"weights missing: {path}; {remedy}")
        if sha256_of(path) != file.sha256:
            raise WeightsAltered(f"weights altered, the hash differs: {path}; {remedy}")

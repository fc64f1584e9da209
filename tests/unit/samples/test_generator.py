from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.recipes.files import load_folder
from service.samples import dotmatrix
from service.samples.generator import DEFECTS, make_samples
from tests.labels import for_part


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    make_samples(tmp_path / "a", seed=5, count=6)
    make_samples(tmp_path / "b", seed=5, count=6)
    make_samples(tmp_path / "c", seed=6, count=6)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert contents(tmp_path / "a") != contents(tmp_path / "c")


def test_a_larger_count_only_adds(tmp_path: Path) -> None:
    make_samples(tmp_path / "few", seed=5, count=3)
    make_samples(tmp_path / "more", seed=5, count=5)
    for name, data in contents(tmp_path / "few").items():
        if name.endswith(".jpg"):
            assert (tmp_path / "more" / name).read_bytes() == data


def test_truth(tmp_path: Path) -> None:
    samples = make_samples(tmp_path, seed=1, count=90)
    assert {sample.defect for sample in samples} == {None, *DEFECTS}
    written = [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text("utf-8").splitlines()]
    assert [entry["file"] for entry in written] == [sample.file for sample in samples]
    recipes = {recipe.name: recipe for recipe, _ in load_folder(tmp_path / "recipes")}
    for sample in samples:
        resolved = for_part(recipes[sample.recipe], sample.expected)
        printed = "".join("".join(sample.lines).split())
        wanted = [("".join((field.prefix + (field.expect or "")).split())) for field in resolved.fields]
        whole = all(text in printed for text in wanted)
        assert whole is (sample.defect in {None, "smeared", "cut_off"}), sample


def test_dot_matrix_glyphs_are_five_by_seven() -> None:
    mask = dotmatrix.draw("L1", 70)
    assert mask.size == (120, 70)
    with pytest.raises(KeyError):
        dotmatrix.draw("é", 70)

"""The README's commands, as they stand there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from service.recipes.files import parse_recipe
from service.samples.generator import make_samples
from tests.e2e.conftest import serving

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(page: str, language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed here")
def test_the_first_curl_gets_a_pass(tmp_path: Path) -> None:
    """On the labels that `make demo` leaves in .demo/samples."""
    make_samples(tmp_path / ".demo" / "samples", seed=42, count=1)
    (command,) = [block for block in blocks(README, "") if block.startswith("curl ")]
    recipes = tmp_path / ".demo" / "samples" / "recipes"
    with serving(tmp_path / "data", recipes, PRINTPROOF_ACCESS__OPEN="true") as server:
        command = command.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout)["verdict"] == "PASS"


@pytest.mark.parametrize("page", ["README.md", "docs/recipes.md"])
def test_the_recipes_are_recipes(page: str) -> None:
    recipes = [parse_recipe(text, page).name for text in blocks((ROOT / page).read_text("utf-8"), "yaml")]
    assert recipes[0] == "milk-1l"

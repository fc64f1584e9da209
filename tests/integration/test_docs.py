"""The documentation is a contract: everything a user can meet stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from prometheus_client import Counter, Gauge, Histogram

from service import errors
from service.api import problems
from service.cli import app
from service.matching.outcome import VERDICTS, CharState, DefectCode, Outcome
from service.observability import metrics
from service.settings import variables
from tests.contract import openapi

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def first_cells(page: str) -> set[str]:
    """Words in the first column of the page's tables."""
    rows = re.findall(r"^\|(.+?)\|", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    return {word for row in rows for word in re.findall(r"[A-Za-z_-]+", row)}


def test_settings() -> None:
    text = (DOCS / "settings.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)`", text, re.MULTILINE)) == set(variables())


def kinds(base: type[errors.PrintProofError]) -> Iterator[type[errors.PrintProofError]]:
    for kind in base.__subclasses__():
        if not kind.__subclasses__():
            yield kind
        yield from kinds(kind)


def test_errors() -> None:
    text = (DOCS / "errors.md").read_text("utf-8")
    documented = set(re.findall(r"`([a-z_]+)`", text))
    codes = [kind.code for kind in kinds(errors.PrintProofError)]
    assert len(codes) == len(set(codes))
    assert set(codes) <= documented
    for kind in kinds(errors.PrintProofError):
        if not issubclass(kind, errors.ConfigurationError | errors.RecipeInvalid):
            assert f"| {problems.status_of(kind).value} | `{kind.code}` |" in text, kind


def test_metrics() -> None:
    names = set()
    for metric in vars(metrics).values():
        if isinstance(metric, Counter | Gauge | Histogram):
            (family,) = metric.describe()
            names.add(family.name + ("_total" if isinstance(metric, Counter) else ""))
    text = (DOCS / "metrics.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)`", text, re.MULTILINE)) == names


def test_outcomes_states_and_defects() -> None:
    cells = first_cells("verdicts.md")
    for name in (*Outcome, *CharState, *DefectCode):
        assert name.value in cells
    text = (DOCS / "verdicts.md").read_text("utf-8")
    for outcome, verdict in VERDICTS.items():
        assert re.search(rf"^\| {outcome.value} \|.*\| {verdict.value} \|$", text, re.MULTILINE), outcome


def commands(command: Any, name: str) -> Iterator[str]:
    for sub in getattr(command, "commands", {}).values():
        yield from commands(sub, f"{name} {sub.name}")
    if not hasattr(command, "commands"):
        yield name


def test_commands() -> None:
    text = (DOCS / "cli.md").read_text("utf-8")
    for name in commands(typer.main.get_command(app), "printproof"):
        assert f"| `{name}" in text, name


def test_openapi() -> None:
    assert (DOCS / "openapi.json").read_text("utf-8") == openapi(), "run: make openapi"


def test_make_targets_of_the_pages_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in (ROOT / "README.md", *DOCS.rglob("*.md")):
        for name in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text("utf-8"), re.MULTILINE):
            assert name in targets, (page, name)


def test_no_lock_file_holds_an_address() -> None:
    for lock in (*ROOT.glob("*.lock"), *(ROOT / "models").glob("*.lock")):
        text = lock.read_text("utf-8")
        assert "://" not in text
        assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\w)", text.strip()))


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))],
    ids=lambda page: page.name,
)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert not anchor or anchor in headings(linked), target


def headings(page: Path) -> set[str]:
    """Anchors of a page's headings, as code hosts make them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}

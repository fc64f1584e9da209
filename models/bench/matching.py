"""The comparison by itself: how long it takes on labels of growing size, beside what a home-made script does.

The peer is rapidfuzz (the usual choice for that): for each field the best `partial_ratio` over all lines, accepted from 90
on. It is timed in the same rounds, and given the same labels with one wrong character to see what it lets pass.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from rapidfuzz import fuzz

from service.matching.outcome import Verdict
from service.matching.verdict import evaluate
from service.ocr.text import CharScore, TextLine
from service.recipes.files import parse_recipe
from service.recipes.recipe import Recipe

SIZES: Final = (10, 40, 100, 200)
ACCEPTED: Final = 90
WRONG: Final = "34679AEHKLMRTX"
WORDS: Final = [
    "KEEP",
    "REFRIGERATED",
    "STORE",
    "COOL",
    "DRY",
    "PLACE",
    "ORGANIC",
    "FULL",
    "CREAM",
    "MILK",
    "FAT",
    "PROTEIN",
    "ENERGY",
    "SALT",
    "SUGAR",
    "CONTAINS",
    "PRODUCT",
    "OF",
    "SHAKE",
    "BEFORE",
    "USE",
    "SERVING",
    "SUGGESTION",
    "NUTRITION",
    "TYPICAL",
    "VALUES",
    "PER",
    "100",
    "ML",
    "CARBOHYDRATE",
    "FIBRE",
    "SODIUM",
    "CALCIUM",
    "VITAMIN",
]
RECIPE: Final = """
recipe: bench
fields:
  - {name: brand, expect: "ALPENGLOW"}
  - {name: net, expect: "500 ml"}
  - {name: lot, prefix: "LOT", pattern: "L{digit:6}{letter}", expect: "L240817B"}
  - {name: best_before, prefix: "BEST BEFORE", expect: "03/04/27", date: {format: "DD/MM/YY"}}
  - {name: made, prefix: "MFD", expect: "01.02.2026", date: {format: "DD.MM.YYYY"}}
  - {name: serial, expect: "SN123456", regex: "SN[0-9]{4,8}"}
  - {name: code, expect: "8709 2221 6898"}
  - {name: plant, expect: "1234-AB", pattern: "{digit:4}-{letter:2}"}
  - {name: advice, expect: "SERVE WELL CHILLED"}
  - {name: origin, expect: "MADE IN AUSTRIA"}
"""


@dataclass(frozen=True, slots=True)
class Case:
    """Median milliseconds of both, and how many of the labels they passed."""

    lines: int
    labels: str
    ours_ms: float
    peer_ms: float
    ours_passed: int
    peer_passed: int
    count: int


def run(rounds: int) -> list[Case]:
    """Alternating rounds over twenty labels of each kind and size; the first round is not counted."""
    recipe = parse_recipe(RECIPE, "bench")
    return [
        _measure(recipe, size, name, spoil, rounds)
        for size in SIZES
        for name, spoil in (("right", None), ("one wrong character", _one_wrong), ("nothing of it", _nothing))
    ]


def table(cases: Sequence[Case]) -> str:
    rows = [
        "| lines | labels | PrintProof ms | rapidfuzz script ms | time against it | passed | the script passed |",
        "|---|---|---|---|---|---|---|",
    ]
    rows += [
        f"| {case.lines} | {case.labels} | {case.ours_ms:.2f} | {case.peer_ms:.2f} | {case.ours_ms / case.peer_ms:.2f} "
        f"| {case.ours_passed} of {case.count} | {case.peer_passed} of {case.count} |"
        for case in cases
    ]
    return "\n".join(rows)


Spoil = Callable[[list[str], Random], list[str]]


def _measure(recipe: Recipe, size: int, name: str, spoil: Spoil | None, rounds: int) -> Case:
    labels = [_label(recipe, size, spoil, Random(f"{size}/{index}")) for index in range(20)]
    times: tuple[list[float], list[float]] = ([], [])
    passed = [0, 0]
    for round_ in range(rounds + 1):
        for which, judge in enumerate((_ours, _peer)):
            for label in labels:
                started = time.perf_counter()
                good = judge(recipe, label)
                spent = time.perf_counter() - started
                if round_:
                    times[which].append(1000 * spent)
                else:
                    passed[which] += good
    ours, peer = (statistics.median(one) for one in times)
    return Case(size, name, ours, peer, passed[0], passed[1], len(labels))


def _ours(recipe: Recipe, label: Sequence[TextLine]) -> bool:
    return evaluate(recipe, label).verdict is Verdict.PASS


def _peer(recipe: Recipe, label: Sequence[TextLine]) -> bool:
    return all(
        max(fuzz.partial_ratio(f"{field.prefix} {field.expect}".strip(), line.text) for line in label)
        >= ACCEPTED
        for field in recipe.fields
    )


def _label(recipe: Recipe, size: int, spoil: Spoil | None, random: Random) -> list[TextLine]:
    prints = [f"{field.prefix} {field.expect}".strip() for field in recipe.fields]
    texts = spoil(prints, random) if spoil else prints
    texts = texts + [" ".join(random.sample(WORDS, 3)) for _ in range(size - len(texts))]
    random.shuffle(texts)
    return [_line(text, row) for row, text in enumerate(texts)]


def _one_wrong(prints: list[str], random: Random) -> list[str]:
    """One character of one print is another, none that looks alike."""
    at = random.randrange(len(prints))
    text = prints[at]
    place = random.choice([index for index, char in enumerate(text) if char.isalnum()])
    other = random.choice([char for char in WRONG if char != text[place]])
    return [*prints[:at], text[:place] + other + text[place + 1 :], *prints[at + 1 :]]


def _nothing(_prints: list[str], _random: Random) -> list[str]:
    return []


def _line(text: str, row: int) -> TextLine:
    count, top = len(text), 40.0 * row
    chars = tuple(CharScore(char, 0.99, (), (index + 0.5) / count) for index, char in enumerate(text))
    box = ((0.0, top), (12.0 * count, top), (12.0 * count, top + 20), (0.0, top + 20))
    return TextLine(text, 0.99, box, chars)

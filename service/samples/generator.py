"""Seeded sample labels with their truth."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib.resources import files
from random import Random
from typing import TYPE_CHECKING, Final

import cv2

from service.samples import drawing
from service.samples.products import PRODUCTS, Line, Product

if TYPE_CHECKING:
    from pathlib import Path

DEFECTS: Final = ("missing_line", "wrong_date", "wrong_lot_character", "smeared", "cut_off")
_GOOD_SHARE: Final = 0.5
_JPEG_QUALITY: Final = 90
# Characters that stay clearly apart from each other, so that a wrong one is a fault and not a doubt.
_OTHERS: Final = {"digit": "34679", "letter": "AEHKLMRTX"}


@dataclass(frozen=True, slots=True)
class Sample:
    """Truth of one label: `lines` as printed, `expected` what the recipe is given, `defect` None if it is good."""

    file: str
    recipe: str
    expected: dict[str, str]
    lines: list[str]
    defect: str | None


def make_samples(out: Path, *, seed: int, count: int) -> list[Sample]:
    """Write `count` labels, `truth.jsonl` and `recipes/` into a folder. The same seed gives the same bytes,
    and a larger count only adds labels."""
    (out / "recipes").mkdir(parents=True, exist_ok=True)
    for recipe in files("service.samples").joinpath("recipes").iterdir():
        if recipe.name.endswith(".yaml"):
            (out / "recipes" / recipe.name).write_bytes(recipe.read_bytes())
    samples = [_make(out, Random(f"{seed}/{index}"), index) for index in range(count)]
    truth = "".join(json.dumps(asdict(sample), ensure_ascii=False) + "\n" for sample in samples)
    (out / "truth.jsonl").write_text(truth, "utf-8", newline="\n")
    return samples


def _make(out: Path, random: Random, index: int) -> Sample:
    product = PRODUCTS[index % len(PRODUCTS)]
    expected = product.values(random)
    defect = None if random.random() < _GOOD_SHARE else random.choice(DEFECTS)
    lines = _printed(product, expected, defect, random)
    label, boxes = drawing.draw_label(lines, random)
    if defect in {"smeared", "cut_off"}:
        struck = random.choice([at for at, line in enumerate(lines) if line.role != "fixed"])
        spoil = drawing.smear if defect == "smeared" else drawing.cut_off
        spoil(label, boxes[struck], random)
    name = f"{index:05d}.jpg"
    photo = drawing.photograph(label, random)
    _, encoded = cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    (out / name).write_bytes(encoded.tobytes())
    return Sample(name, product.recipe, expected, [line.text for line in lines], defect)


def _printed(product: Product, expected: dict[str, str], defect: str | None, random: Random) -> list[Line]:
    values = dict(expected)
    if defect == "wrong_lot_character":
        values["lot"] = _other_character(values["lot"], random)
    elif defect == "wrong_date":
        while values["best_before"] == expected["best_before"]:
            values["best_before"] = product.values(random)["best_before"]
    lines = product.printed(values)
    if defect == "missing_line":
        lines.remove(random.choice([line for line in lines if line.role != "fixed"]))
    return lines


def _other_character(text: str, random: Random) -> str:
    at = random.randrange(len(text))
    pool = _OTHERS["digit" if text[at].isdigit() else "letter"]
    return text[:at] + random.choice([char for char in pool if char != text[at]]) + text[at + 1 :]

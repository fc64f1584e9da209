"""Learns from good labels where each print stands and how it comes out, and writes that into the recipe."""

from __future__ import annotations

import io
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Final, TypeVar

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString as DoubleQuoted

from service.errors import SampleUnfit
from service.imaging.evidence import PrintMeasure
from service.imaging.frame import Frame
from service.imaging.ink import measure_print
from service.imaging.regions import Region
from service.matching.completeness import compare, print_faults
from service.matching.label import Label, hull, upright
from service.matching.placement import Registration, Size, register
from service.matching.search import find
from service.matching.verdict import evaluate
from service.ocr.text import Quad, TextLine
from service.recipes import template
from service.recipes.position import Near
from service.recipes.printing import PrintReference, PrintRule
from service.recipes.recipe import DateRule, Field, Recipe

TOLERANCE: Final = 0.02  # of the image, written beside a box that has been learnt

FEWEST: Final = 3
# What good samples may differ from the middle of all; their bands vary with what is printed.
LIKENESS: Final = PrintRule(min_row_ratio=0.4)

Node = TypeVar("Node", CommentedMap, CommentedSeq)


@dataclass(slots=True)
class Taught:
    """What the good samples have shown of one field.

    `boxes` holds one box for each sample that has it, as on the first; the other lists one entry for each line of print:
    on which sample (from 0), what it says, how it came out, and how much larger than on the first sample.
    """

    image_height: int
    boxes: list[Quad] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    measures: list[PrintMeasure] = field(default_factory=list)
    scales: list[float] = field(default_factory=list)

    def reference(self) -> PrintReference:
        """The middle of what was measured; of the bands across a print the least."""
        heights = [one.height_px / scale for one, scale in zip(self.measures, self.scales, strict=True)]
        inks: dict[str, list[float]] = {}
        for text, one in zip(self.texts, self.measures, strict=True):
            for char, ink in zip(text, one.ink, strict=True):
                if ink > 0:  # a mark that its neighbour has swallowed has taught nothing
                    inks.setdefault(char, []).append(ink / one.height_px**2)
        return PrintReference(
            height=round(statistics.median(heights) / self.image_height, 5),
            contrast=round(statistics.median(one.contrast for one in self.measures), 4),
            sharpness=round(statistics.median(one.sharpness for one in self.measures), 2),
            rows=tuple(round(min(band), 4) for band in self._bands()),
            ink=tuple((char, round(statistics.median(found), 4)) for char, found in sorted(inks.items())),
        )

    def odd_one(self) -> int | None:
        """The first sample that differs from the others as a bad print would; None if they are alike.

        It is held against the middle of all of them, so three samples are needed to tell which one is bad.
        """
        if len(self.measures) < FEWEST:
            return None
        middle = replace(self.reference(), rows=tuple(map(statistics.median, self._bands())))
        lines = zip(self.samples, self.measures, self.texts, self.scales, strict=True)
        for sample, measure, text, scale in lines:
            ratios, inks = compare(measure, text, middle, self.image_height, scale)
            if any(print_faults(ratios, text, inks, LIKENESS)):
                return sample
        return None

    def _bands(self) -> Iterator[tuple[float, ...]]:
        """The ink of each band on all lines."""
        return zip(*(one.rows for one in self.measures), strict=True)


def for_teaching(recipe: Recipe, given: Mapping[str, str]) -> Recipe:
    """The recipe with what varies from sample to sample left open: values that were not given, dates, places.

    Raises:
        SampleUnfit: a field expects a value that was not given, and has no rule that could stand for it.
    """
    fields = []
    for one in recipe.fields:
        if one.barcode is not None:
            continue
        names = [name for name, _ in template.placeholders(one.expect or "")]
        open_ = [name for name in names if name not in given and name not in recipe.product]
        if open_ and not (one.pattern or one.regex or one.date):
            raise SampleUnfit(
                f"field {one.name} expects {', '.join(open_)}: give --expected, or a pattern beside it"
            )
        date = DateRule(one.date.format, one.date.months) if one.date else None
        expect = None if open_ else one.expect
        fields.append(replace(one, expect=expect, date=date, near=None, print=None))
    return replace(recipe, fields=tuple(fields), anchors=(), quality=None)


class Lesson:
    """Takes in good samples, one after the other."""

    def __init__(self, recipe: Recipe, anchors: Sequence[str], size: Size) -> None:
        """`recipe` is resolved, `anchors` name the fields that the label is registered by, `size` is that of all images."""
        self._recipe, self._anchors, self.size = recipe, anchors, size
        self.taught: dict[str, Taught] = {}
        self._taken = 0

    def take(self, frame: Frame, lines: Sequence[TextLine]) -> None:
        """Learn from one image.

        Raises:
            SampleUnfit: it does not pass, so it is no good sample; or it is of another size.
        """
        if (frame.width, frame.height) != (self.size.width, self.size.height):
            raise SampleUnfit(
                f"it is {frame.width} x {frame.height}, the first one {self.size.width} x {self.size.height}"
            )
        evaluation = evaluate(self._recipe, lines)
        if evaluation.defects:
            faults = (
                f"{defect.field or 'label'}: {defect.code.value}: {defect.detail}"
                for defect in evaluation.defects
            )
            raise SampleUnfit("it is no good sample; " + "; ".join(faults))
        label = Label(lines)
        found = find(self._recipe.fields, label, self._recipe.confusables).fields
        spans = {
            name: [(place.first, place.last) for copy in one.copies for place in copy if place]
            for name, one in found.items()
        }
        boxes = {name: hull([label.box(*span) for span in ones]) for name, ones in spans.items() if ones}
        stand = {name: (box, label.degrees(spans[name][0][0])) for name, box in boxes.items()}
        registration = self._registration(stand)
        for name, box in boxes.items():
            self._learn(name, box, spans[name], label, frame, registration)
        self._taken += 1

    def _registration(self, stand: Mapping[str, tuple[Quad, float]]) -> Registration:
        """How this sample lies as seen from the first one."""
        fields = [
            Field(name, near=Near(_region(self.taught[name].boxes[0], self.size)))
            for name in self._anchors
            if name in self.taught
        ]
        if not fields:
            return Registration()
        first = replace(self._recipe, fields=tuple(fields), anchors=tuple(one.name for one in fields))
        return register(first, stand, self.size)

    def _learn(
        self,
        name: str,
        box: Quad,
        spans: Sequence[tuple[int, int]],
        label: Label,
        frame: Frame,
        registration: Registration,
    ) -> None:
        taught = self.taught.setdefault(name, Taught(self.size.height))
        back = [registration.back(x, y) for x, y in box]
        taught.boxes.append(tuple((one.real, one.imag) for one in back))  # type: ignore[arg-type]  # 4 x 2
        for span in spans:
            for part in label.parts(*span):
                text, places = part.inked()
                taught.samples.append(self._taken)
                taught.texts.append(text)
                taught.measures.append(measure_print(frame.pixels, part.box, places))
                taught.scales.append(abs(registration.turn))


def odd_samples(lesson: Lesson) -> dict[str, int]:
    """Fields, and the number of the first sample (from 0) on which their print differs from that on the others."""
    found = {name: taught.odd_one() for name, taught in lesson.taught.items()}
    return {name: sample for name, sample in found.items() if sample is not None}


def write_taught(source: str, recipe: Recipe, lesson: Lesson) -> str:
    """The recipe's text with `near` and `print` of every field that was taught; a comment may move behind them."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 120
    yaml.indent(mapping=2, sequence=4, offset=2)
    document = yaml.load(source)
    for entry, one in zip(document["fields"], recipe.fields, strict=True):
        taught = lesson.taught.get(one.name)
        if taught is not None:
            if (one.near is None or one.near.box is None) and one.repeat[0] == 1:
                near = entry.get("near") or CommentedMap()
                near.update(_near(taught, lesson.size))
                entry["near"] = near
            entry["print"] = _print(replace(one.print or PrintRule(), reference=taught.reference()))
    out = io.StringIO()
    yaml.dump(document, out)
    return out.getvalue()


def _near(taught: Taught, size: Size) -> CommentedMap:
    region = _region(upright(taught.boxes), size)
    # Rounded down: what is rounded up may reach beyond the image.
    sides = [
        math.floor(side * 10_000) / 10_000 for side in (region.left, region.top, region.width, region.height)
    ]
    return CommentedMap(box=_flow(CommentedSeq(sides)), tolerance=TOLERANCE)


def _print(rule: PrintRule) -> CommentedMap:
    values = asdict(rule)
    reference = values.pop("reference")
    reference["rows"] = _flow(CommentedSeq(reference["rows"]))
    # Quoted: 1 is a character here, no number.
    reference["ink"] = _flow(CommentedMap((DoubleQuoted(char), ink) for char, ink in reference["ink"]))
    return CommentedMap({**values, "reference": CommentedMap(reference)})


def _flow(node: Node) -> Node:
    """Written on one line."""
    node.fa.set_flow_style()
    return node


def _region(box: Quad, size: Size) -> Region:
    (left, top), _, (right, bottom), _ = upright([box])
    left, top = max(0.0, left / size.width), max(0.0, top / size.height)
    return Region(
        left, top, min(1 - left, right / size.width - left), min(1 - top, bottom / size.height - top)
    )

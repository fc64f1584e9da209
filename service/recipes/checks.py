"""Faults of a recipe that its keys alone do not show: rules that contradict each other or can never be met."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, pairwise
from typing import Final
from zoneinfo import ZoneInfo

from biip import ParseError
from biip.gs1_application_identifiers import GS1ApplicationIdentifier

from service.recipes import template
from service.recipes.codes import ANY, element_fault
from service.recipes.codes import DATES as DATE_IDENTIFIERS
from service.recipes.dates import GS1, date_template
from service.recipes.document import Path_
from service.recipes.production import PRODUCTION_DATE, SHIFT, date_expression
from service.recipes.regex import compile_regex
from service.recipes.schema import (
    BarcodeFile,
    DateFile,
    FieldFile,
    ImageFile,
    NearFile,
    RecipeFile,
    SequenceFile,
)

MAX_OVERLAP: Final = 0.5  # rectangles of neighbouring lines may touch, not hold the same print
MAX_PRINTS: Final = 400
ROUNDING: Final = 1e-6  # 0.7 + 0.3 may be more than 1
_NAME: Final = re.compile(r"\{[a-z][a-z0-9_]*(:[^{}]+)?\}")
RULES: Final = ("pattern", "regex", "date", "any_of")
DATES: Final = ("equals", "not_before", "not_after")

Fault = tuple[Path_, str]
"""Where a fault is, and what it is."""


def faults(recipe: RecipeFile, *, untaught: bool) -> Iterator[Fault]:
    """Every fault of a recipe whose keys and types are right; `untaught` print limits may be none."""
    yield from _clock_faults(recipe)
    for key, message in _image_faults(recipe.image or ImageFile()):
        yield ("image", *key), message
    for name, value in recipe.product.items():
        if not value.strip():
            yield ("product", name), "is blank"
        if name in {PRODUCTION_DATE, SHIFT}:
            yield ("product", name), "has a meaning of its own; choose another name"
    yield from _anchor_faults(recipe, untaught=untaught)
    seen: set[str] = set()
    for index, one in enumerate(recipe.fields):
        path: Path_ = ("fields", index)
        if one.name in seen:
            yield (*path, "name"), f"{one.name} stands here a second time"
        seen.add(one.name)
        for key, message in _field_faults(one, recipe):
            yield (*path, *key), message
        if one.print is not None and one.print.reference is None and not untaught:
            yield (
                (*path, "print"),
                "has limits but no reference: let printproof recipe teach measure good labels",
            )
    prints = sum(_most(field) * len((field.expect or "").split("\n")) for field in recipe.fields)
    if prints > MAX_PRINTS:
        yield ("fields",), f"asks for {prints} prints in all; {MAX_PRINTS} is the most"


def _most(one: FieldFile) -> int:
    """How many copies of a print are looked for."""
    return one.repeat[1] if isinstance(one.repeat, list) else one.repeat or 1


def _clock_faults(recipe: RecipeFile) -> Iterator[Fault]:
    if recipe.timezone is not None:
        try:
            ZoneInfo(recipe.timezone)
        except (KeyError, ValueError, OSError):
            yield ("timezone",), f"there is no time zone {recipe.timezone}; write one such as Europe/Berlin"
    begins = [begin for _, begin in recipe.shift_begins()]
    since = [(begin - begins[0]) % 1440 for begin in begins]
    if any(after <= before for before, after in pairwise(since)):
        yield ("shifts",), "do not follow each other; write them in order, the one that begins the day first"
    if recipe.shifts and recipe.timezone is None:
        yield ("shifts",), "need a timezone: shifts begin by the clock of the line"


def _anchor_faults(recipe: RecipeFile, *, untaught: bool) -> Iterator[Fault]:
    fields = {field.name: field for field in recipe.fields}
    for index, name in enumerate(recipe.anchors or []):
        field = fields.get(name)
        if field is None:
            yield ("anchors", index), f"there is no field {name}"
        elif field.optional:
            yield ("anchors", index), f"{name} is optional; where the label lies must show on every part"
        elif not untaught and (field.near is None or field.near.box is None):
            yield ("anchors", index), f"{name} needs near.box: where it stands on a good image"


def _near_faults(near: NearFile, recipe: RecipeFile) -> Iterator[Fault]:
    if near.box is None and near.angle is None:
        yield ("near",), "states neither box nor angle"
    if near.box is not None and (fault := rectangle_fault(near.box)):
        yield ("near", "box"), fault
    if (near.box is None) is not (near.tolerance is None):
        yield ("near",), "needs box and tolerance together"
    elif (
        near.box is not None
        and recipe.image
        and recipe.image.roi
        and not _overlap(near.box, recipe.image.roi)
    ):
        yield ("near", "box"), "lies outside of image.roi, where no text is looked for"
    if isinstance(near.tolerance, str) and (recipe.image is None or recipe.image.width_mm is None):
        yield ("near", "tolerance"), "in millimetres needs image.width_mm: how much the image shows"


def _barcode_faults(one: FieldFile, barcode: BarcodeFile, recipe: RecipeFile) -> Iterator[Fault]:
    """A code has text of its own: rules for prints have no meaning for it."""
    plain = FieldFile(name=one.name)
    for key in ("prefix", "print", "near", "repeat", "case", "whitespace", "confusable", "min_confidence"):
        if getattr(one, key) != getattr(plain, key):
            yield (key,), "has no use beside barcode: what a code says is compared as it is"
    rules = [rule for rule in ("expect", *RULES, "check_digit") if getattr(one, rule) is not None]
    if barcode.gs1 is not None and rules:
        yield (rules[0],), "stands beside barcode.gs1; one of them is enough"
    fields = {field.name: field for field in recipe.fields}
    for ai, rule in (barcode.gs1 or {}).items():
        path: Path_ = ("barcode", "gs1", ai)
        try:
            identifier = GS1ApplicationIdentifier.extract(ai)
        except ParseError:
            identifier = None
        other = fields.get(rule[1:]) if rule.startswith("@") else None
        if identifier is None or identifier.ai != ai:
            yield path, f"{ai} is no application identifier of GS1"
        elif rule.startswith("@") and (other is None or other.barcode is not None):
            yield path, f"there is no printed field {rule[1:]}"
        elif other is not None and ai in DATE_IDENTIFIERS and other.date is None:
            yield path, f"is a date, and {rule[1:]} has none"
        elif not rule.startswith("@") and rule != ANY:
            try:
                open_ = template.placeholders(rule)
                _check_formats(open_)
            except ValueError as error:
                yield path, str(error)
                continue
            if all(name in recipe.product for name, _ in open_):
                text = template.fill(rule, lambda name, _: recipe.product[name])
                if fault := element_fault(ai, text):
                    yield path, fault


def _text_faults(one: FieldFile) -> Iterator[Fault]:
    """Texts that do not mean what they seem to."""
    if one.optional and one.regex is not None and one.expect is None and not one.prefix.strip():
        yield (
            ("optional",),
            "needs a prefix beside a regex: without one a wrong print cannot be told from none",
        )
    for key, texts in (("prefix", [one.prefix]), ("any_of", one.any_of or [])):
        if any(_NAME.search(text) for text in texts):
            yield (key,), "takes no {name}; use expect"
    if one.any_of is not None and one.check_digit is not None and not one.barcode:
        for index, text in enumerate(one.any_of):
            if fault := one.field().value_fault("".join(text.split())):
                yield ("any_of", index), f"can never satisfy the rule beside it: {fault}"


def _sequence_faults(one: FieldFile, sequence: SequenceFile) -> Iterator[Fault]:
    if sequence.step is None and sequence.unique_within is None:
        yield ("sequence",), "states neither step nor unique_within"
    if sequence.step is None and (sequence.max_gap or sequence.restart_at is not None):
        yield ("sequence",), "max_gap and restart_at have no use without step"
    if one.repeat is not None:
        yield ("sequence",), "has no use beside repeat: a number stands for one part"
    if one.any_of is not None or (one.expect is not None and "{" not in one.expect):
        yield ("sequence",), "stands beside a text that is the same on every part"


def _field_faults(one: FieldFile, recipe: RecipeFile) -> Iterator[Fault]:
    rules = [rule for rule in RULES if getattr(one, rule) is not None]
    if one.barcode is not None:
        yield from _barcode_faults(one, one.barcode, recipe)
    elif one.expect is None and not rules:
        yield (), f"{one.name} states no print: give expect, {', '.join(RULES[:-1])} or {RULES[-1]}"
    if len(rules) > 1:
        yield (), f"{one.name} has {' and '.join(rules)}; one of them is enough"
    if one.expect is not None and one.any_of is not None:
        yield ("any_of",), "stands beside expect; one of them is enough"
    if one.sequence is not None:
        yield from _sequence_faults(one, one.sequence)
    yield from _text_faults(one)
    if isinstance(one.repeat, list) and one.repeat[0] > one.repeat[1]:
        yield ("repeat",), "begins with the smaller number: [at least, at most]"
    if one.confusable == "accept" and (one.date or one.check_digit or one.sequence):
        yield (
            ("confusable",),
            "accept: a number that is not read for certain is no date, counter or check digit",
        )
    if one.near is not None:
        yield from _near_faults(one.near, recipe)
    found = list(_rule_faults(one))
    yield from found
    if not found:
        yield from _name_faults(one, recipe)
        yield from _contradictions(one)


def _rule_faults(one: FieldFile) -> Iterator[Fault]:
    """Faults of single rules."""
    checks: list[tuple[Path_, Callable[[], object]]] = []
    if one.pattern is not None:
        checks.append((("pattern",), partial(template.pattern, one.pattern)))
    if one.regex is not None:
        checks.append((("regex",), partial(compile_regex, one.regex, one.whitespace, one.case)))
    if one.date is not None:
        yield from _date_faults(one.date)
        expressions = ((key, getattr(one.date, key)) for key in DATES)
        checks += [
            (("date", key), partial(date_expression, text)) for key, text in expressions if text is not None
        ]
    if one.expect is not None:
        checks.append((("expect",), partial(_check_expect, one.expect)))
    checks += [(("any_of", index), partial(_check_text, text)) for index, text in enumerate(one.any_of or ())]
    for path, check in checks:
        try:
            check()
        except ValueError as error:
            yield path, str(error)


def _date_faults(date: DateFile) -> Iterator[Fault]:
    months = date.month_names()
    if not months:
        yield (
            ("date", "months"),
            "are a language (en, de, fr, es, it, pt, nl, pl, sv), or twelve names of one length",
        )
    elif len(set(months)) < len(months):
        yield ("date", "months"), "hold a name twice"
    elif any(char.isspace() for name in months for char in name):
        yield ("date", "months"), "hold a space, which is no part of a name"
    try:
        date_template(date.format, months or ("JAN",) * 12)
    except ValueError as error:
        yield ("date", "format"), str(error)
    if date.not_before is not None and date.not_after is not None and _is_empty(date):
        yield ("date", "not_after"), "lies before not_before: no date is allowed"
    if date.tolerance != "0d" and date.equals is None:
        yield ("date", "tolerance"), "is of no use without equals"
    if date.equals is not None and (date.not_before or date.not_after):
        yield ("date", "equals"), "stands beside a limit; use tolerance, or the limits alone"


def _is_empty(date: DateFile) -> bool:
    """Whether no date lies between two limits that are counted from the same one."""
    try:
        first, last = date_expression(date.not_before or ""), date_expression(date.not_after or "")
        day = dt.date(2026, 6, 15)
        return first.base == last.base and first.on({first.base: day}) > last.on({last.base: day})
    except ValueError:
        return False  # told elsewhere


def _check_expect(text: str) -> None:
    for line in text.removesuffix("\n").split("\n"):
        _check_text(line)
    _check_formats(template.placeholders(text))


def _check_formats(placeholders: Sequence[template.Placeholder]) -> None:
    for name, format_ in placeholders:
        if format_ is not None:
            date_template(format_)
            if format_ == GS1:
                raise ValueError(f"{{{name}:{GS1}}}: write {{{name}:YYMMDD}}")


def _check_text(text: str) -> None:
    if not text.strip():
        raise ValueError("is blank")


def _name_faults(one: FieldFile, recipe: RecipeFile) -> Iterator[Fault]:
    """Names that the field refers to and that can stand for nothing."""
    names: list[tuple[str, str | None, Path_]] = [
        (name, format_, ("expect",)) for name, format_ in template.placeholders(one.expect or "")
    ]
    for ai, rule in ((one.barcode and one.barcode.gs1) or {}).items():
        try:
            names += [
                (name, format_, ("barcode", "gs1", ai)) for name, format_ in template.placeholders(rule)
            ]
        except ValueError:  # told elsewhere
            continue
    if one.date is not None:
        found = [(getattr(one.date, key), key) for key in DATES]
        names += [(date_expression(text).base, "", ("date", key)) for text, key in found if text is not None]
    for name, format_, key in names:
        if name == PRODUCTION_DATE and format_ is None:
            yield key, "production_date needs a format: {production_date:YYDDD}"
        if name in {PRODUCTION_DATE, SHIFT} and recipe.timezone is None:
            yield key, f"{name} needs the recipe's timezone: days do not begin everywhere at once"
        if name == SHIFT and not recipe.shifts:
            yield key, "shift needs the recipe's shifts"


def _contradictions(one: FieldFile) -> Iterator[Fault]:
    """Expected text that can never satisfy the rule beside it."""
    field = one.field()
    if field.expect is None:
        return
    if field.date is not None and field.date.equals is not None:
        yield ("expect",), "stands beside date.equals; one of them is enough"
    elif "\n" in field.expect and (field.pattern or field.regex or field.date or field.check_digit):
        yield ("expect",), "has several lines, which no rule beside it can be met by"
    elif not template.placeholders(field.expect) and (
        fault := field.rule_fault(template.fill(field.expect, lambda name, _: name))
    ):
        yield ("expect",), f"can never satisfy the rule beside it: {fault}"


def _image_faults(image: ImageFile) -> Iterator[Fault]:
    rectangles: list[tuple[Path_, list[float]]] = [(("roi",), image.roi)] if image.roi else []
    rectangles += [(("lines", index), one) for index, one in enumerate(image.lines or [])]
    for path, rectangle in rectangles:
        if fault := rectangle_fault(rectangle):
            yield path, fault
    for first, second in combinations(range(len(image.lines or [])), 2):
        if _overlap((image.lines or [])[first], (image.lines or [])[second]) > MAX_OVERLAP:
            yield ("lines", second), f"lies on lines[{first}]: one print would be read twice"
    for key in ("roi", "min_glyph_px"):
        if image.lines and getattr(image, key) is not None:
            yield (key,), "has no use beside lines: text is not looked for"


def rectangle_fault(rectangle: list[float]) -> str | None:
    left, top, width, height = rectangle
    if not width or not height:
        return "has no extent; give [left, top, width, height] as shares of the image"
    if max(left + width, top + height) > 1 + ROUNDING:
        return "reaches beyond the image; give [left, top, width, height] as shares of it"
    return None


def _overlap(one: list[float], other: list[float]) -> float:
    """Share of the smaller rectangle that lies on the other."""
    sides = []
    for axis in (0, 1):
        begin, end = (
            max(one[axis], other[axis]),
            min(one[axis] + one[axis + 2], other[axis] + other[axis + 2]),
        )
        sides.append(max(0.0, end - begin))
    return sides[0] * sides[1] / (min(one[2] * one[3], other[2] * other[3]) or 1)

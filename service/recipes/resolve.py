"""A recipe for one part: expected values, constants and dates filled in."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from service.errors import ExpectedValueInvalid, ExpectedValueMissing, ExpectedValueUnknown
from service.recipes import template
from service.recipes.codes import Barcode, element_fault
from service.recipes.dates import print_date
from service.recipes.production import PRODUCTION_DATE, SHIFT, DateExpression, Production, Source
from service.recipes.recipe import DateRule, Field, Recipe


def needed_values(recipe: Recipe) -> tuple[str, ...]:
    """Names of the values that each inspection must bring, in order of their first use."""
    return _needed(recipe, used_names(recipe))


def _needed(recipe: Recipe, used: Sequence[str]) -> tuple[str, ...]:
    own = {*recipe.product, PRODUCTION_DATE, SHIFT}
    return tuple(name for name in used if name not in own)


def used_names(recipe: Recipe) -> tuple[str, ...]:
    """All names that fields refer to."""
    names = []
    for field in recipe.fields:
        names += [name for name, _ in template.placeholders(field.expect or "")]
        rules = field.barcode.gs1 if field.barcode else ()
        names += [name for one in rules for name, _ in template.placeholders(one.text or "")]
        names += [expression.base for expression in _expressions(field.date)]
    return tuple(dict.fromkeys(names))


def _expressions(rule: DateRule | None) -> list[DateExpression]:
    found = (rule.equals, rule.not_before, rule.not_after) if rule else ()
    return [expression for expression in found if expression is not None]


def resolve(recipe: Recipe, expected: Mapping[str, str], at: dt.datetime, source: Source) -> Recipe:
    """Fill in what the fields refer to: `expected` came with the part, `at` is when it was seen, as `source` says.

    Raises:
        ExpectedValueMissing: a value that the recipe uses was not given.
        ExpectedValueUnknown: a value was given that the recipe does not use (a misspelt name, most likely).
        ExpectedValueInvalid: a value is blank, no date where one is needed, leads to a text that is far too long, or
            breaks the rule that stands beside it.
    """
    used = used_names(recipe)
    needed = _needed(recipe, used)
    given = [name for name in (PRODUCTION_DATE, SHIFT) if name in used]
    if missing := [name for name in needed if name not in expected]:
        raise ExpectedValueMissing(f"recipe {recipe.name} needs expected values for: {', '.join(missing)}")
    if unknown := [name for name in expected if name not in (*needed, *given)]:
        raise ExpectedValueUnknown(
            f"recipe {recipe.name} has no use for expected values: {', '.join(unknown)}; "
            f"it takes: {', '.join((*needed, *given)) or 'none'}"
        )
    for name, value in expected.items():
        if not value.strip():
            raise ExpectedValueInvalid(f"the expected value {name} is blank")
        if any(char < " " or char == "\x7f" for char in value):
            raise ExpectedValueInvalid(f"the expected value {name} holds a control character")
    production = _production(recipe, expected, at, source) if given else None
    values = _Values({**recipe.product, **expected}, production)
    today = production.date if production else at.date()
    return replace(
        recipe,
        fields=tuple(_resolved(field, values, today) for field in recipe.fields),
        production=production,
    )


@dataclass(frozen=True, slots=True)
class _Values:
    """What the names in a recipe stand for."""

    texts: Mapping[str, str]
    production: Production | None

    def date(self, name: str) -> dt.date:
        if name == PRODUCTION_DATE and self.production is not None:
            return self.production.date
        try:
            return dt.date.fromisoformat(self.texts[name])
        except ValueError:
            raise ExpectedValueInvalid(
                f"{name} is {self.texts[name]!r}, no date such as 2026-12-31"
            ) from None

    def text(self, name: str, format_: str | None) -> str:
        if format_ is not None:
            return print_date(self.date(name), format_)
        if self.production is not None and name == SHIFT:
            return self.production.shift or ""
        return self.texts[name]

    def on(self, expression: DateExpression) -> dt.date:
        date = self.date(expression.base)
        try:
            return expression.on({expression.base: date})
        except ValueError as error:
            raise ExpectedValueInvalid(str(error)) from None


def _production(recipe: Recipe, expected: Mapping[str, str], at: dt.datetime, source: Source) -> Production:
    date, shift = recipe.clock.at(at) if recipe.clock else (at.date(), None)
    if PRODUCTION_DATE in expected:
        date, source = _Values(expected, None).date(PRODUCTION_DATE), "expected"
    return Production(date, expected.get(SHIFT, shift), source)


def _resolved(field: Field, values: _Values, today: dt.date) -> Field:
    if field.expect is not None:
        text = template.fill(field.expect, values.text)
        if len(text) > template.MAX_POSITIONS:
            raise ExpectedValueInvalid(
                f"field {field.name} expects {len(text)} characters, more than {template.MAX_POSITIONS}"
            )
        if not all(line.strip() for line in text.split("\n")):
            raise ExpectedValueInvalid(f"field {field.name} expects nothing, or a line of nothing")
        field = replace(field, expect=text)
    if field.barcode is not None:
        field = replace(field, barcode=_filled(field.name, field.barcode, values))
    if field.date is not None:
        field = _dated(field, field.date, values, today)
    if field.expect is not None and (fault := field.rule_fault(field.expect)):
        raise ExpectedValueInvalid(f"field {field.name}: {fault}")
    return field


def _filled(name: str, barcode: Barcode, values: _Values) -> Barcode:
    elements = []
    for one in barcode.gs1:
        text = None if one.text is None else template.fill(one.text, values.text)
        if text is not None and (fault := element_fault(one.ai, text)):
            raise ExpectedValueInvalid(f"field {name}: ({one.ai}) {fault}")
        elements.append(replace(one, text=text))
    return replace(barcode, gs1=tuple(elements))


def _dated(field: Field, rule: DateRule, values: _Values, today: dt.date) -> Field:
    """A date that must equal another is expected character by character, unless it may be off by some days."""
    rule = replace(rule, today=today)
    earliest = values.on(rule.not_before) if rule.not_before else None
    latest = values.on(rule.not_after) if rule.not_after else None
    if rule.equals is not None:
        printed = rule.printed(values.on(rule.equals))
        if not rule.tolerance:
            return replace(field, expect=printed, date=replace(rule, earliest=earliest, latest=latest))
        date = rule.read("".join(printed.split()))  # a month stands for its last day
        margin = dt.timedelta(rule.tolerance)
        try:
            earliest, latest = date - margin, date + margin
        except OverflowError:
            raise ExpectedValueInvalid(f"field {field.name}: {date} leads out of the calendar") from None
    return replace(field, date=replace(rule, earliest=earliest, latest=latest))

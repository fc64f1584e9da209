"""Finds the place of every field on the label: each character of the label belongs to one field at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from service.matching import alignment
from service.matching.alignment import Alignment, Text
from service.matching.normalise import normalise_template, normalise_text
from service.recipes import template
from service.recipes.regex import compile_regex, escape
from service.recipes.template import Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.matching.layout import Row
    from service.recipes.recipe import Field

# How much of a print may be wrong, as a share of its length, before it counts as missing instead. An optional print
# that is absent must not be seen in some other text that happens to resemble it.
MAX_COST_SHARE: Final = 0.5
OPTIONAL_COST_SHARE: Final = 0.34


@dataclass(frozen=True, slots=True)
class Place:
    """Where a field was found: a row, and the alignment with its characters."""

    row: int
    alignment: Alignment


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A field made ready for the search: a template, or an expression with the texts it may stand in."""

    field: Field
    template: Template
    expression: Any
    texts: tuple[Text, ...]

    @property
    def specificity(self) -> int:
        """Fixed text is placed before patterns, longer before shorter, so that no pattern takes another's print."""
        fixed = sum(len(position.allowed) == 1 for position in self.template)
        return 1000 * fixed + len(self.template)


def full_template(field: Field) -> Template:
    """Prefix and print of a field as one template; only the prefix for a `regex` field."""
    if field.expect is not None:
        body = template.literal(field.expect)
    elif field.pattern is not None:
        body = template.pattern(field.pattern)
    elif field.date is not None:
        body = template.date_format(field.date)
    else:
        body = ()
    return template.literal(field.prefix) + body


def find(fields: Sequence[Field], rows: Sequence[Row]) -> dict[str, Place]:
    """The place of each field that is on the label, by field name.

    Prints that stand exactly as wanted are placed first, the most specific field before the others; what is left is
    placed by how close it comes.
    """
    wanted = sorted((_prepare(field, rows) for field in fields), key=lambda one: -one.specificity)
    taken: list[set[int]] = [set() for _ in rows]
    found: dict[str, Place] = {}
    for one in wanted:
        place = _first_exact(one, taken)
        if place is not None:
            _take(one, place, taken, found)
    left = [one for one in wanted if one.field.name not in found and one.expression is None]
    while left:
        candidates = [(place, one) for one in left if (place := _closest(one, taken)) is not None]
        if not candidates:
            break
        place, one = min(
            candidates, key=lambda candidate: candidate[0].alignment.cost / len(candidate[1].template)
        )
        _take(one, place, taken, found)
        left.remove(one)
    return found


def _prepare(field: Field, rows: Sequence[Row]) -> _Wanted:
    expression = None
    if field.expect is None and field.regex is not None:
        prefix = "".join(char for char, _ in normalise_text(field.prefix, field.whitespace, field.case))
        expression = compile_regex(f"{escape(prefix)}(?:{field.regex})", ignore_case=field.case == "ignore")
    texts = tuple(
        Text.of(normalise_text([char.char.char for char in row], field.whitespace, field.case))
        for row in rows
    )
    wanted = normalise_template(full_template(field), field.whitespace, field.case)
    return _Wanted(field, wanted, expression, texts)


def _first_exact(one: _Wanted, taken: list[set[int]]) -> Place | None:
    for row, text in enumerate(one.texts):
        if one.expression is not None:
            places = alignment.matches(one.expression, text)
        else:
            places = alignment.exact(one.template, text)
        for place in places:
            if not taken[row].intersection(place.indices):
                return Place(row, place)
    return None


def _closest(one: _Wanted, taken: list[set[int]]) -> Place | None:
    share = OPTIONAL_COST_SHARE if one.field.optional else MAX_COST_SHARE
    places = [
        Place(row, place)
        for row, text in enumerate(one.texts)
        if (place := alignment.closest(one.template, text.without(taken[row]), share)) is not None
    ]
    return min(places, key=lambda place: place.alignment.cost, default=None)


def _take(one: _Wanted, place: Place, taken: list[set[int]], found: dict[str, Place]) -> None:
    taken[place.row].update(place.alignment.indices)
    found[one.field.name] = place

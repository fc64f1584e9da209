"""Finds the place of every field on the label: each character of the label belongs to one field at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.matching import alignment
from service.matching.alignment import Alignment, Text
from service.matching.layout import LabelChar
from service.recipes.normalise import Case, Whitespace, normalise_template, normalise_text
from service.recipes.recipe import Field
from service.recipes.regex import compile_regex
from service.recipes.template import Template

# How much of a print may be wrong, as a share of its length, before it counts as missing instead; one wrong character of
# two or more is always a wrong print. What resembles an optional print less than by two thirds may be another text.
MAX_COST_SHARE: Final = 0.5
PREFIX_COST_SHARE: Final = 0.34
OPTIONAL_COST_SHARE: Final = 0.34


@dataclass(frozen=True, slots=True)
class Place:
    """Where a field was found.

    `beside` is a number right beside it that may belong to it (`Text.number_beside`), `doubtful` says that an optional
    print was found in something that resembles it only loosely.
    """

    alignment: Alignment
    beside: str = ""
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A field made ready for the search: a template (of a regex only its prefix) and the text it is looked for in."""

    field: Field
    template: Template
    prefix_length: int
    expression: Any
    text: Text

    @property
    def specificity(self) -> int:
        """Fixed text is placed before patterns, longer before shorter, so that no pattern takes another's print."""
        fixed = sum(len(position.allowed) == 1 for position in self.template)
        return 1000 * fixed + len(self.template)

    def closest(self) -> Alignment | None:
        """The best place of a print that is nowhere as it should be."""
        if self.expression is None:
            max_cost = max(
                alignment.WRONG if len(self.template) > 1 else 0, MAX_COST_SHARE * len(self.template)
            )
            at = alignment.closest(self.template, self.text, max_cost)
            if at is not None:
                return at
        prefix = self.template[: self.prefix_length]
        if not prefix:
            return None
        return alignment.prefix_and_word(prefix, self.field.rule, self.text, PREFIX_COST_SHARE * len(prefix))


def find(fields: Sequence[Field], label: Sequence[LabelChar]) -> dict[str, Place]:
    """The place of each field that is on the label, by field name.

    Prints that stand exactly as wanted are placed first, the most specific field before the others; what is left is
    placed by how close it comes.
    """
    texts: dict[tuple[Whitespace, Case], Text] = {}
    for field in fields:
        rules = (field.whitespace, field.case)
        if rules not in texts:
            texts[rules] = Text(normalise_text([char.char.char for char in label], *rules))
    wanted = sorted((_prepare(field, texts) for field in fields), key=lambda one: -one.specificity)
    found: dict[str, Alignment] = {}

    def claim(one: _Wanted, at: Alignment) -> None:
        found[one.field.name] = at
        for text in texts.values():
            text.take(at.indices)

    for one in wanted:
        at = _first_exact(one)
        if at is not None:
            claim(one, at)
    left = {
        one.field.name: (one, at) for one in wanted if one.field.name not in found and (at := one.closest())
    }
    while left:
        one, at = min(left.values(), key=lambda candidate: candidate[1].cost / len(candidate[0].template))
        claim(one, at)
        del left[one.field.name]
        # A place that shares no character with the one just taken stays the best there is.
        for name, (other, other_at) in list(left.items()):
            if not set(at.indices).isdisjoint(other_at.indices):
                del left[name]
                if (again := other.closest()) is not None:
                    left[name] = (other, again)
    return {one.field.name: _place(one, found[one.field.name]) for one in wanted if one.field.name in found}


def _prepare(field: Field, texts: dict[tuple[Whitespace, Case], Text]) -> _Wanted:
    rules = (field.whitespace, field.case)
    expression = None
    if field.expect is None and field.regex is not None:
        expression = compile_regex(field.regex, *rules)
    template = normalise_template(field.template(), *rules)
    prefix_length = len(normalise_text(field.prefix, *rules)) if field.prefix else 0
    return _Wanted(field, template, prefix_length, expression, texts[rules])


def _first_exact(one: _Wanted) -> Alignment | None:
    if one.expression is None:
        return alignment.first_exact(one.template, one.text)
    return alignment.first_match(one.template, one.expression, one.text)


def _place(one: _Wanted, at: Alignment) -> Place:
    ignores_space = one.field.whitespace == "ignore"
    open_ended = one.expression is not None
    beside = one.text.number_beside(at, open_ended=open_ended) if at.cost == 0 and ignores_space else ""
    loose = at.cost > OPTIONAL_COST_SHARE * len(one.template)
    prefix = at.steps[: one.prefix_length]
    has_prefix = bool(prefix) and all(step.position is not None and step.index is not None for step in prefix)
    return Place(at, beside, doubtful=one.field.optional and loose and not has_prefix)

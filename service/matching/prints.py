"""A field's prints made ready for the search: what is looked for, once per recipe instead of once per label."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from service.recipes.normalise import normalise_template
from service.recipes.recipe import Field
from service.recipes.regex import Expression, compile_regex
from service.recipes.template import Position, Template, literal


@dataclass(frozen=True)
class Form:
    """One way to print it: a template, or a prefix and an expression behind it."""

    shown: str
    """The text or the rule as the recipe states it, for people."""
    template: Template
    prefix: Template
    expression: Expression | None = None

    @cached_property
    def needle(self) -> str | None:
        """The whole template as a text; None where a position allows several characters."""
        if any(len(position.allowed) != 1 for position in self.template):
            return None
        return "".join(char for position in self.template for char in position.allowed)

    @cached_property
    def finder(self) -> re.Pattern[str]:
        """Finds every place of the template, overlapping ones too. All positions are single characters: it cannot stall."""
        classes = (
            "[" + "".join(map(re.escape, sorted(position.allowed))) + "]" for position in self.template
        )
        return re.compile("(?=" + "".join(classes) + ")", re.DOTALL)

    @cached_property
    def fixed(self) -> int:
        """How many positions allow one character alone."""
        return sum(len(position.allowed) == 1 for position in self.template)


@lru_cache(maxsize=4096)
def forms_of(field: Field) -> tuple[tuple[Form, ...], ...]:
    """The ways that each line of a field's print may be printed, top to bottom."""
    rules = (field.whitespace, field.case)
    prefix = normalise_template(literal(field.prefix), *rules)
    if field.expect is None and field.regex is not None:
        if field.whitespace == "collapse" and field.prefix[-1:].isspace():
            prefix = (*prefix, Position(" ", frozenset(" ")))  # what follows it is no end
        return ((Form(field.regex, prefix, prefix, compile_regex(field.regex, *rules)),),)
    lines = []
    for number, bodies in enumerate(field.templates()):
        own = () if number else prefix
        before = literal(field.prefix) if own else ()
        lines.append(
            tuple(Form(shown, normalise_template((*before, *body), *rules), own) for shown, body in bodies)
        )
    return tuple(lines)

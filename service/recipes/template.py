"""The pattern language of recipes: a text as a row of positions, each with the characters it allows.

Fixed text, patterns (`L{digit:6}{letter}`) and date formats (`service.recipes.dates`) all become templates, so one
alignment serves them all.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

CLASSES: Final[dict[str, frozenset[str]]] = {
    "digit": frozenset(string.digits),
    "letter": frozenset(string.ascii_letters),
    "upper": frozenset(string.ascii_uppercase),
    "lower": frozenset(string.ascii_lowercase),
    "alnum": frozenset(string.ascii_letters + string.digits),
    "hex": frozenset("0123456789ABCDEFabcdef"),
}
MAX_POSITIONS: Final = 200

_PATTERN_PART: Final = re.compile(r"\{\{|\}\}|\{([a-z]+)(?::(\d+))?\}|[^{}]|[{}]")
_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)(?::([^{}]+))?\}|[{}]")


@dataclass(frozen=True, slots=True)
class Position:
    """One character of a print: what it may be, and how it is shown to people (`7`, or `{digit}`)."""

    shown: str
    allowed: frozenset[str]


Template = tuple[Position, ...]
Placeholder = tuple[str, str | None]
"""Name, and the format of a date."""


def literal(text: str) -> Template:
    return tuple(Position(char, frozenset(char)) for char in text)


def pattern(text: str) -> Template:
    """Parse a pattern; `{{` and `}}` stand for braces.

    Raises:
        ValueError: an unknown character class, a lone brace, nothing but spaces, or far too long.
    """
    positions: list[Position] = []
    for part in _PATTERN_PART.finditer(text):
        if part[1]:
            if part[1] not in CLASSES:
                raise ValueError(f"unknown character class {{{part[1]}}}; known are {', '.join(CLASSES)}")
            count = int(part[2] or 1)
            if not 1 <= count <= MAX_POSITIONS:
                raise ValueError(f"{part[0]}: the count must lie between 1 and {MAX_POSITIONS}")
            positions += [Position(f"{{{part[1]}}}", CLASSES[part[1]])] * count
        elif part[0] in "{}":
            raise ValueError(f"a lone {part[0]!r}; write {part[0] * 2!r} for a brace, or {{class:count}}")
        else:
            positions += literal(part[0][0])
    return _checked(tuple(positions))


def placeholders(text: str) -> list[Placeholder]:
    """Every `{name}` or `{name:FORMAT}` of an `expect` text, in order.

    Raises:
        ValueError: a lone brace.
    """
    found = []
    for part in _PLACEHOLDER.finditer(text):
        if part[1]:
            found.append((part[1], part[2]))
        elif part[0] in "{}":
            raise ValueError(
                f"a lone {part[0]!r}; write {part[0] * 2!r} for a brace, or {{name}} for a value"
            )
    return found


def fill(text: str, value: Callable[[str, str | None], str]) -> str:
    """Replace each placeholder by its value, given its name and format, and `{{`, `}}` by braces."""
    return _PLACEHOLDER.sub(lambda part: value(part[1], part[2]) if part[1] else part[0][0], text)


def fits(template: Template, text: str) -> bool:
    """Whether a text is what a template allows, character by character."""
    return len(template) == len(text) and all(
        char in position.allowed for position, char in zip(template, text, strict=True)
    )


def _checked(template: Template) -> Template:
    if all(position.shown.isspace() for position in template):
        raise ValueError("it is blank")
    if len(template) > MAX_POSITIONS:
        raise ValueError(f"it has {len(template)} characters, more than {MAX_POSITIONS}")
    return template

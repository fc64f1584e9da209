"""A recipe: what must be printed. Pure values; files are read by `service.recipes.files`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from service.errors import ExpectedValueInvalid, ExpectedValueMissing, ExpectedValueUnknown
from service.imaging.regions import WHOLE_IMAGE, View
from service.recipes import template
from service.recipes.dates import date_fault, date_template
from service.recipes.normalise import Case, Whitespace, normalise_template, normalise_text
from service.recipes.regex import compile_regex

OnError = Literal["reject", "accept"]
OnBlank = Literal["review", "fail"]


@dataclass(frozen=True, slots=True)
class Field:
    """One print of the label. Exactly what `docs/recipes.md` describes, after the defaults are filled in."""

    name: str
    expect: str | None = None
    """The text, maybe with `{name}` for values that come with each inspection."""
    pattern: str | None = None
    regex: str | None = None
    date: str | None = None
    """A date format; the date read must exist."""
    prefix: str = ""
    min_confidence: float = 0.6
    whitespace: Whitespace = "ignore"
    case: Case = "exact"
    optional: bool = False

    @property
    def rule(self) -> str:
        """The rule as the recipe states it, for people."""
        return self.expect or self.pattern or self.date or self.regex or ""

    def template(self) -> template.Template:
        """What a print of this field looks like, prefix included; of a `regex` only the prefix."""
        if self.expect is not None:
            body = template.literal(self.expect)
        elif self.pattern is not None:
            body = template.pattern(self.pattern)
        elif self.date is not None:
            body = date_template(self.date)
        else:
            body = ()
        return template.literal(self.prefix) + body

    def rule_fault(self, text: str) -> str | None:
        """Why an expected text can never satisfy the `pattern`, `regex` or `date` beside it; None if it can."""
        plain = "".join(char for char, _ in normalise_text(text, self.whitespace, self.case))
        if (
            self.regex is not None
            and compile_regex(self.regex, self.whitespace, self.case).fullmatch(plain) is None
        ):
            return f"{text!r} does not match {self.regex!r}"
        rule = replace(self, expect=None, prefix="")
        if self.pattern is not None or self.date is not None:
            wanted = normalise_template(rule.template(), self.whitespace, self.case)
            if len(wanted) != len(plain) or any(
                char not in position.allowed for position, char in zip(wanted, plain, strict=True)
            ):
                return f"{text!r} does not fit {rule.rule!r}"
        if self.date is not None:
            return date_fault("".join(plain.split()), self.date)
        return None


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named set of fields. `version` counts from 1 and is given when it is stored; 0 is a file's own."""

    name: str
    fields: tuple[Field, ...]
    description: str = ""
    on_error: OnError = "reject"
    """What the line does on a time-out, an error or REVIEW."""
    on_blank: OnBlank = "review"
    """The verdict when nothing at all is read."""
    image: View = WHOLE_IMAGE
    """What of its images is read."""
    version: int = 0

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Names of the values that each inspection must bring, in order of their first use."""
        names = [
            name
            for field in self.fields
            if field.expect is not None
            for name in template.placeholders(field.expect)
        ]
        return tuple(dict.fromkeys(names))

    def resolve(self, expected: Mapping[str, str]) -> Recipe:
        """The recipe for one part: every `{name}` replaced by its value.

        Raises:
            ExpectedValueMissing: a value that the recipe uses was not given.
            ExpectedValueUnknown: a value was given that the recipe does not use (a misspelt name, most likely).
            ExpectedValueInvalid: a value is blank, leads to a text that is far too long, or breaks the rule that
                stands beside it.
        """
        needed = self.placeholders
        if missing := [name for name in needed if name not in expected]:
            raise ExpectedValueMissing(f"recipe {self.name} needs expected values for: {', '.join(missing)}")
        if unknown := [name for name in expected if name not in needed]:
            raise ExpectedValueUnknown(
                f"recipe {self.name} has no use for expected values: {', '.join(unknown)}; "
                f"it takes: {', '.join(needed) or 'none'}"
            )
        if blank := [name for name in needed if not expected[name].strip()]:
            raise ExpectedValueInvalid(f"expected values are blank: {', '.join(blank)}")
        fields = []
        for field in self.fields:
            if field.expect is not None:
                text = template.fill(field.expect, dict(expected))
                if len(text) > template.MAX_POSITIONS:
                    raise ExpectedValueInvalid(
                        f"field {field.name} expects {len(text)} characters, more than {template.MAX_POSITIONS}"
                    )
                if fault := field.rule_fault(text):
                    raise ExpectedValueInvalid(f"field {field.name}: {fault}")
                field = replace(field, expect=text)  # noqa: PLW2901 (the resolved form takes its place)
            fields.append(field)
        return replace(self, fields=tuple(fields))

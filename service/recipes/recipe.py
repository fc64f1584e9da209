"""A recipe: what must be printed. Pure values; files are read by `service.recipes.files`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from service.imaging.regions import WHOLE_IMAGE, View
from service.recipes import template
from service.recipes.checkdigits import CheckDigit, check_digit_fault
from service.recipes.codes import Barcode
from service.recipes.dates import MONTHS, date_template, print_date, printed_length, read_date
from service.recipes.normalise import Case, Whitespace, fold_text, normalise_template, normalise_text
from service.recipes.position import Near
from service.recipes.printing import PrintRule
from service.recipes.production import Clock, DateExpression, Production
from service.recipes.quality import QualityRule
from service.recipes.regex import compile_regex
from service.recipes.sequence import SequenceRule

OnError = Literal["reject", "accept"]
OnBlank = Literal["review", "fail"]
Confusable = Literal["review", "accept", "fail"]
Unexpected = Literal["ignore", "review", "fail"]


@dataclass(frozen=True, slots=True)
class DateRule:
    """A printed date: it must exist, and lie where the rule says."""

    format: str
    months: tuple[str, ...] = MONTHS["en"]
    equals: DateExpression | None = None
    tolerance: int = 0
    """Days that it may differ from `equals`."""
    not_before: DateExpression | None = None
    not_after: DateExpression | None = None
    earliest: dt.date | None = None
    """What the expressions come to for one part, as `latest` does."""
    latest: dt.date | None = None
    today: dt.date = dt.date(2026, 1, 1)
    """Decides the century of a year of two digits."""

    def template(self) -> template.Template:
        return date_template(self.format, self.months)

    def printed(self, date: dt.date) -> str:
        return print_date(date, self.format, self.months)

    def read(self, text: str) -> dt.date:
        """The date that stands at the end of a text without white space.

        Raises:
            ValueError: there is no such date.
        """
        length = printed_length(self.format, self.months)
        return read_date(text[-length:], self.format, self.today, self.months)

    def fault(self, text: str) -> str | None:
        """Why a printed date is wrong although its characters fit; None if it is right."""
        try:
            date = self.read(text)
        except ValueError as error:
            return str(error)
        if self.earliest is not None and date < self.earliest:
            return f"{date} lies before {self.earliest}, the first day allowed"
        if self.latest is not None and date > self.latest:
            return f"{date} lies after {self.latest}, the last day allowed"
        return None


@dataclass(frozen=True, slots=True)
class Field:
    """One print of the label. Exactly what `docs/recipes.md` describes, after the defaults are filled in."""

    name: str
    expect: str | None = None
    """The text, maybe with `{name}` for values that come with each inspection; a line break begins a new line."""
    pattern: str | None = None
    regex: str | None = None
    date: DateRule | None = None
    any_of: tuple[str, ...] = ()
    """Texts of which one is printed."""
    prefix: str = ""
    check_digit: CheckDigit | None = None
    sequence: SequenceRule | None = None
    min_confidence: float = 0.6
    whitespace: Whitespace = "ignore"
    case: Case = "exact"
    confusable: Confusable = "review"
    """What becomes of a character that is listed as alike to the expected one."""
    near: Near | None = None
    print: PrintRule | None = None
    barcode: Barcode | None = None
    """The field is a code, not text; what it says is held against the rules above, or against `barcode.gs1`."""
    optional: bool = False
    repeat: tuple[int, int | None] = (1, None)
    """How often it must be, and may at most be, on the label; None is any number."""

    @property
    def rule(self) -> str:
        """The rule as the recipe states it, for people."""
        if self.barcode is not None and self.barcode.gs1:
            return "".join(element.shown for element in self.barcode.gs1)
        if self.expect is not None:
            return self.expect
        return self.pattern or (self.date.format if self.date else self.regex) or " | ".join(self.any_of)

    def templates(self) -> list[list[tuple[str, template.Template]]]:
        """For each line of the print the texts that may stand there, as the recipe has them and as templates.

        Without the prefix; of a `regex` alone there is none.
        """
        if self.expect is not None:
            lines = [line for line in self.expect.split("\n") if line.strip()]
            return [[(line, template.literal(line))] for line in lines]
        if self.pattern is not None:
            return [[(self.pattern, template.pattern(self.pattern))]]
        if self.date is not None:
            return [[(self.date.format, self.date.template())]]
        return [[(text, template.literal(text)) for text in self.any_of]] if self.any_of else []

    def value(self, printed: str) -> str:
        """What was printed, without its prefix and white space, as it is compared."""
        return fold_text(self.printed_value(printed), self.case)

    def printed_value(self, printed: str) -> str:
        """What was printed, without its prefix and white space; full-width forms as ordinary ones."""
        plain, prefix = (fold_text(text, "exact").replace(" ", "") for text in (printed, self.prefix))
        return plain[len(prefix) :]

    def value_fault(self, value: str) -> str | None:
        """Why a value (see `value`) that fits character by character is wrong all the same; None if it is right."""
        fault = self.date.fault(value) if self.date is not None else None
        if fault is None and self.check_digit is not None:
            fault = check_digit_fault(self._number(value), self.check_digit)
        return fault

    def _number(self, value: str) -> str:
        """What of a value is a number with a check digit: of a pattern, what its classes stand for."""
        if self.pattern is None:
            return value
        positions = [one for one in template.pattern(self.pattern) if not one.shown.isspace()]
        return "".join(
            char for char, position in zip(value, positions, strict=False) if len(position.allowed) > 1
        )

    def text_fault(self, text: str) -> str | None:
        """Why what a code says is not what the field asks for; None if it is. It is compared as it is, nothing folded."""
        if self.expect is not None and text != self.expect:
            return f"says {text!r}, expected {self.expect!r}"
        if self.any_of and text not in self.any_of:
            return f"says {text!r}, expected one of {', '.join(map(repr, self.any_of))}"
        if self.pattern is not None or self.date is not None:
            wanted = replace(self, expect=None).templates()[0][0][1]
            if not template.fits(wanted, text):
                return f"says {text!r}, which does not fit {self.rule!r}"
        if self.regex is not None and not compile_regex(self.regex, "exact", "exact").matches(text):
            return f"says {text!r}, which does not match {self.regex!r}"
        return self.value_fault(text)

    def rule_fault(self, text: str) -> str | None:
        """Why an expected text can never satisfy the rules beside it; None if it can."""
        plain, _ = normalise_text(text, self.whitespace, self.case)
        if self.regex is not None and not compile_regex(self.regex, self.whitespace, self.case).matches(
            plain
        ):
            return f"{text!r} does not match {self.regex!r}"
        rule = replace(self, expect=None)
        if self.pattern is not None or self.date is not None:
            wanted = normalise_template(rule.templates()[0][0][1], self.whitespace, self.case)
            if not template.fits(wanted, plain):
                return f"{text!r} does not fit {rule.rule!r}"
        return self.value_fault("".join(fold_text(text, self.case).split()))


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named set of fields. `version` counts from 1 and is given when it is stored; 0 is a file's own."""

    name: str
    fields: tuple[Field, ...]
    description: str = ""
    product: Mapping[str, str] = field(default_factory=dict)
    """Values that are the same for every part."""
    clock: Clock | None = None
    """How production dates are counted."""
    on_error: OnError = "reject"
    """What the line does on a time-out, an error or REVIEW."""
    on_blank: OnBlank = "review"
    """The verdict when nothing at all is read."""
    unexpected_text: Unexpected = "ignore"
    """The verdict on text that belongs to no field."""
    anchors: tuple[str, ...] = ()
    """Fields that show where the label lies."""
    confusables: tuple[str, ...] = ()
    """Groups of characters that look alike, beside the built-in ones."""
    quality: QualityRule | None = None
    """What an image must be like to be judged."""
    image: View = WHOLE_IMAGE
    """What of its images is read."""
    version: int = 0
    production: Production | None = None
    """Of a recipe resolved for one part: when that was made, if a field asks for it."""

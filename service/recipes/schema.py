"""The keys of a recipe file, and the values they become."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints
from pydantic import Field as Checked

from service.imaging.regions import WHOLE_IMAGE, Region, View
from service.recipes import template
from service.recipes.checkdigits import CheckDigit
from service.recipes.codes import Barcode, Symbology, element
from service.recipes.dates import MONTHS
from service.recipes.normalise import Case, Whitespace
from service.recipes.position import Near, Tolerance
from service.recipes.printing import PrintReference, PrintRule
from service.recipes.production import Clock, DateExpression, date_expression
from service.recipes.quality import QualityRule
from service.recipes.recipe import Confusable, DateRule, Field, OnBlank, OnError, Recipe, Unexpected
from service.recipes.sequence import SequenceRule

MAX_FIELDS: Final = 200
MAX_LINES: Final = 300
MAX_REPEAT: Final = 20

RecipeName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
FieldName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
# No control characters: a print has none.
Text = Annotated[
    str, StringConstraints(min_length=1, max_length=template.MAX_POSITIONS, pattern=r"^[^\x00-\x1f\x7f]+$")
]
MultilineText = Annotated[
    str,
    StringConstraints(
        min_length=1, max_length=template.MAX_POSITIONS, pattern=r"^[^\x00-\x09\x0b-\x1f\x7f]+$"
    ),
]
Days = Annotated[str, StringConstraints(pattern=r"^\d{1,4}d$")]
Millimetres = Annotated[str, StringConstraints(pattern=r"^\d{1,4}(\.\d{1,3})?mm$")]
Duration = Annotated[str, StringConstraints(pattern=r"^[1-9]\d{0,3}[hd]$")]
TimeOfDay = Annotated[str, StringConstraints(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
Share = Annotated[float, Checked(ge=0, le=1)]
Rectangle = Annotated[list[Share], Checked(min_length=4, max_length=4)]
"""Left, top, width, height."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class DateFile(_Model):
    format: Text
    months: Text | Annotated[list[Text], Checked(min_length=12, max_length=12)] = "en"
    equals: Text | None = None
    tolerance: Days = "0d"
    not_before: Text | None = None
    not_after: Text | None = None

    def month_names(self) -> tuple[str, ...]:
        """The twelve names; none if they are unknown or not of one length (checked elsewhere)."""
        if isinstance(self.months, str):
            return MONTHS.get(self.months, ())
        return tuple(self.months) if len({len(name) for name in self.months}) == 1 else ()

    def rule(self) -> DateRule:
        def parsed(text: str | None) -> DateExpression | None:
            return None if text is None else date_expression(text)

        return DateRule(
            self.format,
            self.month_names(),
            parsed(self.equals),
            int(self.tolerance[:-1]),
            parsed(self.not_before),
            parsed(self.not_after),
        )


class NearFile(_Model):
    box: Rectangle | None = None
    tolerance: Share | Millimetres | None = None
    angle: Annotated[float, Checked(ge=-180, le=360)] | None = None
    angle_tolerance: Annotated[float, Checked(gt=0, le=180)] = 10.0

    def near(self) -> Near:
        limit = self.tolerance
        tolerance = (
            Tolerance(mm=float(limit[:-2])) if isinstance(limit, str) else Tolerance(share=limit or 0.0)
        )
        return Near(Region(*self.box) if self.box else None, tolerance, self.angle, self.angle_tolerance)


Positive = Annotated[float, Checked(gt=0, le=1000)]
_LIMITS: Final = PrintRule()


class ReferenceFile(_Model):
    height: Positive
    contrast: Positive
    sharpness: Positive
    rows: Annotated[list[Share], Checked(min_length=24, max_length=24)]
    ink: Annotated[
        dict[Annotated[str, StringConstraints(min_length=1, max_length=1)], Positive],
        Checked(min_length=1, max_length=500),
    ]


class PrintFile(_Model):
    min_height_ratio: Share = _LIMITS.min_height_ratio
    min_ink_ratio: Share = _LIMITS.min_ink_ratio
    max_ink_ratio: Annotated[float, Checked(ge=1, le=100)] = _LIMITS.max_ink_ratio
    min_row_ratio: Share = _LIMITS.min_row_ratio
    min_contrast_ratio: Share = _LIMITS.min_contrast_ratio
    min_sharpness_ratio: Share = _LIMITS.min_sharpness_ratio
    reference: ReferenceFile | None = None

    def rule(self) -> PrintRule:
        taught = self.reference
        limits = self.model_dump(exclude={"reference"})
        if taught is None:
            return PrintRule(**limits)
        ink = tuple(sorted(taught.ink.items()))
        reference = PrintReference(taught.height, taught.contrast, taught.sharpness, tuple(taught.rows), ink)
        return PrintRule(**limits, reference=reference)


class BarcodeFile(_Model):
    symbology: Symbology
    gs1: (
        Annotated[
            dict[Annotated[str, StringConstraints(pattern=r"^\d{2,4}$")], Text],
            Checked(min_length=1, max_length=30),
        ]
        | None
    ) = None

    def barcode(self) -> Barcode:
        return Barcode(self.symbology, tuple(element(ai, rule) for ai, rule in (self.gs1 or {}).items()))


class SequenceFile(_Model):
    step: Annotated[int, Checked(ge=1, le=1_000_000)] | None = None
    max_gap: Annotated[int, Checked(ge=0, le=1_000_000)] = 0
    restart_at: Annotated[int, Checked(ge=0, le=10**18)] | None = None
    unique_within: Duration | None = None

    def rule(self) -> SequenceRule:
        within = self.unique_within
        hours = int(within[:-1]) * (24 if within.endswith("d") else 1) if within else 0
        return SequenceRule(
            self.step, self.max_gap, self.restart_at, dt.timedelta(hours=hours) if within else None
        )


class FieldFile(_Model):
    name: FieldName
    expect: MultilineText | None = None
    pattern: Text | None = None
    regex: Text | None = None
    date: DateFile | None = None
    any_of: Annotated[list[Text], Checked(min_length=2, max_length=50)] | None = None
    prefix: Annotated[
        str, StringConstraints(max_length=template.MAX_POSITIONS, pattern=r"^[^\x00-\x1f\x7f]*$")
    ] = ""
    check_digit: CheckDigit | None = None
    sequence: SequenceFile | None = None
    min_confidence: Share = 0.6
    whitespace: Whitespace = "ignore"
    case: Case = "exact"
    confusable: Confusable = "review"
    near: NearFile | None = None
    print: PrintFile | None = None
    barcode: BarcodeFile | None = None
    optional: bool = False
    repeat: (
        Annotated[int, Checked(ge=1, le=MAX_REPEAT)]
        | Annotated[list[Annotated[int, Checked(ge=1, le=MAX_REPEAT)]], Checked(min_length=2, max_length=2)]
        | None
    ) = None

    def field(self) -> Field:
        """The field; its rules must be sound."""
        repeat = self.repeat
        fewest, most = (repeat[0], repeat[1]) if isinstance(repeat, list) else (repeat or 1, repeat)
        return Field(
            name=self.name,
            expect=None if self.expect is None else self.expect.removesuffix("\n"),
            pattern=self.pattern,
            regex=self.regex,
            date=self.date.rule() if self.date else None,
            any_of=tuple(self.any_of or ()),
            prefix=self.prefix,
            check_digit=self.check_digit,
            sequence=self.sequence.rule() if self.sequence else None,
            min_confidence=self.min_confidence,
            whitespace=self.whitespace,
            case=self.case,
            confusable=self.confusable,
            near=self.near.near() if self.near else None,
            print=self.print.rule() if self.print else None,
            barcode=self.barcode.barcode() if self.barcode else None,
            optional=self.optional,
            repeat=(fewest, most),
        )


class QualityFile(_Model):
    min_sharpness: Positive | None = None
    min_contrast: Share | None = None
    max_overexposed: Share | None = None
    max_underexposed: Share | None = None
    min_glyph_px: Positive | None = None

    def rule(self) -> QualityRule:
        return QualityRule(**self.model_dump())


class ImageFile(_Model):
    roi: Rectangle | None = None
    lines: Annotated[list[Rectangle], Checked(min_length=1, max_length=MAX_LINES)] | None = None
    min_glyph_px: Annotated[float, Checked(ge=4, le=1000)] | None = None
    width_mm: Annotated[float, Checked(gt=0, le=100_000)] | None = None
    rotate: Literal["auto", 0, 90, 180, 270] = "auto"
    quality: QualityFile | None = None

    def view(self) -> View:
        return View(
            Region(*self.roi) if self.roi else None,
            tuple(Region(*one) for one in self.lines or ()),
            self.min_glyph_px,
            self.width_mm,
            None if self.rotate == "auto" else self.rotate,
        )


class RecipeFile(_Model):
    recipe: RecipeName
    description: str = ""
    product: dict[FieldName, Text] = {}
    timezone: Text | None = None
    shifts: Annotated[dict[Text, TimeOfDay], Checked(min_length=1, max_length=24)] | None = None
    on_error: OnError = "reject"
    on_blank: OnBlank = "review"
    unexpected_text: Unexpected = "ignore"
    confusables: Annotated[
        list[Annotated[str, StringConstraints(min_length=2, max_length=20, pattern=r"^[^\x00-\x20\x7f]+$")]],
        Checked(max_length=100),
    ] = []
    image: ImageFile | None = None
    anchors: Annotated[list[FieldName], Checked(min_length=1, max_length=20)] | None = None
    fields: Annotated[list[FieldFile], Checked(min_length=1, max_length=MAX_FIELDS)]

    def value(self) -> Recipe:
        """The recipe; it must have been checked."""
        clock = Clock(self.timezone, self.shift_begins()) if self.timezone else None
        return Recipe(
            name=self.recipe,
            fields=tuple(one.field() for one in self.fields),
            description=self.description,
            product=dict(self.product),
            clock=clock,
            on_error=self.on_error,
            on_blank=self.on_blank,
            unexpected_text=self.unexpected_text,
            anchors=tuple(self.anchors or ()),
            quality=self.image.quality.rule() if self.image and self.image.quality else None,
            confusables=tuple(self.confusables),
            image=self.image.view() if self.image else WHOLE_IMAGE,
        )

    def shift_begins(self) -> tuple[tuple[str, int], ...]:
        """Each shift with the minute after midnight at which it begins."""
        return tuple((name, int(time[:2]) * 60 + int(time[3:])) for name, time in (self.shifts or {}).items())

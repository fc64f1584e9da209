"""An inspected image with what was found drawn on it, as SVG: sharp at any size, in any script."""

from __future__ import annotations

import base64
import textwrap
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

from service.inspections.inspection import Inspection
from service.matching.field import FieldResult
from service.matching.outcome import VERDICTS, Verdict
from service.ocr.text import Quad


@dataclass(frozen=True, slots=True)
class _Style:
    """Colours of Okabe and Ito, which all eyes tell apart (https://jfly.uni-koeln.de/color/), and shapes besides."""

    colour: str
    dashes: str
    sign: str


_STYLES: Final = {
    Verdict.PASS: _Style("#009e73", "none", "\N{CHECK MARK}"),
    Verdict.REVIEW: _Style("#e69f00", "12 6", "?"),
    Verdict.FAIL: _Style("#d55e00", "3 4", "\N{MULTIPLICATION SIGN}"),
}
_WIDTH: Final = 1000
"""Of the drawing in its own units, whatever the image has: text is as large on every camera's image."""
_LINE: Final = 26
_LETTERS: Final = 95


def draw(inspection: Inspection, picture: bytes) -> str:
    """`picture` is the upright image as JPEG; what lies beside fields is drawn thin."""
    scale = _WIDTH / inspection.width
    height = inspection.height * scale
    legend = _legend(inspection, height)
    total = height + _LINE * (len(legend) + 1.5)
    taken = {field.box for field in inspection.fields}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {total:.0f}" font-family="sans-serif">',
        f'<rect width="{_WIDTH}" height="{total:.0f}" fill="white"/>',
        f'<image width="{_WIDTH}" height="{height:.1f}" preserveAspectRatio="none" '
        f'href="data:image/jpeg;base64,{base64.b64encode(picture).decode()}"/>',
        *(
            f'<polygon points="{_points(line.box, scale)}" fill="none" stroke="#56b4e9" stroke-width="1"/>'
            for line in inspection.lines
            if line.box not in taken
        ),
        *(_field(field, scale) for field in inspection.fields if field.box is not None),
        *legend,
        "</svg>",
    ]
    return "\n".join(parts)


def _field(field: FieldResult, scale: float) -> str:
    style = _STYLES[VERDICTS[field.outcome]]
    assert field.box is not None  # noqa: S101 (the caller's condition)
    left, top = min(x for x, _ in field.box) * scale, min(y for _, y in field.box) * scale
    label = _text(f"{style.sign} {field.name}")
    return (
        f"<g><title>{_text(field.name)}: {field.outcome.value}</title>"
        f'<polygon points="{_points(field.box, scale)}" fill="none" stroke="white" stroke-width="6" opacity="0.6"/>'
        f'<polygon points="{_points(field.box, scale)}" fill="none" stroke="{style.colour}" stroke-width="3" '
        f'stroke-dasharray="{style.dashes}"/>'
        f'<text x="{left:.1f}" y="{max(top - 6, 16):.1f}" font-size="18" font-weight="bold" fill="{style.colour}" '
        f'stroke="white" stroke-width="4" paint-order="stroke">{label}</text></g>'
    )


def _legend(inspection: Inspection, height: float) -> list[str]:
    """The verdict, each field, each defect of the whole label; what is long goes on in the next line."""
    said = [(_STYLES[inspection.verdict], f"{inspection.verdict.value}  {inspection.submission.recipe}")]
    for field in inspection.fields:
        text = f"{field.name}: {field.outcome.value}, expected {field.expected!r}"
        text += f", read {field.read!r}" if field.read != field.expected else ""
        said.append((_STYLES[VERDICTS[field.outcome]], text))
    said += [
        (_STYLES[inspection.verdict], f"{one.code.value}: {one.detail}")
        for one in inspection.defects
        if one.field is None
    ]
    lines = [
        (style, style.sign if number == 0 else " ", part)
        for style, text in said
        for number, part in enumerate(textwrap.wrap(text, _LETTERS) or [""])
    ]
    return [
        f'<text x="16" y="{height + _LINE * (number + 1):.1f}" font-size="18">'
        f'<tspan fill="{style.colour}" font-weight="bold">{sign}</tspan>'
        f'<tspan x="40">{_text(text)}</tspan></text>'
        for number, (style, sign, text) in enumerate(lines)
    ]


def _points(box: Quad, scale: float) -> str:
    return " ".join(f"{x * scale:.1f},{y * scale:.1f}" for x, y in box)


def _text(text: str) -> str:
    """What stands on a label is data: as XML text, without the characters that XML cannot hold."""
    return escape("".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text))

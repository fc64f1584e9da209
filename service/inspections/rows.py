"""Inspections as rows of their tables, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter

from service.inspections.inspection import Inspection, Origin, ReadLine, Submission
from service.inspections.tables import InspectionDefectRow, InspectionRow, InspectionTextRow, SerialRow
from service.matching.field import FieldResult
from service.matching.outcome import Verdict
from service.matching.verdict import Defect
from service.recipes.production import Production

if TYPE_CHECKING:
    from service.db.engine import Base

_PRODUCTION: Final = TypeAdapter(Production | None)
_FIELDS: Final = TypeAdapter(tuple[FieldResult, ...])
_DEFECTS: Final = TypeAdapter(tuple[Defect, ...])
_LINES: Final = TypeAdapter(tuple[ReadLine, ...])
_AS_THEY_ARE: Final = (
    "id",
    "received_at",
    "recipe_version",
    "reject",
    "timings_ms",
    "width",
    "height",
    "media_type",
    "image_sha256",
    "image_bytes",
    "image_key",
)


def row_of(inspection: Inspection) -> InspectionRow:
    submission = inspection.submission
    return InspectionRow(
        **{name: getattr(inspection, name) for name in _AS_THEY_ARE},
        captured_at=submission.captured_at,
        recipe=submission.recipe,
        station_id=submission.station_id,
        part_id=submission.part_id,
        expected=dict(submission.expected),
        verdict=inspection.verdict.value,
        production=_PRODUCTION.dump_python(inspection.production, mode="json"),
        fields=_FIELDS.dump_python(inspection.fields, mode="json"),
        defects=_DEFECTS.dump_python(inspection.defects, mode="json"),
        lines=_LINES.dump_python(inspection.lines, mode="json"),
        notes=list(inspection.notes),
        **dataclasses.asdict(inspection.origin),
    )


def index_rows_of(inspection: Inspection) -> Iterator[Base]:
    """By what the inspection is found: its texts and its defects."""
    text = text_of([{"text": line.text} for line in inspection.lines], inspection.submission.expected)
    yield InspectionTextRow(inspection_id=inspection.id, text=text)
    for code in sorted({defect.code.value for defect in inspection.defects}):
        yield InspectionDefectRow(code=code, inspection_id=inspection.id)


def text_of(lines: Sequence[Mapping[str, Any]], expected: Mapping[str, str]) -> str:
    """What an inspection is searched by: what was read, and what was given with it."""
    return "\n".join([*(line["text"] for line in lines), *expected.values()])


def serial_rows_of(inspection: Inspection, serials: Mapping[str, str]) -> Iterator[SerialRow]:
    submission = inspection.submission
    for field, value in serials.items():
        yield SerialRow(
            at=inspection.received_at,
            recipe=submission.recipe,
            field=field,
            value=value,
            station_id=submission.station_id,
            part_id=submission.part_id,
            passed=inspection.verdict is Verdict.PASS,
            inspection_id=inspection.id,
        )


def inspection_of(row: InspectionRow) -> Inspection:
    columns: dict[str, Any] = {name: getattr(row, name) for name in _AS_THEY_ARE}
    return Inspection(
        **columns,
        submission=Submission(row.recipe, row.expected, row.station_id, row.part_id, row.captured_at),
        verdict=Verdict(row.verdict),
        notes=tuple(row.notes),
        production=_PRODUCTION.validate_python(row.production),
        fields=_FIELDS.validate_python(row.fields),
        defects=_DEFECTS.validate_python(row.defects),
        lines=_LINES.validate_python(row.lines),
        origin=Origin(row.bundle, row.bundle_sha256, row.runtime, row.service_version),
    )

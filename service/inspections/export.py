"""Inspections as a table for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Final

from service.inspections.repository import Filter, InspectionRepository, Line

COLUMNS: Final = (
    "id",
    "received_at",
    "captured_at",
    "verdict",
    "reject",
    "recipe",
    "recipe_version",
    "station_id",
    "part_id",
    "defects",
    "details",
    "expected",
    "reviewed",
    "reviewed_by",
    "review_reason",
)
_ROWS_AT_ONCE: Final = 1000
# A cell that begins so is a formula to a spreadsheet, and what stands on a label is not ours to run:
# https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_lines(inspections: InspectionRepository, wanted: Filter) -> Iterator[str]:
    """The table in pieces of many lines, the heading with the first."""
    heading: list[Sequence[object]] = [COLUMNS]
    before = None
    while True:
        found = inspections.lines(wanted, before=before, limit=_ROWS_AT_ONCE)
        yield _text([*heading, *(_cells(line) for line in found)])
        if len(found) < _ROWS_AT_ONCE:
            return
        heading, before = [], found[-1].id


def _cells(line: Line) -> list[object]:
    return [
        line.id,
        line.received_at.isoformat(),
        line.captured_at.isoformat() if line.captured_at else "",
        line.verdict,
        "true" if line.reject else "false",
        line.recipe,
        line.recipe_version,
        line.station_id or "",
        line.part_id or "",
        "; ".join(f"{one['code']}:{one['field']}" if one["field"] else one["code"] for one in line.defects),
        "; ".join(one["detail"] for one in line.defects),
        "; ".join(f"{name}={value}" for name, value in line.expected.items()),
        line.reviewed or "",
        line.reviewed_by or "",
        line.review_reason or "",
    ]


def _text(rows: Sequence[Sequence[object]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return stream.getvalue()


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell

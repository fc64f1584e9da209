"""Stored inspections."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from pydantic import TypeAdapter

from service.db.engine import transaction
from service.errors import InspectionNotFound, StoreUnavailable
from service.inspections.inspection import Inspection, Origin, ReadLine, Submission
from service.inspections.tables import InspectionRow, SerialRow
from service.matching.field import FieldResult
from service.matching.outcome import Verdict
from service.matching.verdict import Defect
from service.recipes.production import Production

if TYPE_CHECKING:
    import datetime as dt

    from sqlalchemy.orm import InstrumentedAttribute, Session

_PRODUCTION: Final = TypeAdapter(Production | None)
_FIELDS: Final = TypeAdapter(tuple[FieldResult, ...])
_DEFECTS: Final = TypeAdapter(tuple[Defect, ...])
_LINES: Final = TypeAdapter(tuple[ReadLine, ...])


@dataclass(frozen=True, slots=True)
class Filter:
    """What to list; None is any."""

    verdict: Verdict | None = None
    recipe: str | None = None
    station_id: str | None = None
    part_id: str | None = None


class SerialLog:
    """The numbers of earlier parts, as they are in the transaction that stores the next one."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def last(self, field: str, submission: Submission) -> str | None:
        """What the part before at the same station had in a field."""
        query = (
            self._of_other_parts(SerialRow.value, field, submission)
            .where(SerialRow.station_id.is_not_distinct_from(submission.station_id))
            .order_by(SerialRow.id.desc())
        )
        found: str | None = self._session.scalars(query.limit(1)).first()
        return found

    def passed_before(self, field: str, value: str, since: dt.datetime, submission: Submission) -> str | None:
        """The inspection in which another part passed with a value, if there is one."""
        query = self._of_other_parts(SerialRow.inspection_id, field, submission).where(
            SerialRow.value == value, SerialRow.passed, SerialRow.at >= since
        )
        found: str | None = self._session.scalars(query.limit(1)).first()
        return found

    def _of_other_parts(
        self, column: InstrumentedAttribute[str], field: str, submission: Submission
    ) -> sa.Select[Any]:
        query = sa.select(column).where(SerialRow.recipe == submission.recipe, SerialRow.field == field)
        if submission.part_id is None:
            return query
        return query.where(
            SerialRow.part_id.is_distinct_from(submission.part_id)
        )  # it may be looked at again


class InspectionRepository:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def add(self, row: Callable[[SerialLog], tuple[Inspection, Mapping[str, str]]]) -> Inspection:
        """Store an inspection; it is on disk when this returns.

        `row` is asked for once the database is ready to write; it gives the inspection and its serials by field.

        Raises:
            StoreUnavailable: the database did not take it.
        """
        with transaction(self._engine, writes=True) as session:
            inspection, serials = row(SerialLog(session))
            session.add(_row(inspection))
            session.add_all(_serials(inspection, serials))
        return inspection

    def get(self, inspection_id: str) -> Inspection:
        """Raises InspectionNotFound."""
        with transaction(self._engine) as session:
            row = session.get(InspectionRow, inspection_id)
            if row is None:
                raise InspectionNotFound(f"there is no inspection {inspection_id!r}")
            return _inspection(row)

    def page(self, wanted: Filter, *, before: str | None, limit: int) -> list[Inspection]:
        """The newest inspections that were made before the one with the id `before`.

        Pages stay stable while inspections arrive: ids are made in the order of time, so new ones come first.
        """
        query = sa.select(InspectionRow).order_by(InspectionRow.id.desc()).limit(limit)
        for name, value in dataclasses.asdict(wanted).items():
            if value is not None:
                query = query.where(getattr(InspectionRow, name) == value)
        if before is not None:
            query = query.where(InspectionRow.id < before)
        with transaction(self._engine) as session:
            return [_inspection(row) for row in session.scalars(query)]

    def reachable(self) -> bool:
        """Whether the database answers, and is the one with our tables."""
        try:
            with transaction(self._engine) as session:
                session.execute(sa.select(InspectionRow.id).limit(1))
        except StoreUnavailable:
            return False
        return True


def _serials(inspection: Inspection, serials: Mapping[str, str]) -> Iterator[SerialRow]:
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


def _row(inspection: Inspection) -> InspectionRow:
    submission, origin = inspection.submission, inspection.origin
    return InspectionRow(
        id=inspection.id,
        received_at=inspection.received_at,
        captured_at=submission.captured_at,
        recipe=submission.recipe,
        recipe_version=inspection.recipe_version,
        station_id=submission.station_id,
        part_id=submission.part_id,
        expected=dict(submission.expected),
        verdict=inspection.verdict.value,
        reject=inspection.reject,
        production=_PRODUCTION.dump_python(inspection.production, mode="json"),
        fields=_FIELDS.dump_python(inspection.fields, mode="json"),
        defects=_DEFECTS.dump_python(inspection.defects, mode="json"),
        lines=_LINES.dump_python(inspection.lines, mode="json"),
        timings_ms=inspection.timings_ms,
        width=inspection.width,
        height=inspection.height,
        media_type=inspection.media_type,
        notes=list(inspection.notes),
        image_sha256=inspection.image_sha256,
        image_key=inspection.image_key,
        **dataclasses.asdict(origin),
    )


def _inspection(row: InspectionRow) -> Inspection:
    columns: dict[str, Any] = {
        name: getattr(row, name)
        for name in (
            "id",
            "received_at",
            "recipe_version",
            "reject",
            "timings_ms",
            "width",
            "height",
            "media_type",
        )
    }
    return Inspection(
        **columns,
        submission=Submission(row.recipe, row.expected, row.station_id, row.part_id, row.captured_at),
        verdict=Verdict(row.verdict),
        notes=tuple(row.notes),
        production=_PRODUCTION.validate_python(row.production),
        fields=_FIELDS.validate_python(row.fields),
        defects=_DEFECTS.validate_python(row.defects),
        lines=_LINES.validate_python(row.lines),
        image_sha256=row.image_sha256,
        image_key=row.image_key,
        origin=Origin(row.bundle, row.bundle_sha256, row.runtime, row.service_version),
    )

"""What an inspection adds to the statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.statistics.tallies import Kind, Tallies, Tally, minute_of

if TYPE_CHECKING:
    from service.inspections.inspection import Inspection


def count(inspection: Inspection, tallies: Tallies) -> None:
    submission = inspection.submission
    minute = minute_of(inspection.received_at)

    def tally(kind: Kind, name: str, field: str) -> Tally:
        station = submission.station_id or ""
        return Tally(kind, minute, station, submission.recipe, inspection.recipe_version, name, field)

    tallies.add(tally("verdict", inspection.verdict.value, ""))
    for defect in inspection.defects:
        tallies.add(tally("defect", defect.code.value, defect.field or ""))
    for result in inspection.fields:
        if result.score is not None:
            tallies.add(tally("score", "", result.name), total=result.score)

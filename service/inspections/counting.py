"""What an inspection, and a review of it, add to the statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.matching.outcome import Verdict
from service.statistics.tallies import Kind, Tallies, Tally, minute_of

if TYPE_CHECKING:
    from service.inspections.inspection import Inspection
    from service.inspections.reviews.review import Review


def count(inspection: Inspection, tallies: Tallies) -> None:
    tallies.add(_tally(inspection, "verdict", inspection.verdict.value))
    for defect in inspection.defects:
        tallies.add(_tally(inspection, "defect", defect.code.value, defect.field or ""))
    for result in inspection.fields:
        if result.score is not None:
            tallies.add(_tally(inspection, "score", "", result.name), total=result.score)


def count_review(inspection: Inspection, review: Review, tallies: Tallies, count: int) -> None:
    """In the minute of the inspection, so that the yield of its shift is told right; `total` is what good labels change by."""
    good_before, good = inspection.verdict is Verdict.PASS, review.verdict is Verdict.PASS
    tallies.add(_tally(inspection, "review", review.outcome.value), count, total=count * (good - good_before))


def _tally(inspection: Inspection, kind: Kind, name: str, field: str = "") -> Tally:
    submission = inspection.submission
    return Tally(
        kind,
        minute_of(inspection.received_at),
        submission.station_id or "",
        submission.recipe,
        inspection.recipe_version,
        name,
        field,
    )

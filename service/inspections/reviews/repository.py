"""Stored reviews."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from typing import TYPE_CHECKING

import sqlalchemy as sa

from service.audit.entry import Action, Author
from service.audit.repository import record
from service.db.engine import change, transaction
from service.inspections.counting import count_review
from service.inspections.reviews.review import Review, ReviewOutcome, outcome_of
from service.inspections.reviews.tables import ReviewRow
from service.matching.outcome import Verdict
from service.statistics.repository import pending, write_pending

if TYPE_CHECKING:
    from service.inspections.inspection import Inspection


class ReviewRepository:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def add(self, inspection: Inspection, verdict: Verdict, author: Author) -> Review:
        """Store what a person says of an inspection; a later review takes the place of an earlier one.

        The inspection stays as it was; the statistics of its minute follow.
        """
        now = dt.datetime.now(dt.timezone.utc)
        review = Review(now, author.by, verdict, outcome_of(verdict, inspection.reject), author.reason)
        with change(self._engine) as session:
            before = session.get(ReviewRow, inspection.id)
            if before is not None:
                count_review(inspection, _review(before), pending(session), -1)
            count_review(inspection, review, pending(session), 1)
            session.merge(
                ReviewRow(
                    inspection_id=inspection.id,
                    at=now,
                    by=author.by,
                    verdict=verdict.value,
                    outcome=review.outcome.value,
                    reason=author.reason,
                )
            )
            detail = {"from": inspection.verdict.value, "to": verdict.value, "outcome": review.outcome.value}
            record(session, author, Action.INSPECTION_REVIEWED, f"inspection/{inspection.id}", detail)
            write_pending(session)
        return review

    def of(self, inspection_ids: Collection[str]) -> dict[str, Review]:
        """The reviews of those that have one."""
        query = sa.select(ReviewRow).where(ReviewRow.inspection_id.in_(inspection_ids))
        with transaction(self._engine) as session:
            return {row.inspection_id: _review(row) for row in session.scalars(query)}


def _review(row: ReviewRow) -> Review:
    return Review(row.at, row.by, Verdict(row.verdict), ReviewOutcome(row.outcome), row.reason)

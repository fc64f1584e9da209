"""Deletes images that have been kept long enough; results stay."""

from __future__ import annotations

import datetime as dt
import threading
from typing import TYPE_CHECKING, Final

import structlog

from service.matching.outcome import Verdict
from service.observability import metrics

if TYPE_CHECKING:
    from service.images.store import ImageStore
    from service.inspections.repository import InspectionRepository, KeptImage
    from service.settings import KeepSettings

log = structlog.get_logger()

_AT_ONCE: Final = 500
_LEAST_MISSED_FIRST: Final = (Verdict.PASS, Verdict.FAIL, Verdict.REVIEW)
GIGABYTE: Final = 10**9


class Sweeper:
    """By age and verdict, then by quota; an image on whose verdict nobody has decided yet is never deleted."""

    def __init__(self, inspections: InspectionRepository, images: ImageStore, keep: KeepSettings) -> None:
        self._inspections, self._images, self._keep = inspections, images, keep
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End a sweep that is going on after the images that it has begun with."""
        self._stopping.set()

    def sweep(self, now: dt.datetime) -> int:
        """Delete what is due; returns how many images.

        Raises:
            StoreUnavailable: it could not go on; what was deleted is noted.
        """
        with self._inspections.sole_sweeper() as ours:
            return self._sweep(now) if ours else 0

    def _sweep(self, now: dt.datetime) -> int:
        deleted = 0
        days = {
            Verdict.PASS: self._keep.pass_days,
            Verdict.FAIL: self._keep.fail_days,
            Verdict.REVIEW: self._keep.review_days,
        }
        for verdict, kept_for in days.items():
            if kept_for:
                deleted += self._delete(verdict, now - dt.timedelta(days=kept_for), None)[0]
        if self._keep.images_max_gb:
            excess = self._inspections.image_bytes() - int(self._keep.images_max_gb * GIGABYTE)
            for verdict in _LEAST_MISSED_FIRST:
                if excess > 0:
                    count, freed = self._delete(verdict, now, excess)
                    deleted, excess = deleted + count, excess - freed
            if excess > 0:
                log.warning("images_over_quota", bytes=excess, reason="what is left waits for a review")
        if deleted:
            log.info("images_swept", count=deleted)
        return deleted

    def _delete(self, verdict: Verdict, before: dt.datetime, excess: int | None) -> tuple[int, int]:
        """The oldest images of a verdict, up to a time, and no more than `excess` bytes ask for; count and bytes."""
        deleted = freed = 0
        while not self._stopping.is_set() and (excess is None or freed < excess):
            due = self._inspections.oldest_images(verdict, before, _AT_ONCE)
            if excess is not None:
                due = _enough(due, excess - freed)
            if not due:
                break
            self._images.delete(
                [one.key for one in due]
            )  # first: a row must not forget an image that is there
            self._inspections.forget_images([one.inspection_id for one in due])
            metrics.images_swept.labels(verdict=verdict.value).inc(len(due))
            deleted += len(due)
            freed += sum(one.size for one in due)
        return deleted, freed


def _enough(images: list[KeptImage], excess: int) -> list[KeptImage]:
    taken, size = [], 0
    for one in images:
        if size >= excess:
            break
        taken.append(one)
        size += one.size
    return taken

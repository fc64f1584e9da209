"""An image in, a stored verdict out: the one path that every inspection of the service takes."""

from __future__ import annotations

import datetime as dt
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import structlog
import uuid_utils
from anyio import to_thread

from service import __version__
from service.errors import DeadlinePassed, EngineFailed, StoreUnavailable, Unavailable
from service.imaging.decode import decode
from service.inspections.inspection import Inspection, Judgement, Origin, Submission, judge, judge_failure
from service.matching.outcome import DefectCode
from service.observability import metrics
from service.ocr.text import Reading

if TYPE_CHECKING:
    from service.batching.batcher import Batcher
    from service.imaging.frame import Frame
    from service.inspections.images import ImageFolder
    from service.inspections.repository import InspectionRepository
    from service.ocr.reader import EngineFacts
    from service.recipes.recipe import Recipe
    from service.recipes.repository import RecipeRepository
    from service.settings import LimitSettings

T = TypeVar("T")

log = structlog.get_logger()

_FAILURES = {DeadlinePassed: DefectCode.DEADLINE_PASSED, EngineFailed: DefectCode.ENGINE_FAILED}


@dataclass(frozen=True, slots=True)
class _Received:
    image: bytes
    submission: Submission
    at: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.timezone.utc))
    started: float = field(default_factory=time.monotonic)


class InspectionPipeline:
    """Decode, read, compare, store; times each stage."""

    def __init__(
        self,
        *,
        recipes: RecipeRepository,
        batcher: Batcher[Frame, Reading],
        engine_facts: Callable[[], EngineFacts],
        images: ImageFolder,
        inspections: InspectionRepository,
        limits: LimitSettings,
    ) -> None:
        self._recipes = recipes
        self._batcher = batcher
        self._engine_facts = engine_facts
        self._images = images
        self._inspections = inspections
        self._limits = limits

    async def inspect(
        self, image: bytes, submission: Submission, deadline_ms: int
    ) -> tuple[Inspection, float]:
        """Carry out one inspection.

        Returns:
            The stored inspection, and how long storing took in milliseconds.

        Raises:
            RecipeNotFound, InvalidInput: the request cannot be carried out; nothing is stored.
            NotReady, QueueFull: it was not admitted; nothing is stored.
            DeadlinePassed, EngineFailed: it was admitted and failed; a REVIEW with the reason is stored.
            StoreUnavailable: the result could not be stored, so there is no verdict.

        Every `Unavailable` states in `reject` what the line does with the part.
        """
        received = _Received(image, submission)
        recipe = (await to_thread.run_sync(self._recipes.active, submission.recipe)).resolve(
            submission.expected
        )
        timings: dict[str, float] = {}
        failure: Unavailable | None = None
        try:
            frame = await _timed("decode", timings, self._decode, image)
            try:
                deadline = received.started + deadline_ms / 1000
                reading, timings["queue"] = await self._batcher.submit(frame, deadline)
                timings |= reading.timings_ms
                judgement = await _timed("match", timings, judge, recipe, reading)
            except (DeadlinePassed, EngineFailed) as error:
                failure = error
                judgement = judge_failure(recipe, _FAILURES[type(error)], str(error))
            timings["total"] = 1000 * (time.monotonic() - received.started)
            storing: dict[str, float] = {}
            inspection = await _timed(
                "store", storing, self._store, received, frame, recipe, judgement, timings
            )
        except Unavailable as error:
            error.reject = recipe.on_error == "reject"
            raise
        _observe(inspection, timings | storing)
        if failure is not None:
            failure.reject = inspection.reject
            failure.inspection_id = inspection.id
            raise failure
        return inspection, storing["store"]

    def _decode(self, image: bytes) -> Frame:
        return decode(image, max_bytes=self._limits.image_max_bytes, max_pixels=self._limits.image_max_pixels)

    def _store(
        self,
        received: _Received,
        frame: Frame,
        recipe: Recipe,
        judgement: Judgement,
        timings: dict[str, float],
    ) -> Inspection:
        """Image first, then the row: a row never points to an image that is not there."""
        facts = self._engine_facts()
        inspection_id = str(uuid_utils.uuid7())
        image_key = self._images.put(inspection_id, received.at, frame.media_type, received.image)
        inspection = Inspection(
            id=inspection_id,
            received_at=received.at,
            submission=received.submission,
            recipe_version=recipe.version,
            verdict=judgement.evaluation.verdict,
            reject=judgement.reject,
            fields=judgement.evaluation.fields,
            defects=judgement.evaluation.defects,
            lines=judgement.lines,
            timings_ms={stage: round(spent, 2) for stage, spent in timings.items()},
            width=frame.width,
            height=frame.height,
            media_type=frame.media_type,
            image_sha256=hashlib.sha256(received.image).hexdigest(),
            image_key=image_key,
            origin=Origin(facts.bundle, facts.bundle_sha256, facts.runtime, __version__),
        )
        try:
            self._inspections.add(inspection)
        except StoreUnavailable:
            self._images.remove(image_key)
            raise
        return inspection


async def _timed(stage: str, timings: dict[str, float], work: Callable[..., T], *args: object) -> T:
    """Run work off the event loop and note the milliseconds it took."""
    began = time.monotonic()
    result = await to_thread.run_sync(work, *args)
    timings[stage] = 1000 * (time.monotonic() - began)
    return result


def _observe(inspection: Inspection, timings_ms: dict[str, float]) -> None:
    submission = inspection.submission
    for stage, spent in timings_ms.items():
        metrics.stage_duration.labels(stage=stage).observe(spent / 1000)
    metrics.inspections.labels(
        station=metrics.bounded_station(submission.station_id),
        recipe=submission.recipe,
        verdict=inspection.verdict.value,
    ).inc()
    log.info(
        "inspected",
        inspection_id=inspection.id,
        recipe=submission.recipe,
        station_id=submission.station_id,
        verdict=inspection.verdict.value,
        defects=[f"{defect.code.value}:{defect.field}" for defect in inspection.defects],
        total_ms=inspection.timings_ms["total"],
    )

"""An image in, a stored verdict out: the one path that every inspection of the service takes."""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

import structlog
import uuid_utils
from anyio import CapacityLimiter, to_thread

from service import __version__
from service.batching.batcher import Batcher
from service.errors import DeadlinePassed, EngineFailed, NotReady, QueueFull, Unavailable
from service.idempotency.repository import Claim
from service.images.store import ImageStore, key_of
from service.imaging.decode import decode
from service.imaging.frame import Frame
from service.imaging.regions import View
from service.inspections.evidence import gather
from service.inspections.inspection import (
    Inspection,
    Judgement,
    Origin,
    Submission,
    judge,
    judge_failure,
    without_evidence,
)
from service.inspections.repository import InspectionRepository, SerialLog
from service.inspections.serials import judge_serials, serials_of
from service.matching.outcome import DefectCode, Verdict
from service.matching.verdict import Defect
from service.observability import metrics
from service.ocr.cores import granted_cores
from service.ocr.reader import Reader
from service.ocr.text import Reading
from service.recipes.production import Source
from service.recipes.recipe import Recipe
from service.recipes.repository import RecipeRepository
from service.recipes.resolve import resolve
from service.settings import KeepSettings, LimitSettings
from service.stations.repository import StationRepository

T = TypeVar("T")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Received:
    """A request, and until when (`time.monotonic()`) its camera waits."""

    image: bytes
    submission: Submission
    deadline: float
    at: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.timezone.utc))
    started: float = field(default_factory=time.monotonic)

    def resolve(self, recipe: Recipe) -> Recipe:
        """The recipe for this part, dated by the camera's clock if it sends it."""
        seen = self.submission.captured_at
        source: Source = "captured_at" if seen else "received_at"
        return resolve(recipe, self.submission.expected, seen or self.at, source)

    @property
    def is_late(self) -> bool:
        return time.monotonic() > self.deadline


@dataclass(frozen=True, slots=True)
class Trial:
    """An inspection that is not stored."""

    recipe: Recipe
    judgement: Judgement
    received_at: dt.datetime
    size: tuple[int, int]
    notes: tuple[str, ...]
    timings_ms: dict[str, float]


class InspectionPipeline:
    """Decode, read, compare, store; times each stage."""

    def __init__(
        self,
        *,
        recipes: RecipeRepository,
        stations: StationRepository,
        batcher: Batcher[Reader, Frame, Reading],
        images: ImageStore,
        inspections: InspectionRepository,
        limits: LimitSettings,
        keep: KeepSettings,
        max_in_flight: int,
    ) -> None:
        self._recipes = recipes
        self._stations = stations
        self._batcher = batcher
        self._images = images
        self._inspections = inspections
        self._limits = limits
        self._spare = keep.evidence == "not_passed"
        self._max_in_flight = max_in_flight
        self._in_flight = 0
        # A decoded image can take hundreds of megabytes: as many at a time as there are cores to decode them.
        self._decoders = CapacityLimiter(granted_cores())

    async def inspect(
        self,
        image: bytes,
        submission: Submission,
        deadline_ms: int,
        claim: Claim | None = None,
        *,
        began: float | None = None,
    ) -> tuple[Inspection, float]:
        """Carry out one inspection; its deadline runs since `began` (`time.monotonic()`), now by default.

        Returns:
            The stored inspection, and how long storing took in milliseconds.

        Raises:
            RecipeNotFound, StationNotFound, InvalidInput: the request cannot be carried out; nothing is stored.
            NotReady, QueueFull: it was not admitted; nothing is stored.
            DeadlinePassed, EngineFailed: it was admitted and failed; a REVIEW with the reason is stored, or the verdict as
                it was if only its last commit was late.
            StoreUnavailable: the result could not be stored, so there is no verdict.
            IdempotencyKeyInFlight: the `claim` has ended, and the request was taken up again.

        Every `Unavailable` states in `reject` what the line does with the part.
        """
        deadline = (time.monotonic() if began is None else began) + deadline_ms / 1000
        recipe_name = submission.recipe or await to_thread.run_sync(self._recipe_of, submission.station_id)
        received = _Received(image, replace(submission, recipe=recipe_name), deadline)
        recipe = received.resolve(await to_thread.run_sync(self._recipes.active, recipe_name))
        timings: dict[str, float] = {}
        storing: dict[str, float] = {}
        try:
            with self._admission():
                frame = await _timed(
                    "decode", timings, self._decode, image, recipe.image, limiter=self._decoders
                )
                judgement = await self._read_and_judge(received, frame, recipe, timings)
            timings["total"] = 1000 * (time.monotonic() - received.started)
            inspection = await _timed(
                "store", storing, self._store, received, frame, recipe, judgement, timings, claim
            )
        except Unavailable as error:
            error.reject = recipe.on_error == "reject"
            raise
        _observe(inspection, timings | storing)
        failure, rejected = _failure(inspection.defects), inspection.reject
        if failure is None and received.is_late:
            # The last commit was slow: nobody waits for this verdict any more.
            failure = DeadlinePassed("the verdict was stored after the deadline")
            rejected = rejected or recipe.on_error == "reject"
        if failure is not None:
            failure.reject, failure.inspection_id = rejected, inspection.id
            raise failure
        return inspection, storing["store"]

    async def try_out(
        self, image: bytes, submission: Submission, version: int | None, deadline_ms: int
    ) -> Trial:
        """Inspect an image by a version of a recipe (the active one by default) and store nothing.

        Raises:
            RecipeNotFound, InvalidInput, Unavailable: as for `inspect`.
        """
        received = _Received(image, submission, time.monotonic() + deadline_ms / 1000)
        stored = await to_thread.run_sync(self._recipes.get, submission.recipe, version)
        recipe = received.resolve(stored.recipe)
        timings: dict[str, float] = {}
        with self._admission():
            frame = await _timed("decode", timings, self._decode, image, recipe.image, limiter=self._decoders)
            judgement = await self._read_and_judge(received, frame, recipe, timings)
        failure = _failure(judgement.evaluation.defects)
        if failure is not None:
            raise failure
        return Trial(recipe, judgement, received.at, (frame.width, frame.height), frame.notes, timings)

    def _recipe_of(self, station_id: str | None) -> str:
        return self._stations.recipe_of(station_id or "")

    @contextmanager
    def _admission(self) -> Iterator[None]:
        """A place for one more image to be decoded, to wait and to be read."""
        if self._in_flight >= self._max_in_flight:
            metrics.shed.labels(reason="queue_full").inc()
            raise QueueFull(f"{self._in_flight} images are being worked on or waiting already")
        self._in_flight += 1
        try:
            yield
        finally:
            self._in_flight -= 1

    def _decode(self, image: bytes, view: View) -> Frame:
        limits = self._limits
        frame = decode(image, max_bytes=limits.image_max_bytes, max_pixels=limits.image_max_pixels)
        return replace(frame, view=view)

    async def _read_and_judge(
        self, received: _Received, frame: Frame, recipe: Recipe, timings: dict[str, float]
    ) -> Judgement:
        """From here on the inspection is admitted: whatever happens, it comes to something that is stored."""
        try:
            # Codes are looked for while the engine reads.
            looking = asyncio.ensure_future(to_thread.run_sync(gather, frame, recipe, abandon_on_cancel=True))
            try:
                reading, timings["queue"] = await self._batcher.submit(frame, received.deadline)
                timings |= reading.timings_ms
                evidence = await looking
            finally:
                looking.cancel()
            return await _timed("match", timings, judge, recipe, reading, evidence)
        except DeadlinePassed as error:
            return _late(recipe, error)
        except EngineFailed as error:
            return judge_failure(recipe, DefectCode.ENGINE_FAILED, str(error))
        except (NotReady, QueueFull):
            raise  # the engine did not take it: it was not admitted after all
        except Exception:
            log.exception("inspection_failed", recipe=recipe.name, recipe_version=recipe.version)
            reason = "the inspection failed inside the service; its log has the reason"
            return judge_failure(recipe, DefectCode.ENGINE_FAILED, reason)

    def _store(
        self,
        received: _Received,
        frame: Frame,
        recipe: Recipe,
        judgement: Judgement,
        timings: dict[str, float],
        claim: Claim | None,
    ) -> Inspection:
        """Image first, then the row: a row never points to an image that is not there."""
        reader = self._batcher.engine
        if reader is None:
            raise NotReady("the engine is starting")
        facts = reader.facts
        inspection_id = str(uuid_utils.uuid7(nanoseconds=int(received.at.timestamp() * 1000) * 10**6))
        image_sha256 = hashlib.sha256(received.image).hexdigest()
        image_key = key_of(inspection_id, received.at, frame.media_type)
        self._images.put(image_key, received.image, frame.media_type)

        def row(log: SerialLog) -> tuple[Inspection, dict[str, str]]:
            # Asked for when the database is ours: a verdict that had to wait too long for it is late as well.
            judged = judgement
            if received.is_late and _failure(judgement.evaluation.defects) is None:
                judged = _late(recipe, DeadlinePassed("the verdict could not be stored within the deadline"))
            serials = serials_of(recipe, judged)
            judged = judge_serials(judged, serials, recipe, received.submission, log, received.at)
            evaluation = judged.evaluation
            passed = evaluation.verdict is Verdict.PASS
            inspection = Inspection(
                id=inspection_id,
                received_at=received.at,
                submission=received.submission,
                recipe_version=recipe.version,
                verdict=evaluation.verdict,
                reject=judged.reject,
                production=recipe.production,
                fields=without_evidence(evaluation.fields) if passed and self._spare else evaluation.fields,
                defects=evaluation.defects,
                lines=judged.lines,
                timings_ms={stage: round(spent, 2) for stage, spent in timings.items()},
                width=frame.width,
                height=frame.height,
                media_type=frame.media_type,
                notes=frame.notes,
                image_sha256=image_sha256,
                image_bytes=len(received.image),
                image_key=image_key,
                origin=Origin(facts.bundle, facts.bundle_sha256, facts.runtime, __version__),
            )
            return inspection, serials

        return self._inspections.add(row, claim)


def _late(recipe: Recipe, error: DeadlinePassed) -> Judgement:
    return judge_failure(recipe, DefectCode.DEADLINE_PASSED, str(error))


def _failure(defects: tuple[Defect, ...]) -> Unavailable | None:
    """The error to answer with, if the inspection could not be carried out."""
    kinds = {DefectCode.DEADLINE_PASSED: DeadlinePassed, DefectCode.ENGINE_FAILED: EngineFailed}
    return next((kinds[one.code](one.detail) for one in defects if one.code in kinds), None)


async def _timed(
    stage: str,
    timings: dict[str, float],
    work: Callable[..., T],
    *args: object,
    limiter: CapacityLimiter | None = None,
) -> T:
    """Run work off the event loop and note the milliseconds it took."""
    began = time.monotonic()
    result = await to_thread.run_sync(work, *args, limiter=limiter)
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

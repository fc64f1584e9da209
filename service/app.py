"""The composition root: the only place that knows which parts the service is made of."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import structlog
from anyio import to_thread
from fastapi import FastAPI

from service import __version__
from service.access.repository import KeyRepository
from service.access.sessions.repository import SessionRepository
from service.api import (
    audit,
    health,
    inspections,
    pictures,
    problems,
    recipes,
    report,
    sessions,
    stations,
    statistics,
)
from service.api.dependencies import Components
from service.api.limits import BodyLimit
from service.audit.repository import AuditRepository
from service.batching.batcher import Batcher
from service.db import engine as db
from service.db.writer import GroupWriter
from service.errors import SettingsInvalid
from service.idempotency.repository import IdempotencyRepository
from service.images.store import open_store
from service.imaging.frame import Frame
from service.inspections.pipeline import InspectionPipeline
from service.inspections.repository import InspectionRepository
from service.inspections.reviews.repository import ReviewRepository
from service.inspections.sweeper import Sweeper
from service.observability import metrics
from service.ocr.engine import EngineSource
from service.ocr.reader import Reader
from service.ocr.text import Reading
from service.recipes.files import load_folder
from service.recipes.repository import RecipeRepository
from service.stations.repository import StationRepository
from service.statistics.repository import StatisticsRepository, write_pending
from service.upkeep import keep_up

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Lifespan

    from service.settings import Settings

log = structlog.get_logger()

ENGINE_STOP_TIMEOUT_S = 5  # when the application stops, its requests have been answered


def create_app(settings: Settings) -> FastAPI:
    """Build the service. The engine loads in the background once the app starts; `/readyz` tells when it is done.

    Raises:
        ConfigurationError, RecipeInvalid: it must not start; the message says what mends it.
    """
    engine_source = EngineSource(settings.engine, settings.weights_dir)
    if settings.recipes_dir is not None and not settings.recipes_dir.is_dir():
        raise SettingsInvalid(f"PRINTPROOF_RECIPES_DIR: there is no folder {settings.recipes_dir}")
    recipe_files = load_folder(settings.recipes)
    if settings.access.open:
        log.warning(
            "access_open", reason="PRINTPROOF_ACCESS__OPEN is set: whoever reaches this port may do anything"
        )
    database = db.connect(settings.database)
    db.prepare(database)
    recipe_repository = RecipeRepository(database)
    for change in recipe_repository.sync(recipe_files):
        log.info("recipe_changed", recipe=change)
    if not recipe_files:
        log.warning("no_recipes", folder=str(settings.recipes))

    def load() -> Reader:
        reader = engine_source.load()
        metrics.device_fallback.set(reader.facts.fallback)
        if reader.facts.fallback:
            log.warning(
                "device_fallback", device="cpu", reason="no usable GPU; PRINTPROOF_ENGINE__DEVICE is auto"
            )
        return reader

    engine = settings.engine
    batcher: Batcher[Reader, Frame, Reading] = Batcher(
        load,
        Reader.read,
        max_batch_size=engine.max_batch_size,
        max_wait_ms=engine.max_wait_ms,
        queue_size=engine.queue_size,
        hang_after_s=engine.hang_after_s,
    )
    images = open_store(settings)
    writer = GroupWriter(database, before_commit=write_pending)
    inspection_repository = InspectionRepository(database, writer)
    station_repository = StationRepository(database)
    pipeline = InspectionPipeline(
        recipes=recipe_repository,
        stations=station_repository,
        batcher=batcher,
        images=images,
        inspections=inspection_repository,
        limits=settings.limits,
        keep=settings.keep,
        max_in_flight=engine.queue_size,
    )

    idempotency = IdempotencyRepository(writer)
    sweeper = Sweeper(inspection_repository, images, settings.keep)
    tasks = {
        "sweep": sweeper.sweep,
        "idempotency_keys": idempotency.purge,
        "months": lambda now: db.prepare_months(database, now),
    }

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        batcher.start()
        upkeep = asyncio.create_task(keep_up(tasks))
        yield
        sweeper.stop()
        upkeep.cancel()
        await to_thread.run_sync(batcher.drain, ENGINE_STOP_TIMEOUT_S)
        database.dispose()

    app = build_api(settings.limits.image_max_bytes, lifespan)
    app.state.components = Components(
        settings=settings,
        recipes=recipe_repository,
        stations=station_repository,
        inspections=inspection_repository,
        images=images,
        batcher=batcher,
        pipeline=pipeline,
        reviews=ReviewRepository(database),
        statistics=StatisticsRepository(database),
        keys=KeyRepository(database),
        sessions=SessionRepository(database),
        audit=AuditRepository(database),
        idempotency=idempotency,
    )
    return app


def build_api(image_max_bytes: int, lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """The HTTP interface alone: paths, errors and limits, with nothing behind them yet."""
    app = FastAPI(
        title="PrintProof",
        version=__version__,
        summary="Inspects printed labels: PASS, FAIL or REVIEW.",
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        lifespan=lifespan,
        # The interactive pages load scripts from other hosts, which an air-gapped plant does not reach.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # a camera does not follow redirects; it is told that the path is wrong
    )
    app.add_middleware(BodyLimit, image_max_bytes=image_max_bytes)
    problems.install(app)
    for router in (
        inspections.router,
        pictures.router,
        recipes.router,
        stations.router,
        statistics.router,
        report.router,
        sessions.router,
        audit.router,
        health.router,
    ):
        app.include_router(router)
    return app

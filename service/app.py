"""The composition root: the only place that knows which parts the service is made of."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import structlog
from anyio import to_thread
from fastapi import FastAPI

from service import __version__
from service.api import health, inspections, problems, recipes
from service.api.dependencies import Components
from service.api.limits import BodyLimit
from service.batching.batcher import Batcher
from service.db import engine as db
from service.errors import NotReady
from service.inspections.images import ImageFolder
from service.inspections.pipeline import InspectionPipeline
from service.inspections.repository import InspectionRepository
from service.observability import metrics
from service.ocr import weights
from service.ocr.cores import granted_cores
from service.ocr.reader import EngineFacts, Reader
from service.recipes.files import load_folder
from service.recipes.repository import RecipeRepository

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Lifespan

    from service.batching.batcher import Engine
    from service.imaging.frame import Frame
    from service.ocr.text import Reading
    from service.settings import Settings

log = structlog.get_logger()

DRAIN_TIMEOUT_S = 30


def create_app(settings: Settings) -> FastAPI:
    """Build the service. The engine loads in the background once the app starts; `/readyz` tells when it is done.

    Raises:
        ConfigurationError, RecipeInvalid: it must not start; the message says what mends it.
    """
    weights.verify(weights.find_bundle(settings.engine.bundle), settings.weights_dir)
    recipe_files = load_folder(settings.recipes)
    database = db.connect(settings.database)
    if db.is_sqlite(database):
        db.migrate(database)
    else:
        db.require_current(database)
    recipe_repository = RecipeRepository(database)
    for changed in recipe_repository.sync(recipe_files):
        log.info("recipe_activated", recipe=changed)

    parts: Components

    def load() -> Engine[Frame, Reading]:
        reader = Reader(settings.engine, settings.weights_dir, granted_cores())
        reader.check()
        parts.engine_facts = reader.facts
        metrics.device_fallback.set(reader.facts.fallback)
        if reader.facts.fallback:
            log.warning(
                "device_fallback", device="cpu", reason="no usable GPU; PRINTPROOF_ENGINE__DEVICE is auto"
            )
        return reader.read

    batcher: Batcher[Frame, Reading] = Batcher(
        load,
        max_batch_size=settings.engine.max_batch_size,
        max_wait_ms=settings.engine.max_wait_ms,
        queue_size=settings.engine.queue_size,
        hang_after_s=settings.engine.hang_after_s,
    )
    images = ImageFolder(settings.images)
    inspection_repository = InspectionRepository(database)

    def engine_facts() -> EngineFacts:
        if parts.engine_facts is None:
            raise NotReady("the engine is starting")
        return parts.engine_facts

    pipeline = InspectionPipeline(
        recipes=recipe_repository,
        batcher=batcher,
        engine_facts=engine_facts,
        images=images,
        inspections=inspection_repository,
        limits=settings.limits,
    )
    parts = Components(settings, recipe_repository, inspection_repository, images, batcher, pipeline)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        batcher.start()
        yield
        await to_thread.run_sync(batcher.drain, DRAIN_TIMEOUT_S)
        database.dispose()

    app = build_api(settings.limits.image_max_bytes, lifespan)
    app.state.components = parts
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
    )
    app.add_middleware(BodyLimit, image_max_bytes=image_max_bytes)
    problems.install(app)
    for router in (inspections.router, recipes.router, health.router):
        app.include_router(router)
    return app

"""Probes, metrics and facts."""

from __future__ import annotations

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST

from service import __version__
from service.api.dependencies import App
from service.api.problems import responses
from service.api.schemas import EngineOut, Health, Info
from service.api.security import DENIALS, Caller
from service.batching.batcher import State
from service.errors import NotReady
from service.observability import metrics

router = APIRouter(tags=["operations"])


@router.get(
    "/livez",
    operation_id="livez",
    summary="Whether the process works at all: if not, restart it",
    responses=responses(NotReady),
)
async def livez(app: App) -> Health:
    """Never asks the database: an outage there must not restart every replica."""
    if app.batcher.state is not State.FAILED and not app.batcher.alive:
        raise NotReady("the engine thread is dead or hangs")
    return Health(status="alive")


@router.get(
    "/readyz",
    operation_id="readyz",
    summary="Whether it takes inspections now",
    responses=responses(NotReady),
)
def readyz(app: App) -> Health:
    if app.batcher.state is not State.READY:
        reason = f": {app.batcher.failure}" if app.batcher.failure else ""
        raise NotReady(f"the engine is {app.batcher.state.value}{reason}")
    if not app.inspections.reachable():
        raise NotReady("the database does not answer")
    return Health(status="ready")


@router.get("/metrics", operation_id="metrics", summary="Prometheus metrics", response_class=Response)
def get_metrics(app: App) -> Response:
    metrics.ready.set(app.batcher.state is State.READY)
    return Response(metrics.exposition(), media_type=CONTENT_TYPE_LATEST)


@router.get("/v1/info", operation_id="get_info", summary="Version, engine, device, limits", responses=DENIALS)
async def get_info(app: App, _caller: Caller) -> Info:
    reader = app.batcher.engine
    engine = EngineOut.model_validate(reader.facts) if reader else None
    return Info(version=__version__, engine=engine, limits=app.settings.limits.model_dump())

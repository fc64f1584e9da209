"""What the handlers get of the application: made once by `service.app`, read from its state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from service.access.repository import KeyRepository
from service.access.sessions.repository import SessionRepository
from service.audit.repository import AuditRepository
from service.batching.batcher import Batcher
from service.idempotency.repository import IdempotencyRepository
from service.images.store import ImageStore
from service.imaging.frame import Frame
from service.inspections.pipeline import InspectionPipeline
from service.inspections.repository import InspectionRepository
from service.inspections.reviews.repository import ReviewRepository
from service.ocr.reader import Reader
from service.ocr.text import Reading
from service.recipes.repository import RecipeRepository
from service.settings import Settings
from service.stations.repository import StationRepository
from service.statistics.repository import StatisticsRepository


@dataclass(frozen=True, slots=True)
class Components:
    settings: Settings
    recipes: RecipeRepository
    stations: StationRepository
    inspections: InspectionRepository
    images: ImageStore
    batcher: Batcher[Reader, Frame, Reading]
    pipeline: InspectionPipeline
    reviews: ReviewRepository
    statistics: StatisticsRepository
    keys: KeyRepository
    sessions: SessionRepository
    audit: AuditRepository
    idempotency: IdempotencyRepository


def components(request: Request) -> Components:
    found: Components = request.app.state.components
    return found


App = Annotated[Components, Depends(components)]

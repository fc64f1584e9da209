"""A pipeline on a real database and real files, with an engine that reads what a test says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import sqlalchemy as sa

from service.batching.batcher import Batcher, State
from service.db.writer import GroupWriter
from service.images.folder import ImageFolder
from service.imaging.frame import Frame
from service.inspections.inspection import Inspection, Submission
from service.inspections.pipeline import InspectionPipeline
from service.inspections.repository import Filter, InspectionRepository
from service.ocr.reader import EngineFacts
from service.ocr.text import Reading
from service.recipes.repository import RecipeRepository
from service.settings import KeepSettings, LimitSettings
from service.stations.repository import StationRepository
from service.statistics.repository import write_pending
from tests.labels import label

FACTS = EngineFacts("bundle", "0" * 64, "runtime 1", "cpu", fallback=False)
Call = Callable[[Sequence[Frame]], Sequence[Reading]]


@dataclass
class FakeReader:
    """Stands for the networks: reads what a test says, or fails as it says."""

    read: Call
    facts: EngineFacts = FACTS


SUBMISSION = Submission("milk", {"lot": "77A"}, "line-1", "part-1")
IMAGE = cv2.imencode(".png", np.full((20, 60, 3), 200, np.uint8))[1].tobytes()


def reads(*texts: str) -> Callable[[Sequence[Frame]], list[Reading]]:
    return lambda frames: [Reading(tuple(label(*texts)), {"detect": 1.0, "recognise": 2.0}) for _ in frames]


class Plant:
    def __init__(self, database: sa.Engine, recipes: RecipeRepository, folder: Path) -> None:
        self.database, self.recipes, self.folder = database, recipes, folder
        self.inspections = InspectionRepository(database, GroupWriter(database, before_commit=write_pending))

    @contextmanager
    def pipeline(self, engine: Call) -> Iterator[InspectionPipeline]:
        batcher: Batcher[Any, Frame, Reading] = Batcher(
            lambda: FakeReader(engine),
            lambda reader, frames: reader.read(frames),
            max_batch_size=1,
            max_wait_ms=0,
            queue_size=4,
            hang_after_s=10,
        )
        batcher.start()
        while batcher.state is State.STARTING:
            time.sleep(0.001)
        yield InspectionPipeline(
            recipes=self.recipes,
            stations=StationRepository(self.database),
            batcher=batcher,
            images=ImageFolder(self.folder),
            inspections=self.inspections,
            limits=LimitSettings(),
            keep=KeepSettings(),
            max_in_flight=4,
        )
        batcher.drain(10)

    def inspect(self, engine: Call, deadline_ms: int = 10_000) -> Inspection:
        with self.pipeline(engine) as pipeline:
            return asyncio.run(pipeline.inspect(IMAGE, SUBMISSION, deadline_ms))[0]

    def stored(self) -> list[Inspection]:
        return self.inspections.page(Filter(), before=None, limit=100)

    def files(self) -> list[Path]:
        return [path for path in self.folder.rglob("*") if path.is_file()]

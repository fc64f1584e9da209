"""A dynamic batcher: many callers, one thread that owns the engine.

Inference runtimes are not thread-safe (Paddle's predictors have answered with other callers' results), so the engine is
created, warmed and called by one thread alone. Terms: an *entry* is one item with its future; the *queue* is bounded
and full means refused at once; a *batch* is what one engine call gets.

    submit --put--> queue --take--> batch --engine--> results --future--> submit
             |                |                 |
         QueueFull      DeadlinePassed     EngineFailed (each item retried alone)
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

import structlog

from service.errors import DeadlinePassed, EngineFailed, NotReady, PrintProofError, QueueFull
from service.observability import metrics

Engine = TypeVar("Engine")
Item = TypeVar("Item")
Result = TypeVar("Result")

log = structlog.get_logger()


class State(str, Enum):
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"
    """The engine could not be created or read the built-in sample wrongly; it will never be ready."""
    DRAINING = "draining"


@dataclass(slots=True, eq=False)
class _Entry(Generic[Item, Result]):
    item: Item
    future: Future[tuple[Result, float]]
    put_at: float
    deadline: float


class Batcher(Generic[Engine, Item, Result]):
    """Runs engine calls on a thread of its own.

    Args:
        load: creates and warms the engine; called on the batcher's thread.
        run: one engine call; as many results as items, in their order.
        max_batch_size: items per engine call at most.
        max_wait_ms: how long a batch that is not full waits for more.
        queue_size: entries that may wait.
        hang_after_s: an engine call that takes longer makes `alive` false.
    """

    def __init__(
        self,
        load: Callable[[], Engine],
        run: Callable[[Engine, Sequence[Item]], Sequence[Result]],
        *,
        max_batch_size: int,
        max_wait_ms: float,
        queue_size: int,
        hang_after_s: float,
    ) -> None:
        self._load = load
        self._run = run
        self._max_batch_size = max_batch_size
        self._max_wait_s = max_wait_ms / 1000
        self._queue_size = queue_size
        self._hang_after_s = hang_after_s
        self._waiting: deque[_Entry[Item, Result]] = deque()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="engine", daemon=True)
        self._busy_since: float | None = None
        self.state = State.STARTING
        self.failure = ""
        """Why the state is FAILED."""
        self.engine: Engine | None = None
        """Set once it is loaded; only the batcher's thread may call it, but its facts are there for all."""
        metrics.queue_size.set_function(lambda: len(self._waiting))

    @property
    def alive(self) -> bool:
        """False once the thread is dead or hangs in one engine call: only a restart helps."""
        busy_since = self._busy_since
        hangs = busy_since is not None and time.monotonic() - busy_since > self._hang_after_s
        return self._thread.is_alive() and not hangs

    def start(self) -> None:
        self._thread.start()

    async def submit(self, item: Item, deadline: float) -> tuple[Result, float]:
        """Wait for the result of one item; `deadline` is a `time.monotonic()` value.

        Returns:
            The result, and how many milliseconds the item waited in the queue.

        Raises:
            NotReady: the engine is not (or no longer) taking work.
            QueueFull: too many wait already.
            DeadlinePassed: no result in time; the item is dropped if its turn has not come.
            EngineFailed: the engine failed on this item.
        """
        entry: _Entry[Item, Result] = _Entry(item, Future(), time.monotonic(), deadline)
        with self._changed:
            if self.state is not State.READY:
                raise NotReady(f"the engine is {self.state.value}")
            if len(self._waiting) >= self._queue_size:
                raise QueueFull(f"{len(self._waiting)} images are waiting already")
            self._waiting.append(entry)
            self._changed.notify()
        try:
            return await asyncio.wait_for(asyncio.wrap_future(entry.future), deadline - time.monotonic())
        except (TimeoutError, asyncio.TimeoutError):  # one class from Python 3.11 on
            raise DeadlinePassed("no verdict within the deadline") from None
        finally:
            with self._changed, contextlib.suppress(ValueError):
                self._waiting.remove(entry)  # nobody waits for it any more: its place is free

    def drain(self, timeout_s: float) -> None:
        """Take no more work, finish what was admitted, end the thread. Waits `timeout_s` at most."""
        with self._changed:
            if self.state is not State.FAILED:
                self.state = State.DRAINING
            self._changed.notify()
        self._thread.join(timeout_s)

    def _work(self) -> None:
        try:
            engine = self._load()
        except Exception as error:
            self.failure = str(error)
            self.state = State.FAILED
            log.error(
                "engine_failed_to_start", error=str(error), exc_info=not isinstance(error, PrintProofError)
            )
            return
        with self._changed:
            self.engine = engine
            if self.state is State.STARTING:
                self.state = State.READY
        log.info("engine_ready")
        while (batch := self._next_batch()) is not None:
            if batch:
                self._busy_since = time.monotonic()
                self._answer(engine, batch)
                self._busy_since = None

    def _next_batch(self) -> list[_Entry[Item, Result]] | None:
        """The next entries that somebody still waits for, maybe none; None when drained."""
        with self._changed:
            while not self._waiting:
                if self.state is State.DRAINING:
                    return None
                self._changed.wait()
            until = time.monotonic() + self._max_wait_s
            while len(self._waiting) < self._max_batch_size and self.state is not State.DRAINING:
                if not self._changed.wait(max(0.0, until - time.monotonic())):
                    break
            count = min(len(self._waiting), self._max_batch_size)
            entries = [self._waiting.popleft() for _ in range(count)]
        return [entry for entry in entries if self._claim(entry)]

    def _claim(self, entry: _Entry[Item, Result]) -> bool:
        """Whether to work on an entry: not if its caller left or its deadline has passed.

        An expired one is answered, not cancelled: to its caller a cancelled future looks like its own cancellation.
        """
        if not entry.future.set_running_or_notify_cancel():
            return False
        if entry.deadline <= time.monotonic():
            entry.future.set_exception(DeadlinePassed("no verdict within the deadline"))
            return False
        return True

    def _answer(self, engine: Engine, batch: list[_Entry[Item, Result]]) -> None:
        metrics.batch_size.observe(len(batch))
        started = time.monotonic()
        try:
            results = self._run(engine, [entry.item for entry in batch])
            if len(results) != len(batch):
                raise EngineFailed(f"the engine answered {len(results)} results for {len(batch)} images")
        except Exception as error:
            if len(batch) > 1:  # one image may have poisoned the batch: each gets its own call
                for entry in batch:
                    self._answer(engine, [entry])
                return
            log.error("engine_call_failed", error=str(error), exc_info=not isinstance(error, PrintProofError))
            batch[0].future.set_exception(
                error if isinstance(error, EngineFailed) else EngineFailed("the engine failed on this image")
            )
            return
        for entry, result in zip(batch, results, strict=True):
            entry.future.set_result((result, 1000 * (started - entry.put_at)))

"""A dynamic batcher: many callers, one thread that owns the engine.

Inference runtimes are not thread-safe (Paddle's predictors have answered with other callers' results), so the engine is
created, warmed and called by one thread alone. Terms: an *entry* is one item with its future; the *queue* is bounded
and full means refused at once; a *batch* is what one engine call gets.

    submit --put--> queue --take--> batch --engine--> results --future--> submit
             |                |                 |
         QueueFull   DeadlinePassed (dropped)   EngineFailed (each item retried alone)
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

import structlog

from service.errors import DeadlinePassed, EngineFailed, NotReady, PrintProofError, QueueFull
from service.observability import metrics

Item = TypeVar("Item")
Result = TypeVar("Result")
Engine = Callable[[Sequence[Item]], Sequence[Result]]

log = structlog.get_logger()


class State(str, Enum):
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"
    """The engine could not be created or read the built-in sample wrongly; it will never be ready."""
    DRAINING = "draining"


@dataclass(slots=True)
class _Entry(Generic[Item, Result]):
    item: Item
    future: Future[tuple[Result, float]]
    put_at: float
    deadline: float


class Batcher(Generic[Item, Result]):
    """Runs `Engine` calls on a thread of its own.

    Args:
        load: creates and warms the engine; called on the batcher's thread.
        max_batch_size: items per engine call at most.
        max_wait_ms: how long a batch that is not full waits for more.
        queue_size: entries that may wait.
        hang_after_s: an engine call that takes longer makes `alive` false.
    """

    def __init__(
        self,
        load: Callable[[], Engine[Item, Result]],
        *,
        max_batch_size: int,
        max_wait_ms: float,
        queue_size: int,
        hang_after_s: float,
    ) -> None:
        self._load = load
        self._max_batch_size = max_batch_size
        self._max_wait_s = max_wait_ms / 1000
        self._hang_after_s = hang_after_s
        self._queue: queue.Queue[_Entry[Item, Result] | None] = queue.Queue(queue_size)
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._busy_since: float | None = None
        self.state = State.STARTING
        self.failure = ""
        """Why the state is FAILED."""

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
        if self.state is not State.READY:
            raise NotReady(f"the engine is {self.state.value}")
        entry: _Entry[Item, Result] = _Entry(item, Future(), time.monotonic(), deadline)
        try:
            self._queue.put_nowait(entry)
        except queue.Full:
            metrics.shed.labels(reason="queue_full").inc()
            raise QueueFull(f"{self._queue.maxsize} images are waiting already") from None
        metrics.queue_size.set(self._queue.qsize())
        try:
            return await asyncio.wait_for(asyncio.wrap_future(entry.future), deadline - time.monotonic())
        except (TimeoutError, asyncio.TimeoutError):  # one class from Python 3.11 on
            raise DeadlinePassed("no verdict within the deadline") from None

    def drain(self, timeout_s: float) -> None:
        """Take no more work, finish what was admitted, end the thread. Waits `timeout_s` at most."""
        if self.state is not State.FAILED:
            self.state = State.DRAINING
        give_up = time.monotonic() + timeout_s
        with contextlib.suppress(queue.Full):
            self._queue.put(None, timeout=timeout_s)
        self._thread.join(max(0.0, give_up - time.monotonic()))

    def _run(self) -> None:
        try:
            engine = self._load()
        except Exception as error:
            self.failure = str(error)
            self.state = State.FAILED
            log.error(
                "engine_failed_to_start", error=str(error), exc_info=not isinstance(error, PrintProofError)
            )
            return
        if self.state is State.STARTING:
            self.state = State.READY
            log.info("engine_ready")
        while (batch := self._next_batch()) is not None:
            if batch:
                self._busy_since = time.monotonic()
                self._answer(engine, batch)
                self._busy_since = None

    def _next_batch(self) -> list[_Entry[Item, Result]] | None:
        """The next entries that somebody still waits for; None when drained."""
        first = self._queue.get()
        if first is None:
            return None
        entries = [first]
        until = time.monotonic() + self._max_wait_s
        while len(entries) < self._max_batch_size:
            try:
                entry = self._queue.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                break
            if entry is None:
                self._queue.put(None)  # the end is seen again when this batch is done
                break
            entries.append(entry)
        metrics.queue_size.set(self._queue.qsize())
        return [entry for entry in entries if self._claim(entry)]

    def _claim(self, entry: _Entry[Item, Result]) -> bool:
        """Whether to work on an entry: not if its caller left or its deadline has passed."""
        if entry.deadline <= time.monotonic():
            entry.future.cancel()
        return entry.future.set_running_or_notify_cancel()

    def _answer(self, engine: Engine[Item, Result], batch: list[_Entry[Item, Result]]) -> None:
        metrics.batch_size.observe(len(batch))
        started = time.monotonic()
        try:
            results = engine([entry.item for entry in batch])
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

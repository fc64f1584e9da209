from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from service.batching.batcher import Batcher, State
from service.errors import DeadlinePassed, EngineFailed, NotReady, QueueFull


class Engine:
    """Doubles numbers; holds until told to go on, and fails on a number it cannot bear."""

    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.threads: set[int] = set()
        self.go = threading.Event()
        self.go.set()

    def __call__(self, items: Sequence[int]) -> Sequence[int]:
        self.threads.add(threading.get_ident())
        self.calls.append(list(items))
        assert self.go.wait(10)
        if 13 in items:
            raise ValueError("thirteen")
        return [2 * item for item in items]


Call = Callable[[Sequence[int]], Sequence[int]]


def call(engine: Call, items: Sequence[int]) -> Sequence[int]:
    return engine(items)


@contextmanager
def running(engine: Call, **options: float) -> Iterator[Batcher[Call, int, int]]:
    values = {"max_batch_size": 4, "max_wait_ms": 0, "queue_size": 100, "hang_after_s": 10, **options}
    batcher: Batcher[Call, int, int] = Batcher(lambda: engine, call, **values)  # type: ignore[arg-type]
    batcher.start()
    until(lambda: batcher.state is State.READY)
    yield batcher
    batcher.drain(10)


def until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.002)


def soon(seconds: float = 10) -> float:
    return time.monotonic() + seconds


async def doubled(batcher: Batcher[Call, int, int], number: int, deadline: float) -> int:
    result, queue_ms = await batcher.submit(number, deadline)
    assert queue_ms >= 0
    return result


def run(work: Awaitable[object]) -> None:
    async def main() -> None:
        await work

    asyncio.run(main())


def test_everybody_gets_their_own_result_from_one_thread() -> None:
    engine = Engine()
    with running(engine) as batcher:

        async def main() -> None:
            answers = await asyncio.gather(*(doubled(batcher, number, soon()) for number in range(14, 64)))
            assert answers == [2 * number for number in range(14, 64)]

        asyncio.run(main())
    assert len(engine.threads) == 1
    assert max(map(len, engine.calls)) <= 4


def test_waiting_items_share_a_batch() -> None:
    engine = Engine()
    with running(engine) as batcher:

        async def main() -> None:
            engine.go.clear()
            first = asyncio.create_task(doubled(batcher, 1, soon()))
            await asyncio.to_thread(until, lambda: engine.calls == [[1]])
            others = [asyncio.create_task(doubled(batcher, number, soon())) for number in (2, 3, 4)]
            await asyncio.sleep(0.05)
            engine.go.set()
            await asyncio.gather(first, *others)

        asyncio.run(main())
    assert engine.calls == [[1], [2, 3, 4]]


def test_a_batch_that_is_not_full_waits_for_more() -> None:
    engine = Engine()
    with running(engine, max_wait_ms=500, max_batch_size=2) as batcher:

        async def main() -> None:
            await asyncio.gather(doubled(batcher, 1, soon()), doubled(batcher, 2, soon()))

        started = time.monotonic()
        asyncio.run(main())
        assert time.monotonic() - started < 0.4  # full, so it did not wait
    assert engine.calls == [[1, 2]]


def test_a_poisonous_item_fails_alone() -> None:
    engine = Engine()
    with running(engine) as batcher:

        async def main() -> None:
            engine.go.clear()
            first = asyncio.create_task(doubled(batcher, 1, soon()))
            await asyncio.to_thread(until, lambda: engine.calls == [[1]])
            tasks = [asyncio.create_task(doubled(batcher, number, soon())) for number in (2, 13, 3)]
            await asyncio.sleep(0.05)
            engine.go.set()
            await first
            two, thirteen, three = await asyncio.gather(*tasks, return_exceptions=True)
            assert isinstance(two, int)
            assert isinstance(three, int)
            assert [two, three] == [4, 6]
            assert isinstance(thirteen, EngineFailed)

        asyncio.run(main())
        assert batcher.alive


@pytest.mark.parametrize("answer", [[], [1, 2, 3]])
def test_a_short_or_long_answer_is_an_error(answer: list[int]) -> None:
    with running(lambda _items: answer) as batcher:

        async def main() -> None:
            with pytest.raises(EngineFailed):
                await batcher.submit(1, soon())

        asyncio.run(main())


def test_a_full_queue_refuses_at_once() -> None:
    engine = Engine()
    with running(engine, queue_size=1) as batcher:

        async def main() -> None:
            engine.go.clear()
            first = asyncio.create_task(doubled(batcher, 1, soon()))
            await asyncio.to_thread(until, lambda: engine.calls == [[1]])
            second = asyncio.create_task(doubled(batcher, 2, soon()))
            await asyncio.sleep(0.02)
            with pytest.raises(QueueFull):
                await batcher.submit(3, soon())
            engine.go.set()
            assert list(await asyncio.gather(first, second)) == [2, 4]

        asyncio.run(main())


def test_expired_and_abandoned_items_are_dropped_before_work() -> None:
    engine = Engine()
    with running(engine) as batcher:

        async def main() -> None:
            engine.go.clear()
            first = asyncio.create_task(doubled(batcher, 1, soon()))
            await asyncio.to_thread(until, lambda: engine.calls == [[1]])
            late = asyncio.create_task(doubled(batcher, 2, soon(0.05)))
            left = asyncio.create_task(doubled(batcher, 3, soon()))
            await asyncio.sleep(0.02)
            left.cancel()
            with pytest.raises(DeadlinePassed):
                await late
            engine.go.set()
            await first
            assert await doubled(batcher, 4, soon()) == 8

        asyncio.run(main())
    assert engine.calls == [[1], [4]]


def test_an_entry_that_expires_just_as_its_turn_comes_is_late_not_cancelled() -> None:
    """The caller must see DeadlinePassed; a cancelled future would look like its own cancellation."""
    engine = Engine()
    with running(engine) as batcher:

        async def main() -> None:
            engine.go.clear()
            first = asyncio.create_task(doubled(batcher, 1, soon()))
            await asyncio.to_thread(until, lambda: engine.calls == [[1]])
            second = asyncio.create_task(batcher.submit(2, soon(0.02)))
            await asyncio.sleep(0)
            threading.Timer(0.05, engine.go.set).start()
            time.sleep(0.1)  # noqa: ASYNC251 (the loop is late, the engine thread is not)
            with pytest.raises(DeadlinePassed):
                await second
            assert await first == 2

        asyncio.run(main())
    assert engine.calls == [[1]]


def test_an_abandoned_entry_frees_its_place() -> None:
    engine = Engine()
    with running(engine, queue_size=1) as batcher:

        async def main() -> None:
            engine.go.clear()
            first = asyncio.create_task(doubled(batcher, 1, soon()))
            await asyncio.to_thread(until, lambda: engine.calls == [[1]])
            with pytest.raises(DeadlinePassed):
                await batcher.submit(2, soon(0.02))
            third = asyncio.create_task(doubled(batcher, 3, soon()))
            await asyncio.sleep(0.02)
            engine.go.set()
            assert list(await asyncio.gather(first, third)) == [2, 6]

        asyncio.run(main())


def test_drain_finishes_what_was_admitted_and_takes_no_more() -> None:
    engine = Engine()
    with running(engine, max_batch_size=1) as batcher:

        async def main() -> None:
            engine.go.clear()
            tasks = [asyncio.create_task(doubled(batcher, number, soon())) for number in range(5)]
            await asyncio.sleep(0.05)
            draining = asyncio.create_task(asyncio.to_thread(batcher.drain, 10))
            await asyncio.to_thread(until, lambda: batcher.state is State.DRAINING)
            with pytest.raises(NotReady):
                await batcher.submit(9, soon())
            engine.go.set()
            assert await asyncio.gather(*tasks) == [0, 2, 4, 6, 8]
            await draining

        asyncio.run(main())
    assert not batcher.alive


def test_an_engine_that_hangs_is_not_alive() -> None:
    engine = Engine()
    with running(engine, hang_after_s=0.05) as batcher:

        async def main() -> None:
            engine.go.clear()
            task = asyncio.create_task(doubled(batcher, 1, soon()))
            await asyncio.to_thread(until, lambda: not batcher.alive)
            engine.go.set()
            await task
            await asyncio.to_thread(until, lambda: batcher.alive)

        asyncio.run(main())


def test_an_engine_that_cannot_start_is_never_ready() -> None:
    def load() -> Engine:
        raise EngineFailed("reads the sample wrongly")

    batcher: Batcher[Call, int, int] = Batcher(
        load, call, max_batch_size=1, max_wait_ms=0, queue_size=1, hang_after_s=1
    )
    batcher.start()
    until(lambda: batcher.state is State.FAILED)
    assert batcher.failure == "reads the sample wrongly"

    async def main() -> None:
        with pytest.raises(NotReady):
            await batcher.submit(1, soon())

    asyncio.run(main())
    batcher.drain(1)
    assert batcher.state is State.FAILED

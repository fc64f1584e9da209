"""Group commit on real databases."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.db.writer import GroupWriter
from service.errors import StoreUnavailable
from service.statistics.tables import TallyRow

Work = Callable[[Session], int]


def row(minute: int) -> TallyRow:
    return TallyRow(
        kind="verdict",
        minute=minute,
        station_id="",
        recipe="r",
        recipe_version=1,
        name="PASS",
        field="",
        count=1,
        total=0,
    )


def insert(minute: int) -> Work:
    def work(session: Session) -> int:
        session.add(row(minute))
        return minute

    return work


class Gathered:
    """Runs works that all wait while the first one holds the database, so that they share the next commit."""

    def __init__(self, database: sa.Engine) -> None:
        self.commits = 0
        self.writer = GroupWriter(database, before_commit=lambda _session: None)
        sa.event.listen(database, "commit", self._count)

    def _count(self, _connection: sa.Connection) -> None:
        self.commits += 1

    def run(self, works: list[Work]) -> list[int | Exception]:
        entered, go_on = threading.Event(), threading.Event()

        def first(session: Session) -> int:
            entered.set()
            assert go_on.wait(10)
            return -1

        def one(work: Work) -> int | Exception:
            try:
                return self.writer.run(work)
            except Exception as error:
                return error

        with ThreadPoolExecutor(len(works) + 1) as pool:
            leader = pool.submit(self.writer.run, first)
            assert entered.wait(10)
            followers = [pool.submit(one, work) for work in works]
            while len(self.writer._waiting) < len(works):
                pass
            go_on.set()
            assert leader.result() == -1
            return [follower.result() for follower in followers]


def stored(database: sa.Engine) -> set[int]:
    with database.connect() as connection:
        return set(connection.scalars(sa.select(TallyRow.minute)))


def test_what_waits_shares_a_commit(database: sa.Engine) -> None:
    gathered = Gathered(database)
    assert gathered.run([insert(minute) for minute in range(20)]) == list(range(20))
    assert gathered.commits == 2
    assert stored(database) == set(range(20))


def test_one_that_is_refused_fails_alone(database: sa.Engine) -> None:
    def faulty(session: Session) -> int:
        session.add(row(99))
        session.flush()
        raise LookupError("of its own")

    answers = Gathered(database).run([insert(1), insert(2), insert(1), faulty, insert(3)])
    assert [type(answer) for answer in answers].count(
        StoreUnavailable
    ) == 1  # one of the two that are the same
    assert isinstance(answers[3], LookupError)
    assert stored(database) == {1, 2, 3}


def test_a_database_that_is_away_is_asked_once_and_not_by_each(database: sa.Engine) -> None:
    asked = 0

    def count(_dialect: object, _record: object, _arguments: object, _parameters: object) -> None:
        nonlocal asked
        asked += 1
        raise sa.exc.OperationalError("connect", {}, ConnectionRefusedError())

    def then_it_goes(session: Session) -> int:
        session.connection().invalidate()
        database.dispose()
        sa.event.listen(database, "do_connect", count)
        raise LookupError("while it goes")

    try:
        answers = Gathered(database).run([then_it_goes, *(insert(minute) for minute in range(10))])
    finally:
        sa.event.remove(database, "do_connect", count)
    assert all(isinstance(answer, StoreUnavailable) for answer in answers)
    assert asked == 1
    assert stored(database) == set()


def test_nothing_is_lost_between_threads(database: sa.Engine) -> None:
    writer = GroupWriter(database, before_commit=lambda _session: None)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda minute: writer.run(insert(minute)), range(400)))
    assert answers == list(range(400))
    assert stored(database) == set(range(400))

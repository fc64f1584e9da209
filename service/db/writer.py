"""Group commit: whatever comes while a commit is on its way to the disk shares the next one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa

from service.db.engine import transaction

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

T = TypeVar("T")

MAX_GROUP = 256
"""Works that share one commit at most."""


@dataclass(slots=True)
class _Entry:
    work: Callable[[Session], Any]
    done: bool = False
    value: Any = None
    error: Exception | None = None


class GroupWriter:
    """Carries out writing work of many threads in few transactions.

    There is no thread of its own: the first that comes commits for all that wait, and so on. The work of a group is
    done in the order in which it came, each seeing what those before it wrote.
    """

    def __init__(self, engine: sa.Engine, before_commit: Callable[[Session], None]) -> None:
        self._engine = engine
        self._before_commit = before_commit
        self._waiting: list[_Entry] = []
        self._queue = threading.Lock()
        self._writing = threading.Lock()

    def run(self, work: Callable[[Session], T]) -> T:
        """Do `work` in a transaction; it is on disk when this returns.

        It may be done a second time if the group that it was in has failed, so it changes nothing but its session.

        Raises:
            StoreUnavailable: the database did not answer or did not take it; whatever `work` raises.
        """
        entry = _Entry(work)
        with self._queue:
            self._waiting.append(entry)
        while not entry.done:
            with self._writing:
                if not entry.done:
                    with self._queue:
                        group, self._waiting = self._waiting[:MAX_GROUP], self._waiting[MAX_GROUP:]
                    self._commit_all(group)
        if entry.error is not None:
            raise entry.error
        value: T = entry.value
        return value

    def _commit_all(self, group: list[_Entry]) -> None:
        if len(group) > 1 and self._commit(group) is None:
            return
        # One that the database refuses fails alone; if the database is away, all of them do.
        outage: Exception | None = None
        for entry in group:
            entry.error = outage or self._commit([entry])
            entry.done = True
            if isinstance(
                getattr(entry.error, "__cause__", None), sa.exc.OperationalError | sa.exc.InterfaceError
            ):
                outage = entry.error

    def _commit(self, group: list[_Entry]) -> Exception | None:
        try:
            with transaction(self._engine, writes=True) as session:
                values = [entry.work(session) for entry in group]
                self._before_commit(session)
        except Exception as error:
            return error
        for entry, value in zip(group, values, strict=True):
            entry.value, entry.done = value, True
        return None

"""The audit trail on both databases: it grows, and shows whether it was changed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from service.audit.entry import GENESIS, Action, Author, Entry
from service.audit.repository import AuditFilter, AuditRepository, record
from service.db import engine as db
from service.errors import StoreUnavailable


def add(database: sa.Engine, count: int, by: str = "ann") -> None:
    for number in range(count):
        with db.change(database) as session:
            record(
                session,
                Author(by, "überall"),
                Action.RECIPE_CREATED,
                f"recipe/r{number}",
                {"version": number},
            )


def tamper(database: sa.Engine, statement: str) -> None:
    """As somebody who owns the database can."""
    with database.begin() as connection:
        if database.dialect.name == "sqlite":
            connection.exec_driver_sql("DROP TRIGGER IF EXISTS audit_no_update")
            connection.exec_driver_sql("DROP TRIGGER IF EXISTS audit_no_delete")
        else:
            connection.exec_driver_sql("ALTER TABLE audit DISABLE TRIGGER ALL")
        connection.exec_driver_sql(statement)


def test_a_trail_that_nobody_touched_is_whole(database: sa.Engine) -> None:
    trail = AuditRepository(database)
    assert trail.verify().head == GENESIS
    add(database, 5)
    found = trail.verify()
    assert (found.entries, found.fault) == (5, None)
    add(database, 1)
    assert trail.verify(head=found.head).fault is None


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE audit SET reason = 'x' WHERE number = 3", "entry 3 was changed"),
        ("UPDATE audit SET detail = '{\"version\": 9}' WHERE number = 3", "entry 3 was changed"),
        ("UPDATE audit SET action = 'recipe.burnt' WHERE number = 3", "entry 3 was changed"),
        ("UPDATE audit SET detail = '[1]' WHERE number = 3", "entry 3 was changed"),
        ("UPDATE audit SET detail = 'null' WHERE number = 3", "entry 3 was changed"),
        ("UPDATE audit SET digest = 'x' WHERE number = 5", "entry 5 was changed"),
        ("DELETE FROM audit WHERE number = 3", "entry 3 is missing"),
        ("DELETE FROM audit WHERE number = 1", "entry 1 is missing"),
    ],
)
def test_every_change_shows(database: sa.Engine, statement: str, fault: str) -> None:
    add(database, 5)
    tamper(database, statement)
    assert AuditRepository(database).verify().fault == fault


def test_an_entry_that_was_written_anew_does_not_fit_what_follows(database: sa.Engine) -> None:
    add(database, 5)
    trail = AuditRepository(database)
    third = trail.page(AuditFilter(), before=4, limit=1)[0]
    forged = Entry(3, third.at, "mallory", third.action, third.subject, "", third.detail, third.previous)
    digest = forged.digest()
    tamper(database, f"UPDATE audit SET by = 'mallory', reason = '', digest = '{digest}' WHERE number = 3")  # noqa: S608
    assert trail.verify().fault == "entry 4 does not follow the one before it"


def test_an_end_that_was_cut_off_shows_by_a_digest_noted_before(database: sa.Engine) -> None:
    add(database, 5)
    trail = AuditRepository(database)
    head = trail.verify().head
    tamper(database, "DELETE FROM audit WHERE number = 5")
    assert trail.verify().fault is None
    assert trail.verify(head=head).fault == f"no entry has the digest {head}"


@pytest.mark.parametrize("statement", ["UPDATE audit SET reason = ''", "DELETE FROM audit"])
def test_the_database_refuses_to_change_it(database: sa.Engine, statement: str) -> None:
    add(database, 1)
    with pytest.raises(StoreUnavailable), db.transaction(database, writes=True) as session:
        session.execute(sa.text(statement))
    assert AuditRepository(database).verify().entries == 1


def test_replicas_write_one_chain(database: sa.Engine) -> None:
    replicas = [db.connect(database.url.render_as_string(hide_password=False)) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda replica: add(replica, 15), replicas))
    for replica in replicas:
        replica.dispose()
    found = AuditRepository(database).verify()
    assert (found.entries, found.fault) == (30, None)


def test_what_is_undone_leaves_no_entry(database: sa.Engine) -> None:
    def fail() -> None:
        with db.change(database) as session:
            record(session, Author("ann", ""), Action.KEY_CREATED, "key/1")
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert AuditRepository(database).verify().entries == 0


def test_entries_are_found(database: sa.Engine) -> None:
    add(database, 2, by="ann")
    add(database, 2, by="bob")
    trail = AuditRepository(database)
    numbers: Callable[[AuditFilter], list[int]] = lambda wanted: [  # noqa: E731
        one.number for one in trail.page(wanted, before=None, limit=9)
    ]
    assert numbers(AuditFilter()) == [4, 3, 2, 1]
    assert numbers(AuditFilter(by="bob")) == [4, 3]
    assert numbers(AuditFilter(subject="recipe/r0")) == [3, 1]
    assert numbers(AuditFilter(action=Action.KEY_CREATED)) == []
    second = trail.page(AuditFilter(), before=3, limit=1)[0]
    assert numbers(AuditFilter(until=second.at)) == [1]
    assert numbers(AuditFilter(since=second.at)) == [4, 3, 2]


def test_a_digest_is_of_all_that_an_entry_says() -> None:
    at = dt.datetime(2026, 12, 1, 10, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    entry = Entry(1, at, "ann", Action.KEY_CREATED, "key/1", "new", {"a": 1, "b": "ü"})
    # Fixed for ever: trails that were written before must verify.
    assert entry.digest() == "1caeb8f7aa96374dcfe1e6104e36754b1e2807d73f28c58c6660cd0e8aca14ef"
    others = [
        Entry(2, at, "ann", Action.KEY_CREATED, "key/1", "new", {"a": 1, "b": "ü"}),
        Entry(
            1,
            at + dt.timedelta(microseconds=1),
            "ann",
            Action.KEY_CREATED,
            "key/1",
            "new",
            {"a": 1, "b": "ü"},
        ),
        Entry(1, at, "bob", Action.KEY_CREATED, "key/1", "new", {"a": 1, "b": "ü"}),
        Entry(1, at, "ann", Action.KEY_REVOKED, "key/1", "new", {"a": 1, "b": "ü"}),
        Entry(1, at, "ann", Action.KEY_CREATED, "key/2", "new", {"a": 1, "b": "ü"}),
        Entry(1, at, "ann", Action.KEY_CREATED, "key/1", "old", {"a": 1, "b": "ü"}),
        Entry(1, at, "ann", Action.KEY_CREATED, "key/1", "new", {"a": 2, "b": "ü"}),
        Entry(1, at, "ann", Action.KEY_CREATED, "key/1", "new", {"a": 1, "b": "ü"}, "1" * 64),
    ]
    assert len({entry.digest(), *(one.digest() for one in others)}) == 9

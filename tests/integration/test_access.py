"""Keys, users and sessions on both databases."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from service.access import secrets
from service.access.repository import KeyRepository, UserRepository
from service.access.roles import Role
from service.access.sessions import repository as sessions_repository
from service.access.sessions.repository import SessionRepository
from service.access.tables import ApiKeyRow, SessionRow, UserRow
from service.audit.entry import Action, Author
from service.audit.repository import AuditFilter, AuditRepository
from service.db import engine as db
from service.errors import (
    KeyNotFound,
    LogInLimited,
    LogInRefused,
    NameTaken,
    Unauthenticated,
    UserNotFound,
    ValueInvalid,
)

EVE = Author("eve", "needed")
PASSWORD = "correct horse battery"  # noqa: S105


@pytest.fixture
def keys(database: sa.Engine) -> KeyRepository:
    return KeyRepository(database)


@pytest.fixture
def users(database: sa.Engine) -> UserRepository:
    repository = UserRepository(database)
    repository.add("ann", Role.QA, PASSWORD, EVE)
    return repository


@pytest.fixture
def sessions(database: sa.Engine, users: UserRepository) -> SessionRepository:
    return SessionRepository(database)


def actions(database: sa.Engine) -> list[tuple[Action, str, str]]:
    entries = AuditRepository(database).page(AuditFilter(), before=None, limit=100)
    return [(one.action, one.subject, one.by) for one in reversed(entries)]


def everything(database: sa.Engine) -> str:
    """All that is stored about access, as text."""
    with db.transaction(database) as session:
        tables = (ApiKeyRow, UserRow, SessionRow)
        return repr([[vars(row) for row in session.scalars(sa.select(table))] for table in tables])


def test_a_key_opens_until_it_is_revoked(database: sa.Engine, keys: KeyRepository) -> None:
    made, key = keys.create("camera 1", Role.CAMERA, "line-1", EVE)
    principal = keys.principal(key)
    assert (principal.id, principal.name, principal.role, principal.station_id) == (
        f"key/{made.id}", "camera 1", Role.CAMERA, "line-1",
    )  # fmt: skip
    assert len(key) > 40
    assert key.startswith("pp_")
    assert key not in everything(database)
    for wrong in ("", "pp_", key[:-1], key + "x", made.id):
        with pytest.raises(Unauthenticated):
            keys.principal(wrong)
    keys.revoke(made.id, EVE)
    with pytest.raises(Unauthenticated):
        keys.principal(key)
    with pytest.raises(KeyNotFound):
        keys.revoke(made.id, EVE)
    assert [one.revoked_at is not None for one in keys.all()] == [True]
    subject = f"key/{made.id}"
    assert actions(database) == [(Action.KEY_CREATED, subject, "eve"), (Action.KEY_REVOKED, subject, "eve")]


def test_the_name_of_a_key_is_its_own_until_it_is_revoked(keys: KeyRepository) -> None:
    made, _ = keys.create("mes", Role.ENGINEER, None, EVE)
    with pytest.raises(NameTaken):
        keys.create("mes", Role.CAMERA, None, EVE)
    keys.revoke(made.id, EVE)
    keys.create("mes", Role.ENGINEER, None, EVE)


def test_a_session_lasts_until_its_user_leaves(database: sa.Engine, sessions: SessionRepository) -> None:
    log_in = sessions.log_in("ann", PASSWORD, "10.0.0.1")
    assert (log_in.principal.id, log_in.principal.role) == ("user/ann", Role.QA)
    assert sessions.principal(log_in.token) == log_in.principal
    stored = everything(database)
    assert log_in.token not in stored
    assert PASSWORD not in stored
    sessions.log_out(log_in.token)
    with pytest.raises(Unauthenticated):
        sessions.principal(log_in.token)
    assert [action for action, _, _ in actions(database)] == [
        Action.USER_CREATED, Action.LOGGED_IN, Action.LOGGED_OUT,
    ]  # fmt: skip


def test_a_session_ends_by_itself(sessions: SessionRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_repository, "LIFETIME", dt.timedelta(0))
    log_in = sessions.log_in("ann", PASSWORD, "10.0.0.1")
    with pytest.raises(Unauthenticated):
        sessions.principal(log_in.token)


def test_a_new_password_and_a_disabled_user_end_all_sessions(
    users: UserRepository, sessions: SessionRepository
) -> None:
    first = sessions.log_in("ann", PASSWORD, "10.0.0.1")
    users.set_password("ann", PASSWORD + "2", EVE)
    with pytest.raises(Unauthenticated):
        sessions.principal(first.token)
    with pytest.raises(LogInRefused):
        sessions.log_in("ann", PASSWORD, "10.0.0.1")
    second = sessions.log_in("ann", PASSWORD + "2", "10.0.0.1")
    users.disable("ann", EVE)
    with pytest.raises(Unauthenticated):
        sessions.principal(second.token)
    with pytest.raises(LogInRefused):
        sessions.log_in("ann", PASSWORD + "2", "10.0.0.1")
    assert [one.disabled_at is not None for one in users.all()] == [True]


def test_log_ins_are_limited_by_name_and_by_address(
    database: sa.Engine, sessions: SessionRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(sessions_repository.FAILURES_FROM_THERE):
        with pytest.raises(LogInRefused):
            sessions.log_in("ann", "wrong", "10.0.0.1")
    with pytest.raises(LogInLimited) as raised:  # the right password does not help: it is not looked at
        sessions.log_in("ann", PASSWORD, "10.0.0.1")
    assert 0 < raised.value.wait_s <= 15 * 60 + 1
    assert sessions.log_in("ann", PASSWORD, "10.0.0.2").principal.name == "ann"  # nobody locks out another
    known = len(actions(database))
    for number in range(100):
        with pytest.raises((LogInRefused, LogInLimited)):
            sessions.log_in(f"nobody {number}", "wrong", "10.0.0.1")
    left = sessions_repository.FAILURES_OF_AN_ADDRESS - sessions_repository.FAILURES_FROM_THERE
    assert len(actions(database)) == known + left  # nobody fills the trail
    monkeypatch.setattr(sessions_repository, "WINDOW", dt.timedelta(0))
    assert sessions.log_in("ann", PASSWORD, "10.0.0.1").principal.name == "ann"


def test_of_many_log_ins_at_once_no_more_are_looked_at(sessions: SessionRepository) -> None:
    def guess(_number: int) -> type[Exception]:
        with pytest.raises((LogInRefused, LogInLimited)) as raised:
            sessions.log_in("ann", "wrong", "10.0.0.1")
        return raised.type

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(guess, range(24)))
    assert answers.count(LogInRefused) == sessions_repository.FAILURES_FROM_THERE


def test_users_have_passwords_of_some_length_and_names_of_their_own(users: UserRepository) -> None:
    with pytest.raises(NameTaken):
        users.add("ann", Role.ADMIN, PASSWORD, EVE)
    for password in ("", "short", "x" * 201):
        with pytest.raises(ValueInvalid, match="12 to 200"):
            users.add("bob", Role.ADMIN, password, EVE)
    with pytest.raises(UserNotFound):
        users.disable("bob", EVE)
    with pytest.raises(UserNotFound):
        users.set_password("bob", PASSWORD, EVE)


def test_who_does_not_exist_is_not_told_apart_by_time() -> None:
    stored = secrets.hash_password(PASSWORD)
    assert secrets.password_fits(PASSWORD, stored)
    assert not secrets.password_fits(PASSWORD, None)
    assert not secrets.password_fits(PASSWORD, "no hash")
    assert secrets._NOBODYS.split("$")[:4] == stored.split("$")[:4]  # the same work for both

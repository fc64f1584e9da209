"""API keys and users."""

from __future__ import annotations

import datetime as dt
import secrets as random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from service.access import secrets
from service.access.roles import Principal, Role
from service.access.tables import ApiKeyRow, SessionRow, UserRow
from service.audit.entry import Action, Author
from service.audit.repository import record
from service.db.engine import change, transaction
from service.errors import KeyNotFound, NameTaken, Unauthenticated, UserNotFound

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is known of a key: all but the key."""

    id: str
    name: str
    role: Role
    station_id: str | None
    created_at: dt.datetime
    revoked_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class User:
    name: str
    role: Role
    created_at: dt.datetime
    disabled_at: dt.datetime | None


class KeyRepository:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def create(self, name: str, role: Role, station_id: str | None, author: Author) -> tuple[ApiKey, str]:
        """A new key, and the only time that it is seen itself. With a station it speaks for that station only.

        Raises:
            NameTaken: a key that is not revoked has this name.
        """
        key = secrets.new_key()
        with change(self._engine) as session:
            taken = sa.select(ApiKeyRow.id).where(ApiKeyRow.name == name, ApiKeyRow.revoked_at.is_(None))
            if session.scalars(taken).first() is not None:
                raise NameTaken(f"there is a key {name!r} already; revoke it first, or take another name")
            row = ApiKeyRow(
                id=random.token_hex(4),
                name=name,
                role=role.value,
                station_id=station_id,
                sha256=secrets.digest(key),
                created_at=_now(),
            )
            session.add(row)
            detail = {"name": name, "role": role.value, "station_id": station_id}
            record(session, author, Action.KEY_CREATED, f"key/{row.id}", detail)
            return _key(row), key

    def revoke(self, key_id: str, author: Author) -> ApiKey:
        """Let a key open nothing from now on.

        Raises:
            KeyNotFound: no key that is not revoked has this id.
        """
        with change(self._engine) as session:
            row = session.get(ApiKeyRow, key_id)
            if row is None or row.revoked_at is not None:
                raise KeyNotFound(f"there is no key {key_id!r} that could be revoked")
            row.revoked_at = _now()
            record(session, author, Action.KEY_REVOKED, f"key/{key_id}", {"name": row.name})
            return _key(row)

    def all(self) -> list[ApiKey]:
        """Every key there ever was, by its name."""
        with transaction(self._engine) as session:
            rows = session.scalars(sa.select(ApiKeyRow).order_by(ApiKeyRow.name, ApiKeyRow.created_at))
            return [_key(row) for row in rows]

    def principal(self, key: str) -> Principal:
        """Who has a key.

        Raises:
            Unauthenticated: nobody, or it is revoked.
        """
        query = sa.select(ApiKeyRow).where(ApiKeyRow.sha256 == secrets.digest(key))
        with transaction(self._engine) as session:
            row = session.scalars(query).first()
            if row is None or row.revoked_at is not None:
                raise Unauthenticated("the API key is unknown or revoked")
            return Principal(f"key/{row.id}", row.name, Role(row.role), row.station_id)


class UserRepository:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def add(self, name: str, role: Role, password: str, author: Author) -> None:
        """Raises NameTaken, ValueInvalid."""
        password_hash = secrets.hash_password(password)
        with change(self._engine) as session:
            if session.get(UserRow, name) is not None:
                raise NameTaken(f"there is a user {name!r} already")
            session.add(UserRow(name=name, role=role.value, password_hash=password_hash, created_at=_now()))
            record(session, author, Action.USER_CREATED, f"user/{name}", {"role": role.value})

    def set_password(self, name: str, password: str, author: Author) -> None:
        """Set a password, let a disabled user in again, and end all sessions.

        Raises:
            UserNotFound, ValueInvalid
        """
        password_hash = secrets.hash_password(password)
        with change(self._engine) as session:
            row = _user_row(session, name)
            row.password_hash, row.disabled_at = password_hash, None
            _end_sessions(session, name)
            record(session, author, Action.USER_PASSWORD_SET, f"user/{name}")

    def disable(self, name: str, author: Author) -> None:
        """Let a user in no more; all sessions end. What the user did stays.

        Raises:
            UserNotFound
        """
        with change(self._engine) as session:
            _user_row(session, name).disabled_at = _now()
            _end_sessions(session, name)
            record(session, author, Action.USER_DISABLED, f"user/{name}")

    def all(self) -> list[User]:
        """Every user, by name."""
        with transaction(self._engine) as session:
            rows = session.scalars(sa.select(UserRow).order_by(UserRow.name))
            return [User(row.name, Role(row.role), row.created_at, row.disabled_at) for row in rows]


def _user_row(session: Session, name: str) -> UserRow:
    row = session.get(UserRow, name)
    if row is None:
        raise UserNotFound(f"there is no user {name!r}")
    return row


def _end_sessions(session: Session, name: str) -> None:
    session.execute(sa.delete(SessionRow).where(SessionRow.user_name == name))


def _key(row: ApiKeyRow) -> ApiKey:
    return ApiKey(row.id, row.name, Role(row.role), row.station_id, row.created_at, row.revoked_at)


def _now() -> dt.datetime:
    return dt.datetime.now(dt.timezone.utc)

"""Idempotency keys, held over all replicas."""

from __future__ import annotations

import datetime as dt
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from service.db.engine import is_sqlite
from service.errors import IdempotencyKeyInFlight, IdempotencyKeyReused
from service.idempotency.tables import IdempotencyRow

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from service.db.writer import GroupWriter

KEPT_FOR: Final = dt.timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Claim:
    """A key that one request has for itself. `scope` is whose key it is."""

    scope: str
    key: str
    token: str


class IdempotencyRepository:
    def __init__(self, writer: GroupWriter) -> None:
        self._writer = writer

    def claim(self, scope: str, key: str, fingerprint: str, lease: dt.timedelta) -> Claim | str:
        """Take a key for a request, or learn the id of the inspection that came of it before.

        A claim that is not finished ends with its `lease`: the process that had it may have died.

        Raises:
            IdempotencyKeyReused: it came with another request.
            IdempotencyKeyInFlight: that request is still being worked on.
        """
        ours = Claim(scope, key, secrets.token_hex(16))
        now = dt.datetime.now(dt.timezone.utc)

        def take(session: Session) -> tuple[str, str, str | None]:
            session.execute(sa.delete(IdempotencyRow).where(*_is(ours), IdempotencyRow.expires_at <= now))
            insert = sqlite.insert if is_sqlite(session.connection()) else postgresql.insert
            row = {
                "scope": scope,
                "key": key,
                "fingerprint": fingerprint,
                "claim": ours.token,
                "expires_at": now + lease,
            }
            session.execute(insert(IdempotencyRow).values(row).on_conflict_do_nothing())
            query = sa.select(IdempotencyRow.claim, IdempotencyRow.fingerprint, IdempotencyRow.inspection_id)
            found = session.execute(query.where(*_is(ours))).one_or_none()
            return found or ("", fingerprint, None)  # given back this very moment

        token, known_fingerprint, inspection_id = self._writer.run(take)
        if token == ours.token:
            return ours
        if known_fingerprint != fingerprint:
            raise IdempotencyKeyReused("the Idempotency-Key came with another image or other values before")
        if inspection_id is None:
            raise IdempotencyKeyInFlight("the request with this Idempotency-Key is still being worked on")
        return inspection_id

    def release(self, claim: Claim) -> None:
        """Give a key back of which no inspection came: the request may be sent again."""
        gone = sa.delete(IdempotencyRow).where(*_is_ours(claim), IdempotencyRow.inspection_id.is_(None))
        self._writer.run(lambda session: session.execute(gone))

    def purge(self, now: dt.datetime) -> None:
        """Forget keys whose time is over."""
        over = sa.delete(IdempotencyRow).where(IdempotencyRow.expires_at <= now)
        self._writer.run(lambda session: session.execute(over))


def finish(session: Session, claim: Claim, inspection_id: str) -> None:
    """Note what came of a request, in the transaction that stores it.

    Raises:
        IdempotencyKeyInFlight: the claim has ended, and the request was sent again: that one will be stored.
    """
    until = dt.datetime.now(dt.timezone.utc) + KEPT_FOR
    done = sa.update(IdempotencyRow).where(*_is_ours(claim)).returning(IdempotencyRow.key)
    if session.scalars(done.values(inspection_id=inspection_id, expires_at=until)).first() is None:
        raise IdempotencyKeyInFlight("it took so long that the request was taken up again")


def _is(claim: Claim) -> tuple[sa.ColumnElement[bool], ...]:
    return IdempotencyRow.scope == claim.scope, IdempotencyRow.key == claim.key


def _is_ours(claim: Claim) -> tuple[sa.ColumnElement[bool], ...]:
    return *_is(claim), IdempotencyRow.claim == claim.token

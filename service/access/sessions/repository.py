"""Log-ins, limited in their rate, and sessions."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from service.access import secrets
from service.access.roles import Principal, Role
from service.access.tables import LogInFailureRow, SessionRow, UserRow
from service.audit.entry import Action, Author
from service.audit.repository import record
from service.db.engine import change, transaction
from service.errors import LogInLimited, LogInRefused, Unauthenticated

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

NOBODY: Final = "(not logged in)"

LIFETIME: Final = dt.timedelta(hours=12)
"""A shift and what is left to do after it; then the user logs in again."""

WINDOW: Final = dt.timedelta(minutes=15)
FAILURES_FROM_THERE: Final = 5
"""Of a name from one address within the window; more are refused unseen."""
FAILURES_OF_AN_ADDRESS: Final = 20
FAILURES_OF_A_NAME: Final = 50
"""From all addresses: so many that nobody locks out another by a few guesses."""


@dataclass(frozen=True, slots=True)
class LogIn:
    """A session that has begun, and its token, which is not seen again."""

    principal: Principal
    token: str
    expires_at: dt.datetime


class SessionRepository:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def log_in(self, name: str, password: str, address: str) -> LogIn:
        """Raises LogInRefused: not this name with this password; LogInLimited: too many such attempts before."""
        with change(self._engine) as session:
            _refuse_many(session, name, address)
            row = session.get(UserRow, name)
            stored = None if row is None or row.disabled_at is not None else row.password_hash
            attempt = LogInFailureRow(at=dt.datetime.now(dt.timezone.utc), name=name, address=address)
            session.add(
                attempt
            )  # a failure until it is none: of many at once no more than the limit are looked at
        if not secrets.password_fits(password, stored):  # takes its time: no transaction waits for it
            self._record_refusal(name, address)
            raise LogInRefused("the name or the password is wrong")
        token, now = secrets.new_token(), dt.datetime.now(dt.timezone.utc)
        with change(self._engine) as session:
            row = session.get(UserRow, name)
            if row is None or row.password_hash != stored or row.disabled_at is not None:
                raise LogInRefused("the password was changed meanwhile")
            session.execute(
                sa.delete(LogInFailureRow).where(
                    LogInFailureRow.name == name, LogInFailureRow.address == address
                )
            )
            session.execute(sa.delete(SessionRow).where(SessionRow.expires_at <= now))
            session.add(SessionRow(sha256=secrets.digest(token), user_name=name, expires_at=now + LIFETIME))
            record(session, Author(name, ""), Action.LOGGED_IN, f"user/{name}", {"address": address})
            return LogIn(_principal(row), token, now + LIFETIME)

    def log_out(self, token: str) -> None:
        """End a session; one that has ended already stays so."""
        with change(self._engine) as session:
            row = session.get(SessionRow, secrets.digest(token))
            if row is not None:
                session.delete(row)
                record(session, Author(row.user_name, ""), Action.LOGGED_OUT, f"user/{row.user_name}")

    def principal(self, token: str) -> Principal:
        """Whose session it is.

        Raises:
            Unauthenticated: nobody's, or it has ended.
        """
        query = sa.select(UserRow).join(SessionRow, SessionRow.user_name == UserRow.name)
        query = query.where(
            SessionRow.sha256 == secrets.digest(token),
            SessionRow.expires_at > dt.datetime.now(dt.timezone.utc),
            UserRow.disabled_at.is_(None),
        )
        with transaction(self._engine) as session:
            row = session.scalars(query).first()
            if row is None:
                raise Unauthenticated("the session has ended: log in again")
            return _principal(row)

    def _record_refusal(self, name: str, address: str) -> None:
        with change(self._engine) as session:
            over = dt.datetime.now(dt.timezone.utc) - WINDOW
            session.execute(sa.delete(LogInFailureRow).where(LogInFailureRow.at <= over))
            detail = {"address": address}
            record(session, Author(NOBODY, ""), Action.LOG_IN_REFUSED, f"user/{name}", detail)


def _refuse_many(session: Session, name: str, address: str) -> None:
    since = dt.datetime.now(dt.timezone.utc) - WINDOW
    of_name, of_address = LogInFailureRow.name == name, LogInFailureRow.address == address
    for conditions, most in (
        ((of_name, of_address), FAILURES_FROM_THERE),
        ((of_address,), FAILURES_OF_AN_ADDRESS),
        ((of_name,), FAILURES_OF_A_NAME),
    ):
        query = sa.select(LogInFailureRow.at).where(*conditions, LogInFailureRow.at > since)
        times = list(session.scalars(query.order_by(LogInFailureRow.at.desc()).limit(most)))
        if len(times) == most:
            wait = int((times[-1] - since).total_seconds()) + 1
            raise LogInLimited(f"too many log-ins failed: try again in {wait} s", wait)


def _principal(row: UserRow) -> Principal:
    return Principal(f"user/{row.name}", row.name, Role(row.role))

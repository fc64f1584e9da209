"""/v1/session: people log in; anybody may ask who they are."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Final

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request, Response
from pydantic import Field

from service import errors
from service.access import secrets
from service.access.roles import GRANTS, Permission, Principal, Role
from service.access.sessions.repository import LIFETIME
from service.api.dependencies import App
from service.api.filters import SIGNABLE
from service.api.problems import responses
from service.api.schemas import In, Out
from service.api.security import DENIALS, SESSION_COOKIE, Caller
from service.audit.entry import MAX_NAME

router = APIRouter(prefix="/v1/session", tags=["access"])

_one: Final = CapacityLimiter(1)  # a password costs a core and 64 MB for a moment: never those of the line


class LogInIn(In):
    name: Annotated[str, Field(min_length=1, max_length=64, pattern=SIGNABLE)]
    password: Annotated[str, Field(min_length=1, max_length=200)]


class SessionOut(Out):
    name: str
    role: Role
    station_id: str | None = Field(description="The one station that a key speaks for.")
    permissions: list[Permission]
    csrf_token: str | None = Field(description="For the header X-CSRF-Token of changes; null for a key.")

    @classmethod
    def of(cls, principal: Principal, token: str | None) -> SessionOut:
        return cls(
            name=principal.name,
            role=principal.role,
            station_id=principal.station_id,
            permissions=sorted(GRANTS[principal.role]),
            csrf_token=secrets.csrf_token(token) if token else None,
        )


@router.post(
    "",
    operation_id="log_in",
    summary="Log in; the answer sets the session's cookie",
    responses=responses(
        errors.LogInRefused, errors.LogInLimited, errors.ValueInvalid, errors.StoreUnavailable
    ),
)
async def log_in(app: App, request: Request, response: Response, said: LogInIn) -> SessionOut:
    address = (request.client.host if request.client else "")[:MAX_NAME]
    session = await to_thread.run_sync(app.sessions.log_in, said.name, said.password, address, limiter=_one)
    response.set_cookie(
        SESSION_COOKIE,
        session.token,
        max_age=LIFETIME // dt.timedelta(seconds=1),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    response.headers["Cache-Control"] = "no-store"
    return SessionOut.of(session.principal, session.token)


@router.get(
    "",
    operation_id="get_session",
    summary="Who makes this request, and what they may do",
    responses={**DENIALS, **responses(errors.StoreUnavailable)},
)
def get_session(caller: Caller, request: Request, response: Response) -> SessionOut:
    response.headers["Cache-Control"] = "no-store"
    of_user = caller.id.startswith("user/")
    return SessionOut.of(caller, request.cookies.get(SESSION_COOKIE) if of_user else None)


@router.delete(
    "",
    status_code=204,
    operation_id="log_out",
    summary="Log out",
    responses={**DENIALS, **responses(errors.StoreUnavailable)},
)
def log_out(app: App, caller: Caller, request: Request, response: Response) -> None:  # noqa: ARG001 (checks the token)
    token = request.cookies.get(SESSION_COOKIE)
    if token is not None:
        app.sessions.log_out(token)
    response.delete_cookie(SESSION_COOKIE)

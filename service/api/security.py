"""Who makes a request, and whether they may. Every path but the probes and `/metrics` asks for a key or a session."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Annotated, Final

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from service import errors
from service.access import secrets
from service.access.roles import ANYONE, Permission, Principal
from service.api.dependencies import App
from service.api.problems import responses

SESSION_COOKIE: Final = "printproof_session"
CSRF_HEADER: Final = "X-CSRF-Token"
DENIALS: Final = responses(errors.Unauthenticated, errors.Forbidden, errors.CsrfTokenInvalid)
_SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")

_bearer = HTTPBearer(auto_error=False, scheme_name="key", description="An API key: `printproof keys create`.")
_cookie = APIKeyCookie(
    name=SESSION_COOKIE,
    auto_error=False,
    scheme_name="session",
    description=f"A session; changes need its token in `{CSRF_HEADER}`.",
)


def identify(
    request: Request,
    app: App,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    session: Annotated[str | None, Depends(_cookie)],
) -> Principal:
    """Raises Unauthenticated, CsrfTokenInvalid."""
    if bearer is not None:
        return app.keys.principal(bearer.credentials)
    if session is not None:
        principal = app.sessions.principal(session)
        if request.method not in _SAFE_METHODS:
            said = request.headers.get(CSRF_HEADER, "")
            if not hmac.compare_digest(said.encode(), secrets.csrf_token(session).encode()):
                raise errors.CsrfTokenInvalid(f"{CSRF_HEADER} must hold the csrf_token of GET /v1/session")
        return principal
    if app.settings.access.open:
        return ANYONE
    raise errors.Unauthenticated("send an API key: 'Authorization: Bearer pp_...', or log in")


Caller = Annotated[Principal, Depends(identify)]


def allowed(permission: Permission) -> Callable[[Principal], Principal]:
    """A dependency that lets pass who has a permission."""

    def check(caller: Caller) -> Principal:
        if not caller.may(permission):
            raise errors.Forbidden(
                f"{caller.name} has the role {caller.role.value}, which may not {permission.value}"
            )
        return caller

    return check


Reader = Annotated[Principal, Depends(allowed(Permission.READ))]
Submitter = Annotated[Principal, Depends(allowed(Permission.SUBMIT))]
Engineer = Annotated[Principal, Depends(allowed(Permission.CONFIGURE))]
Reviewer = Annotated[Principal, Depends(allowed(Permission.REVIEW))]
can_read: Final = Depends(allowed(Permission.READ))
can_configure: Final = Depends(allowed(Permission.CONFIGURE))

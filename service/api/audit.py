"""/v1/audit: who did what, when and why."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from service import errors
from service.api.dependencies import App
from service.api.filters import PRINTABLE, Name, Since, Until
from service.api.problems import responses
from service.api.schemas import Out
from service.api.security import DENIALS, can_read
from service.audit.entry import Action
from service.audit.repository import AuditFilter

router = APIRouter(prefix="/v1/audit", tags=["access"], dependencies=[can_read], responses=DENIALS)


class EntryOut(Out):
    number: int
    at: dt.datetime
    by: str
    action: Action
    subject: str = Field(description="What it was done to, such as `recipe/milk-1l`.")
    reason: str
    detail: dict[str, Any]


class EntryPage(BaseModel):
    items: list[EntryOut]
    next_cursor: int | None = Field(description="Pass as `cursor` for the next page; null on the last.")


@router.get(
    "",
    operation_id="list_audit",
    summary="The audit trail, the latest entry first",
    responses=responses(errors.ValueInvalid, errors.StoreUnavailable),
)
def list_audit(
    app: App,
    by: Name = None,
    action: Action | None = None,
    subject: Annotated[str | None, Query(max_length=160, pattern=PRINTABLE)] = None,
    since: Since = None,
    until: Until = None,
    cursor: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> EntryPage:
    wanted = AuditFilter(by, action, subject, since, until)
    found = app.audit.page(wanted, before=cursor, limit=limit + 1)
    items = [EntryOut.model_validate(one) for one in found[:limit]]
    return EntryPage(items=items, next_cursor=items[-1].number if len(found) > limit else None)

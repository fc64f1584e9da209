"""/v1/report: what became of a batch, to print and sign."""

from __future__ import annotations

import datetime as dt
from typing import Final
from zoneinfo import ZoneInfo

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from service import errors
from service.api.dependencies import App
from service.api.problems import responses
from service.api.security import DENIALS, Reader
from service.api.statistics import ByCalendar, InScope, require_span
from service.audit.repository import AuditFilter
from service.inspections.repository import Filter
from service.statistics.calendar import Bucket
from service.statistics.summary import Counts, counts_by, pareto, trend

router = APIRouter(prefix="/v1/report", tags=["statistics"], responses=DENIALS)

_MOST_LINES: Final = 500
_pages: Final = Environment(
    loader=PackageLoader("service.api"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_pages.filters["percent"] = lambda share: "" if share is None else f"{share:.2%}"
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-store",
}


@router.get(
    "",
    operation_id="get_report",
    summary="Report of a batch or a time, as a page to print",
    response_class=HTMLResponse,
    responses=responses(errors.ValueInvalid, errors.StoreUnavailable),
)
def get_report(app: App, caller: Reader, scope: InScope, calendar: ByCalendar) -> HTMLResponse:
    """Yields by recipe version and shift, defects by frequency, and what did not pass with why and what people said."""
    require_span(scope, Bucket.SHIFT)
    zone = ZoneInfo(calendar.timezone)
    sums = app.statistics.sums
    step = calendar.step(Bucket.SHIFT)
    rows = sums(["verdict", "review"], scope, ["minute", "name"], step)
    by_recipe = sums(["verdict", "review"], scope, ["recipe", "recipe_version", "name"])
    recipes = counts_by((row[:2], *row[2:]) for row in by_recipe)
    defects = pareto(row[:3] for row in sums(["defect"], scope, ["name", "field"]))
    wanted = Filter(
        recipe=scope.recipe, station_id=scope.station_id, since=scope.since, until=scope.until, not_passed=True,
        recipe_version=scope.recipe_version, line=scope.line,
    )  # fmt: skip
    lines = app.inspections.lines(wanted, before=None, limit=_MOST_LINES + 1)
    named = {
        "Line": scope.line,
        "Station": scope.station_id,
        "Recipe": scope.recipe,
        "Recipe version": scope.recipe_version,
    }
    page = _pages.get_template("report.html")
    html = page.render(
        recipe=scope.recipe,
        since=scope.since.astimezone(zone),
        until=scope.until.astimezone(zone),
        timezone=calendar.timezone,
        scope=[(name, value) for name, value in named.items() if value is not None],
        now=dt.datetime.now(zone),
        by=caller.signature,
        trail=app.audit.page(AuditFilter(), before=None, limit=1)[0].digest(),
        total=counts_by((None, *row[1:]) for row in rows).get(None, Counts()),
        recipes=[(f"{name} version {version}", recipes[name, version]) for name, version in sorted(recipes)],
        shifts=[
            (f"{start.shift or 'day'} of {start.at:%Y-%m-%d}", counts)
            for start, counts in trend(rows, calendar, Bucket.SHIFT)
        ],
        defects=defects,
        lines=lines[:_MOST_LINES],
        more=len(lines) > _MOST_LINES,
        moment=lambda moment: f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S}",
    )
    return HTMLResponse(html, headers=_HEADERS)

"""/v1/stats: yields, defects, trends, scores of fields, parts in a row that did not pass."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Final, Literal
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field

from service import errors
from service.api.dependencies import App
from service.api.filters import Name, Since, Until
from service.api.problems import responses
from service.api.schemas import Out
from service.api.security import DENIALS, can_read
from service.statistics.calendar import Bucket, Calendar, Start
from service.statistics.repository import Scope
from service.statistics.summary import Counts, counts_by, pareto, scores, trend

router = APIRouter(
    prefix="/v1/stats",
    tags=["statistics"],
    dependencies=[can_read],
    responses={**DENIALS, **responses(errors.ValueInvalid, errors.StoreUnavailable)},
)

_DEFAULT_SPAN: Final = dt.timedelta(hours=24)
_MAX_SPANS: Final = {
    Bucket.MINUTE: dt.timedelta(days=2),
    Bucket.HOUR: dt.timedelta(days=93),
    Bucket.SHIFT: dt.timedelta(days=731),
    Bucket.DAY: dt.timedelta(days=731),
}


class CountsOut(Out):
    """`review` are verdicts REVIEW; `confirmed`, `false_rejects` and `escapes` are what people made of verdicts."""

    total: int
    passed: int
    failed: int
    review: int
    confirmed: int
    false_rejects: int
    escapes: int
    first_pass_yield: float | None = Field(description="passed / total; null without an inspection.")
    reviewed_yield: float | None = Field(
        description="Share of what was good after people had looked: PASS that they did not overrule, and what they let pass."
    )


class DefectShareOut(Out):
    code: str
    field: str | None
    count: int
    share: float
    cumulative: float = Field(description="Share of this defect and all that are more frequent.")


class TrendOut(BaseModel):
    start: dt.datetime
    shift: str | None = Field(description="The shift's name, where buckets are shifts.")
    counts: CountsOut

    @classmethod
    def of(cls, start: Start, counts: Counts) -> TrendOut:
        return cls(start=start.at, shift=start.shift, counts=CountsOut.model_validate(counts))


class StatsOut(BaseModel):
    since: dt.datetime
    until: dt.datetime
    timezone: str
    counts: CountsOut
    defects: list[DefectShareOut] = Field(description="The most frequent first.")
    trend: list[TrendOut] = Field(
        description="By `bucket`; those in which nothing was inspected are left out."
    )


class GroupOut(BaseModel):
    line: str | None = None
    station_id: str | None = None
    recipe: str | None = None
    recipe_version: int | None = None
    counts: CountsOut


class GroupList(BaseModel):
    items: list[GroupOut]


class ScoreOut(BaseModel):
    start: dt.datetime
    shift: str | None
    recipe_version: int
    field: str
    count: int
    mean: float = Field(description="Of the scores of the weakest characters, 0 to 1.")


class ScoreList(BaseModel):
    items: list[ScoreOut]


class StreakOut(Out):
    station_id: str
    count: int
    since: dt.datetime | None
    last_inspection: str | None


class StreakList(BaseModel):
    items: list[StreakOut]


def _scope(
    since: Since = None,
    until: Until = None,
    recipe: Name = None,
    recipe_version: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    station_id: Name = None,
    line: Name = None,
) -> Scope:
    """The last 24 hours unless times are given; whole minutes."""
    until = until or (since + _DEFAULT_SPAN if since else dt.datetime.now(dt.timezone.utc))
    since = since or until - _DEFAULT_SPAN
    if until <= since:
        raise errors.ValueInvalid("until: must be later than since")
    return Scope(since, until, recipe, recipe_version, station_id, line)


def _calendar(app: App, timezone: Annotated[str | None, Query(max_length=64)] = None) -> Calendar:
    """The plant's, or its shifts in another time zone."""
    plant = app.settings.plant
    if timezone is not None:
        try:
            ZoneInfo(timezone)
        except (ValueError, OSError, KeyError):
            raise errors.ValueInvalid(f"timezone: there is no time zone {timezone!r}") from None
    return Calendar(timezone or plant.timezone, plant.shifts)


InScope = Annotated[Scope, Depends(_scope)]
ByCalendar = Annotated[Calendar, Depends(_calendar)]


@router.get("", operation_id="get_statistics", summary="Yield, defects by frequency, trend")
def get_statistics(app: App, scope: InScope, calendar: ByCalendar, bucket: Bucket = Bucket.HOUR) -> StatsOut:
    require_span(scope, bucket)
    step = calendar.step(bucket)
    rows = app.statistics.sums(["verdict", "review"], scope, ["minute", "name"], step)
    total = counts_by((None, *row[1:]) for row in rows).get(None, Counts())
    defects = app.statistics.sums(["defect"], scope, ["name", "field"])
    return StatsOut(
        since=scope.since,
        until=scope.until,
        timezone=calendar.timezone,
        counts=CountsOut.model_validate(total),
        defects=[
            DefectShareOut.model_validate(bar)
            for bar in pareto((code, field, count) for code, field, count, _ in defects)
        ],
        trend=[TrendOut.of(*one) for one in trend(rows, calendar, bucket)],
    )


@router.get(
    "/groups", operation_id="get_statistics_by_group", summary="Yield by line, station or recipe version"
)
def get_statistics_by_group(
    app: App, scope: InScope, by: Literal["line", "station", "recipe"] = "station"
) -> GroupList:
    columns = {"line": ["line"], "station": ["station_id"], "recipe": ["recipe", "recipe_version"]}[by]
    rows = app.statistics.sums(["verdict", "review"], scope, [*columns, "name"])
    groups = counts_by((row[: len(columns)], *row[-3:]) for row in rows)
    return GroupList(
        items=[
            GroupOut(
                **{name: value or None for name, value in zip(columns, key, strict=True)},
                counts=CountsOut.model_validate(groups[key]),
            )
            for key in sorted(groups)
        ]
    )


@router.get("/scores", operation_id="get_field_scores", summary="How the scores of a recipe's fields drift")
def get_field_scores(
    app: App, scope: InScope, calendar: ByCalendar, bucket: Bucket = Bucket.HOUR
) -> ScoreList:
    """A score that falls from hour to hour is a print head, a lens or a light that wears out."""
    if scope.recipe is None:
        raise errors.ValueInvalid("recipe: Field required")
    require_span(scope, bucket)
    columns = ["minute", "recipe_version", "field"]
    rows = app.statistics.sums(["score"], scope, columns, calendar.step(bucket))
    return ScoreList(
        items=[
            ScoreOut(
                start=one.start.at,
                shift=one.start.shift,
                recipe_version=one.recipe_version,
                field=one.field,
                count=one.count,
                mean=round(one.mean, 4),
            )
            for one in scores(rows, calendar, bucket)
        ]
    )


@router.get("/streaks", operation_id="get_streaks", summary="Stations whose last parts in a row did not pass")
def get_streaks(app: App, scope: InScope, at_least: Annotated[int, Query(ge=1, le=1000)] = 3) -> StreakList:
    """Of the stations that were in use in the time asked for; a thousand parts are counted at most."""
    stations = sorted(name for name, *_ in app.statistics.sums(["verdict"], scope, ["station_id"]) if name)
    streaks = [app.inspections.streak(name) for name in stations]
    found = [StreakOut.model_validate(one) for one in streaks if one.count >= at_least]
    return StreakList(items=sorted(found, key=lambda one: -one.count))


def require_span(scope: Scope, bucket: Bucket) -> None:
    if scope.until - scope.since > _MAX_SPANS[bucket]:
        most = _MAX_SPANS[bucket].days
        raise errors.ValueInvalid(f"bucket: {bucket.value}s are given for {most} days at most")

"""Which inspections a request is about: the same query parameters wherever inspections are listed or counted."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Final

from fastapi import Depends, Query
from pydantic import AfterValidator, AwareDatetime

from service.errors import ValueInvalid
from service.inspections.repository import Filter, ReviewState
from service.matching.outcome import DefectCode, Verdict

PRINTABLE: Final = r"^[^\x00-\x1f\x7f]+$"
# What stands in the audit trail: nothing that turns or breaks a line of text, or that a terminal obeys.
SIGNABLE: Final = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+$"
_YEARS: Final = range(2000, 2100)


def _is_of_our_time(moment: dt.datetime) -> dt.datetime:
    if moment.year not in _YEARS:
        raise ValueError(f"must lie between the years {_YEARS[0]} and {_YEARS[-1]}")
    return moment


Moment = Annotated[AwareDatetime, AfterValidator(_is_of_our_time)]
"""A time with a time zone, of a year that a plant's clock can show."""

Name = Annotated[str | None, Query(max_length=64, pattern=PRINTABLE)]
Since = Annotated[Moment | None, Query(description="First moment of receipt.")]
Until = Annotated[Moment | None, Query(description="The moment before which it was received.")]


def _filter(
    verdict: Verdict | None = None,
    recipe: Name = None,
    station_id: Name = None,
    part_id: Annotated[str | None, Query(max_length=128, pattern=PRINTABLE)] = None,
    defect: DefectCode | None = None,
    review: ReviewState | None = None,
    text: Annotated[
        str | None,
        Query(
            min_length=3,
            max_length=200,
            pattern=PRINTABLE,
            description="Anywhere in what was read or expected, in capitals or not.",
        ),
    ] = None,
    since: Since = None,
    until: Until = None,
    recipe_version: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    line: Name = None,
) -> Filter:
    if since is not None and until is not None and until <= since:
        raise ValueInvalid("until: must be later than since")
    return Filter(
        verdict=verdict,
        recipe=recipe,
        recipe_version=recipe_version,
        station_id=station_id,
        line=line,
        part_id=part_id,
        defect=defect,
        review=review,
        text=text,
        since=since,
        until=until,
    )


Wanted = Annotated[Filter, Depends(_filter)]

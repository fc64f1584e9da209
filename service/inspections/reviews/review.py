"""A person's verdict on an inspection. Pure values."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import Enum

from service.matching.outcome import Verdict


class ReviewOutcome(str, Enum):
    """What a review says of what the line did with the part."""

    CONFIRMED = "confirmed"
    FALSE_REJECT = "false_reject"
    """A good part was rejected."""
    ESCAPE = "escape"
    """A bad part was not."""


@dataclass(frozen=True, slots=True)
class Review:
    """The latest review of an inspection; `verdict` is PASS or FAIL, what the label really is."""

    at: dt.datetime
    by: str
    verdict: Verdict
    outcome: ReviewOutcome
    reason: str


def outcome_of(verdict: Verdict, rejected: bool) -> ReviewOutcome:
    if verdict is Verdict.PASS and rejected:
        return ReviewOutcome.FALSE_REJECT
    if verdict is Verdict.FAIL and not rejected:
        return ReviewOutcome.ESCAPE
    return ReviewOutcome.CONFIRMED

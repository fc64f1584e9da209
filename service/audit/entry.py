"""An entry of the trail and its place in the hash chain. Pure values."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

GENESIS: Final = "0" * 64
"""What the first entry has in place of the digest of the one before."""

MAX_NAME: Final = 64
MAX_REASON: Final = 500


class Action(str, Enum):
    """What can be done that is worth an entry."""

    RECIPE_CREATED = "recipe.created"
    RECIPE_ACTIVATED = "recipe.activated"
    RECIPE_DEACTIVATED = "recipe.deactivated"
    STATION_CHANGED_OVER = "station.changed_over"
    STATION_ASSIGNED = "station.assigned"
    INSPECTION_REVIEWED = "inspection.reviewed"
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    USER_CREATED = "user.created"
    USER_PASSWORD_SET = "user.password_set"  # noqa: S105 (no password)
    USER_DISABLED = "user.disabled"
    LOGGED_IN = "user.logged_in"
    LOG_IN_REFUSED = "user.log_in_refused"
    LOGGED_OUT = "user.logged_out"


@dataclass(frozen=True, slots=True)
class Author:
    """Who changes something, and why."""

    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. `subject` is what it was done to, such as `recipe/milk-1l`; `detail` holds texts and whole numbers."""

    number: int
    at: dt.datetime
    by: str
    action: Action
    subject: str
    reason: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    previous: str = GENESIS

    def digest(self) -> str:
        """SHA-256 over everything the entry says and the digest of the one before, as hexadecimal."""
        said = [
            self.number,
            self.at.astimezone(dt.timezone.utc).isoformat(timespec="microseconds"),
            self.by,
            self.action.value,
            self.subject,
            self.reason,
            dict(self.detail),
            self.previous,
        ]
        text = json.dumps(said, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

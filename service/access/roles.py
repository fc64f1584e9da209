"""Roles and what they may do. Pure values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Role(str, Enum):
    CAMERA = "camera"
    QA = "qa"
    ENGINEER = "engineer"
    ADMIN = "admin"


class Permission(str, Enum):
    SUBMIT = "submit"
    """Post images."""
    READ = "read"
    """See results, statistics, recipes, stations and the audit trail."""
    REVIEW = "review"
    """Confirm or overrule a verdict."""
    CONFIGURE = "configure"
    """Change recipes and stations."""


GRANTS: Final[dict[Role, frozenset[Permission]]] = {
    Role.CAMERA: frozenset({Permission.SUBMIT}),
    Role.QA: frozenset({Permission.READ, Permission.REVIEW}),
    Role.ENGINEER: frozenset({Permission.SUBMIT, Permission.READ, Permission.CONFIGURE}),
    Role.ADMIN: frozenset(Permission),
}


@dataclass(frozen=True, slots=True)
class Principal:
    """Who makes a request: a key or a user. One with a `station_id` speaks for that station only."""

    id: str
    name: str
    role: Role
    station_id: str | None = None

    @property
    def signature(self) -> str:
        """What stands in the audit trail: a key never signs like a user."""
        return f"{self.name} ({self.id})" if self.id.startswith("key/") else self.name

    def may(self, permission: Permission) -> bool:
        return permission in GRANTS[self.role]


MAX_KEY_NAME: Final = 48
"""With its id, a signature has 64 characters at most."""

ANYONE: Final = Principal("anyone", "anyone", Role.ADMIN)
"""Whoever asks while access is open."""

"""What an image shows beside its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from service.matching.placement import Size


@dataclass(frozen=True, slots=True)
class Evidence:
    """None is unknown."""

    size: Size | None = None


NOTHING_ELSE: Final = Evidence()

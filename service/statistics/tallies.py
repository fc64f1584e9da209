"""What is counted: how often a thing happened in a minute, by station and recipe version. Pure values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Kind = Literal["verdict", "review", "defect", "score"]


class Tally(NamedTuple):
    """A thing that is counted. Empty texts stand for none; `minute` counts from 1970, UTC."""

    kind: Kind
    minute: int
    station_id: str
    recipe: str
    recipe_version: int
    name: str
    field: str


@dataclass(slots=True)
class Tallies:
    """Counts, and sums of what was measured, to be added to those of the database."""

    counts: dict[Tally, int] = field(default_factory=dict)
    totals: dict[Tally, float] = field(default_factory=dict)

    def add(self, tally: Tally, count: int = 1, total: float = 0.0) -> None:
        self.counts[tally] = self.counts.get(tally, 0) + count
        self.totals[tally] = self.totals.get(tally, 0.0) + total

    def rows(self) -> Iterator[Mapping[str, object]]:
        """As the table has them; sorted, so that two writers never wait for each other."""
        for tally in sorted(self.counts):
            yield {**tally._asdict(), "count": self.counts[tally], "total": self.totals[tally]}


def minute_of(moment: dt.datetime) -> int:
    return int(moment.timestamp()) // 60

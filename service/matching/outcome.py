"""Names and tables of what a comparison can come to. `docs/verdicts.md` explains each (held complete by a test)."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Verdict(str, Enum):
    PASS = "PASS"  # noqa: S105 (not a password)
    REVIEW = "REVIEW"
    FAIL = "FAIL"

    @property
    def severity(self) -> int:
        return (Verdict.PASS, Verdict.REVIEW, Verdict.FAIL).index(self)


class Outcome(str, Enum):
    """What became of one field."""

    MATCH = "MATCH"
    ABSENT = "ABSENT"
    MISMATCH = "MISMATCH"
    CONFUSED = "CONFUSED"
    LOW_CONFIDENCE = "LOW_CONFIDENCE"
    MISSING = "MISSING"
    MISPLACED = "MISPLACED"
    ROTATED = "ROTATED"
    DUPLICATE = "DUPLICATE"
    INVALID = "INVALID"
    INCOMPLETE = "INCOMPLETE"
    CODE_MISMATCH = "CODE_MISMATCH"
    CODE_UNREADABLE = "CODE_UNREADABLE"
    UNJUDGED = "UNJUDGED"


class CharState(str, Enum):
    """What became of one character."""

    GOOD = "good"
    BAD = "bad"
    CONFUSED = "confused"
    CONFUSED_MISMATCH = "confused-mismatch"
    MISMATCH = "mismatch"
    MISSING = "missing"
    EXTRA = "extra"


class DefectCode(str, Enum):
    """Why a label did not pass: the outcomes that are faults, and what can befall a whole inspection."""

    MISMATCH = "MISMATCH"
    CONFUSED = "CONFUSED"
    LOW_CONFIDENCE = "LOW_CONFIDENCE"
    MISSING = "MISSING"
    MISPLACED = "MISPLACED"
    ROTATED = "ROTATED"
    DUPLICATE = "DUPLICATE"
    INVALID = "INVALID"
    INCOMPLETE = "INCOMPLETE"
    CODE_MISMATCH = "CODE_MISMATCH"
    CODE_UNREADABLE = "CODE_UNREADABLE"
    UNJUDGED = "UNJUDGED"
    UNEXPECTED_TEXT = "UNEXPECTED_TEXT"
    SEVERAL_LABELS = "SEVERAL_LABELS"
    NOTHING_READ = "NOTHING_READ"
    BLURRED = "BLURRED"
    BAD_EXPOSURE = "BAD_EXPOSURE"
    GLYPHS_TOO_SMALL = "GLYPHS_TOO_SMALL"
    DEADLINE_PASSED = "DEADLINE_PASSED"
    ENGINE_FAILED = "ENGINE_FAILED"


VERDICTS: Final[dict[Outcome, Verdict]] = {
    Outcome.MATCH: Verdict.PASS,
    Outcome.ABSENT: Verdict.PASS,
    Outcome.MISMATCH: Verdict.FAIL,
    Outcome.MISSING: Verdict.FAIL,
    Outcome.MISPLACED: Verdict.FAIL,
    Outcome.ROTATED: Verdict.FAIL,
    Outcome.DUPLICATE: Verdict.FAIL,
    Outcome.INVALID: Verdict.FAIL,
    Outcome.INCOMPLETE: Verdict.FAIL,
    Outcome.CODE_MISMATCH: Verdict.FAIL,
    Outcome.CODE_UNREADABLE: Verdict.FAIL,
    Outcome.UNJUDGED: Verdict.REVIEW,
    Outcome.CONFUSED: Verdict.REVIEW,
    Outcome.LOW_CONFIDENCE: Verdict.REVIEW,
}
"""The fixed table from outcome to verdict."""


def worst(verdicts: list[Verdict]) -> Verdict:
    """FAIL over REVIEW over PASS; of nothing, PASS."""
    return max(verdicts, key=lambda one: one.severity, default=Verdict.PASS)

from __future__ import annotations

import pytest

from service.recipes.sequence import SequenceRule, number_of


@pytest.mark.parametrize(
    ("value", "number"),
    [("SN00123", 123), ("00123-A", 123), ("A", None), ("7B8", 8), ("٣", None), ("12/003", 3)],
)
def test_the_number_at_the_end(value: str, number: int | None) -> None:
    assert number_of(value) == number


@pytest.mark.parametrize(
    ("rule", "last", "value", "fault"),
    [
        (SequenceRule(1), None, "7", None),
        (SequenceRule(1), "6", "7", None),
        (SequenceRule(1), "SN099", "SN100", None),
        (SequenceRule(1), "6", "6", "does not follow"),
        (SequenceRule(1), "6", "5", "does not follow"),
        (SequenceRule(1), "6", "9", "2 missing between '6' and '9'"),
        (SequenceRule(1, max_gap=2), "6", "9", None),
        (SequenceRule(1, max_gap=2), "6", "10", "3 missing"),
        (SequenceRule(2), "6", "8", None),
        (SequenceRule(2), "6", "7", "does not follow"),
        (SequenceRule(1), "999", "1", "does not follow"),
        (SequenceRule(1, restart_at=1), "999", "001", None),
        (SequenceRule(1, restart_at=1), "999", "002", "does not follow"),
        (SequenceRule(), "6", "5", None),
    ],
)
def test_what_follows(rule: SequenceRule, last: str | None, value: str, fault: str | None) -> None:
    found = rule.fault(value, last)
    assert (found is None) is (fault is None)
    assert fault is None or fault in (found or "")

"""The assignment against all assignments there are."""

from __future__ import annotations

import time
from itertools import pairwise, product

from hypothesis import given
from hypothesis import strategies as st

from service.matching.assignment import Candidate, assign

candidates = st.builds(
    lambda first, length, gain: Candidate(first, first + length, gain),
    st.integers(0, 12),
    st.integers(0, 4),
    st.integers(1, 9),
)


def best_sum(prints: list[list[Candidate]]) -> int:
    best = 0
    for chosen in product(*([None, *ones] for ones in prints)):
        spans = sorted((one.first, one.last) for one in chosen if one is not None)
        if all(before[1] < after[0] for before, after in pairwise(spans)):
            best = max(best, sum(one.gain for one in chosen if one is not None))
    return best


@given(st.lists(st.lists(candidates, max_size=4), max_size=5))
def test_no_assignment_is_worth_more(prints: list[list[Candidate]]) -> None:
    given_, disputed = assign(prints, list(range(len(prints))))
    taken = [prints[one][at] for one, at in enumerate(given_) if at is not None]
    spans = sorted((one.first, one.last) for one in taken)
    assert all(before[1] < after[0] for before, after in pairwise(spans))
    assert sum(one.gain for one in taken) == best_sum(prints)
    for one, at in enumerate(given_):
        if prints[one] and (at is None or prints[one][at].gain < max(other.gain for other in prints[one])):
            assert one in disputed


def test_prints_of_one_kind_take_their_places_in_order() -> None:
    places = [Candidate(10 * at, 10 * at + 5, 7) for at in range(4)]
    assert assign([places] * 3, [0, 0, 0])[0] == [0, 1, 2]
    assert sorted(at for at in assign([places] * 6, [0] * 6)[0] if at is not None) == [0, 1, 2, 3]


def test_many_that_fit_everywhere_come_to_an_end() -> None:
    places = [
        [Candidate(3 * at + one % 3, 3 * at + one % 3 + 2, 7 + one) for at in range(60)] for one in range(150)
    ]
    started = time.perf_counter()
    assign(places, list(range(150)))
    assert time.perf_counter() - started < 10

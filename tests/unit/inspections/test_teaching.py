from __future__ import annotations

from service.imaging.evidence import PrintMeasure
from service.inspections.teaching import Taught

GOOD = PrintMeasure(40.0, 0.5, 20.0, (0.3,) * 24, (400.0, 300.0))
FAINT = PrintMeasure(40.0, 0.1, 20.0, (0.3,) * 24, (400.0, 300.0))


def taught(*lines: tuple[int, PrintMeasure]) -> Taught:
    count = len(lines)
    box = ((0.0, 0.0), (10.0, 0.0), (10.0, 40.0), (0.0, 40.0))
    samples, measures = [sample for sample, _ in lines], [measure for _, measure in lines]
    return Taught(640, [box] * len(set(samples)), samples, ["AB"] * count, measures, [1.0] * count)


def test_the_odd_sample_is_named_also_where_a_field_is_absent_or_in_two_pieces() -> None:
    assert taught((0, GOOD), (1, GOOD), (2, FAINT)).odd_one() == 2
    assert taught((1, GOOD), (3, FAINT), (4, GOOD)).odd_one() == 3  # absent on 0 and 2
    assert taught((0, GOOD), (0, GOOD), (1, GOOD), (2, FAINT), (3, GOOD)).odd_one() == 2  # two boxes on 0
    assert taught((0, GOOD), (1, GOOD), (2, GOOD)).odd_one() is None
    assert taught((0, GOOD), (1, FAINT)).odd_one() is None  # of two, nobody can tell

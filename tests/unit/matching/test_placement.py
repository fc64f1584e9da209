"""Prints at a wrong place or angle, on labels that lie somewhere else themselves."""

from __future__ import annotations

import pytest

from service.imaging.regions import Region
from service.matching.evidence import Evidence
from service.matching.outcome import Outcome, Verdict
from service.matching.placement import Size
from service.matching.verdict import Evaluation, evaluate
from service.ocr.text import TextLine
from service.recipes.position import Near, Tolerance
from service.recipes.recipe import Field
from tests.labels import askew, line, moved, recipe, turned

SIZE = Size(400, 200)


def near(x: float, y: float, width: float, tolerance: float = 0.02, **more: float) -> Near:
    box = Region(x / SIZE.width, y / SIZE.height, width / SIZE.width, 20 / SIZE.height)
    return Near(box, Tolerance(share=tolerance), **more)


BRAND = Field("brand", expect="ALPENGLOW", near=near(0, 0, 108))
NET = Field("net", expect="500 ml", near=near(200, 0, 72))
LOT = Field("lot", expect="LOT 12", near=near(0, 80, 72))
GOOD = [line("ALPENGLOW"), line("500 ml", x=200), line("LOT 12", row=2)]


def judge(fields: list[Field], lines: list[TextLine], *anchors: str, size: Size = SIZE) -> Evaluation:
    return evaluate(recipe(fields, anchors=anchors), lines, Evidence(size))


def outcomes(evaluation: Evaluation) -> list[str]:
    return [field.outcome.value for field in evaluation.fields]


def test_in_its_place() -> None:
    assert judge([BRAND, NET, LOT], GOOD).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("x", "y", "detail"),
    [
        (12, 0, "4 px too far right"),
        (0, 9, "5 px too far below"),
        (-12, 0, "4 px too far left"),
        (0, -9, "above"),
    ],
)
def test_out_of_its_place(x: float, y: float, detail: str) -> None:
    evaluation = judge([BRAND, NET, LOT], [*GOOD[:2], moved(GOOD[2], x, y)])
    assert outcomes(evaluation) == ["MATCH", "MATCH", "MISPLACED"]
    assert evaluation.verdict is Verdict.FAIL
    assert detail in evaluation.defects[0].detail


def test_within_its_tolerance() -> None:
    assert judge([BRAND, NET, LOT], [*GOOD[:2], moved(GOOD[2], 7, 3)]).verdict is Verdict.PASS


def test_millimetres() -> None:
    field = Field("lot", expect="LOT 12", near=Near(LOT.near.box, Tolerance(mm=2)))  # type: ignore[union-attr]
    size = Size(400, 200, width_mm=80)  # 5 px a millimetre
    assert judge([field], [moved(GOOD[2], 9, 9)], size=size).verdict is Verdict.PASS
    evaluation = judge([field], [moved(GOOD[2], 15, 0)], size=size)
    assert "1.0 mm too far right" in evaluation.defects[0].detail


def test_a_shifted_label_is_no_misplaced_print() -> None:
    shifted = [moved(one, 40, 30) for one in GOOD]
    assert judge([BRAND, NET, LOT], shifted).verdict is Verdict.FAIL
    assert judge([BRAND, NET, LOT], shifted, "brand").verdict is Verdict.PASS
    wrong = [*shifted[:2], moved(shifted[2], 30, 0)]
    assert outcomes(judge([BRAND, NET, LOT], wrong, "brand")) == ["MATCH", "MATCH", "MISPLACED"]


@pytest.mark.parametrize("degrees", [-8, 5, 8])
def test_two_anchors_turn_with_the_label(degrees: float) -> None:
    fields = [BRAND, NET, Field("lot", expect="LOT 12", near=near(0, 80, 72, angle=0, angle_tolerance=3))]
    lying = [moved(askew(one, degrees), 30, 40) for one in GOOD]
    assert judge(fields, lying, "brand", "net").verdict is Verdict.PASS
    assert outcomes(judge(fields, lying, "brand"))[2] == "ROTATED"
    assert outcomes(judge(fields, [*lying[:2], GOOD[2]], "brand", "net"))[2] == "ROTATED"


def test_upside_down_among_upright_prints() -> None:
    upright = Field("lot", expect="LOT 12", near=Near(angle=0))
    evaluation = judge([BRAND, upright], [GOOD[0], moved(turned(GOOD[2], 2), 300, 200)])
    assert evaluation.fields[1].outcome is Outcome.ROTATED
    assert "turned by -180 degrees" in evaluation.defects[0].detail
    sideways = Field("lot", expect="LOT 12", near=Near(angle=90))
    assert judge([BRAND, sideways], [GOOD[0], moved(turned(GOOD[2], 1), 300, 100)]).verdict is Verdict.PASS


def test_of_equal_prints_each_field_takes_the_one_at_its_place() -> None:
    left = Field("left", expect="12/26", near=near(0, 40, 60))
    right = Field("right", expect="12/26", near=near(300, 40, 60))
    lines = [line("12/26", row=1), line("12/26", row=1, x=300)]
    for fields in ([left, right], [right, left]):
        assert judge(fields, lines).verdict is Verdict.PASS
    assert outcomes(judge([right], [*lines, line("ALPENGLOW")])) == ["MATCH"]


def test_an_anchor_that_is_not_there_moves_nothing() -> None:
    assert outcomes(judge([BRAND, LOT], [GOOD[2]], "brand")) == ["MISSING", "MATCH"]

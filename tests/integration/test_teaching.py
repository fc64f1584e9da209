"""Prints that a reader gets right although half of them is missing, on labels that the recipe was taught with."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from service.errors import RecipeInvalid, SampleUnfit
from service.imaging.frame import Frame
from service.inspections.evidence import gather
from service.inspections.inspection import judge
from service.inspections.teaching import Lesson, for_teaching, odd_samples, write_taught
from service.matching.evidence import Evidence
from service.matching.outcome import DefectCode, Outcome, Verdict
from service.matching.placement import Size
from service.matching.verdict import Evaluation, evaluate
from service.ocr.reader import Reader
from service.recipes.files import parse_recipe
from service.recipes.recipe import Recipe
from tests import spoiled
from tests.labels import for_part

SOURCE = """\
# the top label
recipe: top
fields:
  - name: lot  # from the coder
    pattern: "L{digit:7}B{digit}"
  - name: brand
    expect: "ALPENGLOW"
"""
LOTS = ["L2408170B3", "L2543281B1", "L1956734B8", "L2670592B9", "L2813946B0"]


def teach(reader: Reader, source: str, frames: list[Frame]) -> str:
    recipe = parse_recipe(source, "top.yaml", untaught=True)
    lesson = Lesson(
        for_part(for_teaching(recipe, {})), recipe.anchors, Size(frames[0].width, frames[0].height)
    )
    for frame in frames:
        lesson.take(frame, reader.read([frame])[0].lines)
    return write_taught(source, recipe, lesson)


@pytest.fixture(scope="module", params=["sans", "ocr-b", "dot-matrix"])
def face(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def taught(reader: Reader, face: str) -> Recipe:
    frames = [spoiled.label(lot, seed, face=face) for seed, lot in enumerate(LOTS)]
    # These labels lie elsewhere each time; that is not what is tested here.
    written = teach(reader, SOURCE, frames)
    recipe = parse_recipe(written, "top.yaml")
    assert all(
        field.near and field.near.box and field.print and field.print.reference for field in recipe.fields
    )
    return replace(recipe, fields=tuple(replace(field, near=None) for field in recipe.fields))


def inspect(reader: Reader, recipe: Recipe, frame: Frame) -> Evaluation:
    return judge(recipe, reader.read([frame])[0], gather(frame, recipe)).evaluation


def test_good_prints_pass(reader: Reader, taught: Recipe, face: str) -> None:
    for seed, lot in enumerate(("L2408170B3", "L1234567B8", "L9876543B2", "L5050641B6"), 50):
        evaluation = inspect(reader, taught, spoiled.label(lot, seed, face=face))
        assert evaluation.verdict is Verdict.PASS, evaluation.defects
        ratios = evaluation.fields[0].print
        assert ratios is not None
        assert 0.8 < ratios.height < 1.2


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (spoiled.lower_third_cut, "of its height"),
        (spoiled.half_a_character_erased, "of its ink: partly missing"),
        (spoiled.ribbon_streak, "a streak"),
        (spoiled.ribbon_crease, "of its ink: partly missing"),
        (spoiled.faint_ribbon, "of its contrast: faint"),
        (spoiled.smeared, "smeared"),
    ],
)
def test_bad_prints_do_not(
    reader: Reader, taught: Recipe, face: str, spoil: spoiled.Spoil, reason: str
) -> None:
    frame = spoiled.label("L2408170B3", 7, spoil, face)
    evaluation = inspect(reader, taught, frame)
    assert evaluation.verdict is Verdict.FAIL
    field = evaluation.fields[0]
    assert field.outcome in {Outcome.INCOMPLETE, Outcome.MISMATCH}  # or what is left reads as something else
    if field.outcome is Outcome.INCOMPLETE:
        assert reason in evaluation.defects[0].detail


@pytest.mark.parametrize("spoil", [spoiled.ribbon_streak, spoiled.faint_ribbon])
def test_the_text_alone_would_have_passed(reader: Reader, face: str, spoil: spoiled.Spoil) -> None:
    frame = spoiled.label("L2408170B3", 7, spoil, face)
    untaught = parse_recipe(SOURCE, "top.yaml")
    assert inspect(reader, untaught, frame).verdict is Verdict.PASS


def test_without_an_image_a_print_is_not_judged(reader: Reader, taught: Recipe, face: str) -> None:
    lines = reader.read([spoiled.label("L2408170B3", 7, face=face)])[0].lines
    for evidence in (Evidence(), Evidence(Size(960, 640))):
        evaluation = evaluate(taught, lines, evidence)
        assert evaluation.verdict is Verdict.REVIEW
        assert evaluation.defects[0].code is DefectCode.UNJUDGED


def test_teaching_keeps_the_text_of_the_recipe(reader: Reader) -> None:
    frames = [spoiled.label(lot, seed) for seed, lot in enumerate(LOTS[:2])]
    written = teach(reader, SOURCE, frames)
    assert written.startswith("# the top label\nrecipe: top\n")
    assert 'name: lot  # from the coder\n    pattern: "L{digit:7}B{digit}"\n' in written
    again = teach(reader, written, frames)
    assert again == written


def test_limits_of_the_recipe_are_kept(reader: Reader) -> None:
    source = SOURCE.replace('B{digit}"\n', 'B{digit}"\n    print: {min_ink_ratio: 0.5}\n')
    recipe = parse_recipe(teach(reader, source, [spoiled.label(LOTS[0], 1)]), "top.yaml")
    assert recipe.fields[0].print is not None
    assert recipe.fields[0].print.min_ink_ratio == 0.5


def test_anchors_take_the_place_of_the_label_out(reader: Reader) -> None:
    source = SOURCE + "anchors: [brand]\n"
    recipe = parse_recipe(source, "top.yaml", untaught=True)
    good = spoiled.label(LOTS[0], 1)
    lesson = Lesson(for_part(for_teaching(recipe, {})), recipe.anchors, Size(960, 640))
    for x, y in ((0, 0), (30, 12), (-25, 20)):
        frame = shifted(good, x, y)
        lesson.take(frame, reader.read([frame])[0].lines)
    lefts = [box[0][0] for box in lesson.taught["lot"].boxes]
    assert max(lefts) - min(lefts) < 4
    recipe = parse_recipe(write_taught(source, recipe, lesson), "top.yaml")
    assert inspect(reader, recipe, shifted(good, 60, -15)).verdict is Verdict.PASS


def shifted(frame: Frame, x: int, y: int) -> Frame:
    """The camera looks elsewhere."""
    height, width = frame.pixels.shape[:2]
    move = np.array([[1, 0, x], [0, 1, y]], np.float32)
    pixels = cv2.warpAffine(frame.pixels, move, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return replace(frame, pixels=pixels.astype(np.uint8))


def test_what_is_no_good_sample_is_refused(reader: Reader) -> None:
    with pytest.raises(SampleUnfit, match="it is no good sample; lot: "):
        teach(reader, SOURCE, [spoiled.label("LOT 12", 1)])
    half = spoiled.label(LOTS[0], 1)
    with pytest.raises(SampleUnfit, match="it is 480 x 640, the first one 960 x 640"):
        teach(reader, SOURCE, [half, replace(half, pixels=half.pixels[:, :480])])
    with pytest.raises(SampleUnfit, match="field lot expects lot: give --expected, or a pattern beside it"):
        for_teaching(
            parse_recipe(SOURCE.replace('pattern: "L{digit:7}B{digit}"', 'expect: "{lot}"'), "top.yaml"), {}
        )


@pytest.mark.parametrize("spoil", [spoiled.ribbon_streak, spoiled.faint_ribbon])
def test_one_bad_sample_among_good_ones_is_found(reader: Reader, spoil: spoiled.Spoil) -> None:
    recipe = parse_recipe(SOURCE, "top.yaml")
    lesson = Lesson(for_part(for_teaching(recipe, {})), (), Size(960, 640))
    frames = [spoiled.label(lot, seed) for seed, lot in enumerate(LOTS)]
    for frame in [*frames[:2], spoiled.label("L2408170B3", 7, spoil), *frames[2:]]:
        lesson.take(frame, reader.read([frame])[0].lines)
    assert odd_samples(lesson) == {"lot": 2}


def test_good_samples_are_alike(reader: Reader, face: str) -> None:
    recipe = parse_recipe(SOURCE, "top.yaml")
    lesson = Lesson(for_part(for_teaching(recipe, {})), (), Size(960, 640))
    for seed, lot in enumerate(LOTS):
        frame = spoiled.label(lot, seed, face=face)
        lesson.take(frame, reader.read([frame])[0].lines)
    assert odd_samples(lesson) == {}


def test_codes_and_limits_of_the_image_are_no_hindrance(reader: Reader) -> None:
    source = (
        SOURCE
        + "  - {name: code, optional: true, barcode: {symbology: qr}}\nimage: {quality: {min_sharpness: 5}}\n"
    )
    recipe = parse_recipe(teach(reader, source, [spoiled.label(LOTS[0], 1)]), "top.yaml")
    assert [field.print is not None for field in recipe.fields] == [True, True, False]


def test_limits_without_a_reference_are_no_recipe() -> None:
    with pytest.raises(RecipeInvalid, match="has limits but no reference"):
        parse_recipe(SOURCE + "    print: {min_ink_ratio: 0.5}\n", "top.yaml")

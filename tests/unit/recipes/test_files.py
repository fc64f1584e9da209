from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import RecipeInvalid
from service.imaging.regions import WHOLE_IMAGE, Region, View
from service.recipes.files import MAX_FILE_BYTES, load_folder, load_recipe, parse_recipe
from service.recipes.recipe import DateRule, Field, Recipe

GOOD = """\
recipe: milk-1l
description: 1 l carton
on_error: accept
on_blank: fail
fields:
  - name: brand
    expect: "KIRKLAND"
  - name: best_before
    prefix: "BEST BEFORE"
    date: {format: "DD/MM/YY"}
    optional: true
  - name: lot
    pattern: "L{digit:6}{letter}"
    expect: "{lot}"
    min_confidence: 0.85
    whitespace: collapse
    case: ignore
  - name: serial
    regex: "SN[0-9]+"
"""


def issues(text: str) -> tuple[str, ...]:
    with pytest.raises(RecipeInvalid) as raised:
        parse_recipe(text, "r.yaml")
    return raised.value.issues


def test_a_full_recipe() -> None:
    assert parse_recipe(GOOD, "r.yaml") == Recipe(
        name="milk-1l",
        description="1 l carton",
        on_error="accept",
        on_blank="fail",
        fields=(
            Field("brand", expect="KIRKLAND"),
            Field("best_before", prefix="BEST BEFORE", date=DateRule("DD/MM/YY"), optional=True),
            Field(
                "lot",
                pattern="L{digit:6}{letter}",
                expect="{lot}",
                min_confidence=0.85,
                whitespace="collapse",
                case="ignore",
            ),
            Field("serial", regex="SN[0-9]+"),
        ),
    )


@pytest.mark.parametrize(
    ("written", "meaning"),
    [("1.60", "1.6"), ("012345", "5349"), ("19:18", "1158"), ("2026-12-01", "2026-12-01"), ("yes", "True")],
)
def test_unquoted_text_that_yaml_would_change_is_refused(written: str, meaning: str) -> None:
    (issue,) = issues(f"recipe: a\nfields:\n  - name: x\n    expect: {written}\n")
    assert (
        issue
        == f'4:13: fields[0].expect: unquoted {written} means {meaning} in YAML, not this text; write "{written}"'
    )


def test_every_fault_is_listed_with_its_place() -> None:
    found = issues(
        "recipe: A b\nfields:\n  - name: x\n    expct: 'y'\n    min_confidence: 2\n  - {}\nextra: 1\n"
    )
    assert [issue.split(" ")[0] for issue in found] == ["1:9:", "4:12:", "5:21:", "6:5:", "7:8:"]
    assert "fields[0].expct: there is no such key" in found[1]
    assert "fields[1].name: is missing" in found[3]


@pytest.mark.parametrize(
    ("field", "fault"),
    [
        ("{name: x}", "states no print"),
        ("{name: x, pattern: '{digit', expect: 'a'}", "a lone '{'"),
        ("{name: x, pattern: '{dgit:3}'}", "unknown character class {dgit}"),
        ("{name: x, pattern: '{digit:0}'}", "between 1 and"),
        ("{name: x, pattern: '{digit:999999999}'}", "between 1 and"),
        ("{name: x, regex: '(a'}", "RE2 does not accept it"),
        ("{name: x, regex: '(a)\\1'}", "RE2 does not accept it"),
        ("{name: x, regex: 'a*'}", "matches the empty text"),
        ("{name: x, regex: '\\Qab'}", "RE2 does not accept it"),
        ("{name: x, regex: '\\C'}", "half a character"),
        ("{name: x, regex: '^a$'}", "leave out ^ and $"),
        ("{name: x, regex: 'LOT [0-9]'}", "asks for a space"),
        ("{name: x, pattern: '  '}", "it is blank"),
        ("{name: x, prefix: LOT, pattern: ' '}", "it is blank"),
        ('{name: x, expect: "a\\tb"}', "should match pattern"),
        ("{name: x, expect: '31/02/26', date: {format: 'DD/MM/YY'}}", "FEB 2026 has no day 31"),
        ("{name: x, date: {format: 'DD/MM/YYY'}}", "names no date"),
        ("{name: x, regex: 'a', pattern: 'b'}", "regex; one of them is enough"),
        ("{name: x, date: {format: 'DD/YY'}}", "names no date"),
        ("{name: x, date: {format: 'DD/MM/YY/DD'}}", "names no date"),
        ("{name: x, expect: '   '}", "is blank"),
        ("{name: x, expect: ''}", "at least 1 character"),
        ("{name: x, expect: '{lot'}", "a lone '{'"),
        ("{name: x, expect: '12a', pattern: '{digit:3}'}", "can never satisfy"),
        ("{name: x, expect: '99/99', date: {format: 'DD/MM/YY'}}", "can never satisfy"),
        ("{name: x, expect: 'b', regex: 'a'}", "can never satisfy"),
        ("{name: 'X y', expect: 'b'}", "should match pattern"),
        ("{name: x, expect: 'b', whitespace: some}", "input should be 'ignore', 'collapse' or 'exact'"),
        ("{name: x, expect: 'b', optional: 'yes'}", "valid boolean"),
        ("{name: x, any_of: [a]}", "at least 2 items"),
        ("{name: x, any_of: [a, ' ']}", "fields[0].any_of[1]: is blank"),
        ("{name: x, expect: a, any_of: [a, b]}", "stands beside expect"),
        ('{name: x, expect: "a\\n\\nb"}', "is blank"),
        ('{name: x, expect: "1\\n2", pattern: "{digit}"}', "has several lines"),
        ("{name: x, expect: a, repeat: 0}", "greater than or equal to 1"),
        ("{name: x, expect: a, repeat: [3, 2]}", "begins with the smaller number"),
        ("{name: x, expect: a, repeat: two}", "fields[0].repeat: "),
        ("{name: x, date: {format: MM/YY}, confusable: accept}", "not read for certain"),
        ("{name: x, expect: a, confusable: maybe}", "'review', 'accept' or 'fail'"),
        ("{name: x, expect: '12', check_digit: luhn}", "check digit '2' is wrong, '8' is right"),
        ("{name: x, expect: '1', check_digit: crc}", "input should be 'gs1', 'luhn'"),
        ("{name: x, date: {format: MM/YY, equals: tomorrow + 1}}", "is no date: write production_date"),
        ("{name: x, date: {format: MM/YY, equals: production_date}}", "needs the recipe's timezone"),
        ("{name: x, date: {format: MM/YY, equals: bb, not_after: bb}}", "stands beside a limit"),
        ("{name: x, date: {format: MM/YY, tolerance: 2d}}", "is of no use without equals"),
        ("{name: x, date: {format: MM/YY, tolerance: '2'}}", "fields[0].date.tolerance: "),
        ("{name: x, date: {format: MMM YY, months: xx}}", "fields[0].date.months: are a language"),
        ("{name: x, date: {format: MMM YY, months: [A,A,C,D,E,F,G,H,I,J,K,L]}}", "hold a name twice"),
        ("{name: x, expect: '01/01/26', date: {format: DD/MM/YY, equals: bb}}", "stands beside date.equals"),
        ("{name: x, expect: '{production_date}'}", "production_date needs a format"),
        ("{name: x, expect: 'L{shift}'}", "shift needs the recipe's shifts"),
        ("{name: x, expect: '{d:GS1}'}", "write {d:YYMMDD}"),
        ("{name: x, expect: '{d:XX}'}", "names no date"),
        ("{name: x, expect: a, near: {}}", "states neither box nor angle"),
        ("{name: x, regex: 'SN[0-9]{6}', optional: true}", "needs a prefix beside a regex"),
        ("{name: x, any_of: ['{lot}', b]}", "takes no {name}; use expect"),
        ("{name: x, prefix: '{lot}', regex: a}", "takes no {name}; use expect"),
        ("{name: x, any_of: ['18', '12'], check_digit: luhn}", "any_of[1]: can never satisfy"),
        ("{name: x, date: {format: MMM YY, months: [' 1',B,C,D,E,F,G,H,I,J,K,L]}}", "are a language"),
        (
            "{name: x, date: {format: MMM YY, months: [' 1',02,03,04,05,06,07,08,09,10,11,12]}}",
            "fields[0].date.months",
        ),
        ("{name: x, regex: 'ＬＯＴ'}", "holds full-width forms"),
        ("{name: x, expect: a, near: {box: [0, 0, 1, 1], tolerance: 99999mm}}", "near.tolerance"),
        ("{name: x, barcode: {symbology: qr, gs1: {'17': '{bb:QQ}'}}}", "names no date"),
        ("{name: x, case: ignore, barcode: {symbology: qr}}", "has no use beside barcode"),
        ("{name: x, pattern: '{digit}', sequence: {}}", "states neither step nor unique_within"),
        ("{name: x, expect: '12', sequence: {step: 1}}", "the same on every part"),
        ("{name: x, date: {format: MM/YY, not_before: a + 2m, not_after: a + 1m}}", "no date is allowed"),
        (
            "{name: x, pattern: '{digit}', sequence: {max_gap: 1, unique_within: 1d}}",
            "have no use without step",
        ),
        ("{name: x, pattern: '{digit}', repeat: 2, sequence: {step: 1}}", "has no use beside repeat"),
        ("{name: x, pattern: '{digit}', sequence: {unique_within: 30}}", "sequence.unique_within: "),
        ("{name: x, barcode: {symbology: ean}}", "input should be 'datamatrix'"),
        ("{name: x, prefix: A, barcode: {symbology: qr}}", "has no use beside barcode"),
        ("{name: x, expect: a, barcode: {symbology: qr, gs1: {'01': '*'}}}", "stands beside barcode.gs1"),
        ("{name: x, barcode: {symbology: qr, gs1: {'0000': '*'}}}", "0000 is no application identifier"),
        ("{name: x, barcode: {symbology: qr, gs1: {'10': '@lot'}}}", "there is no printed field lot"),
        ("{name: x, barcode: {symbology: qr, gs1: {'10': '{lot'}}}", "a lone '{'"),
        ("{name: x, barcode: {symbology: qr, gs1: {'01': '123'}}}", "can never say '123'"),
        ("{name: x, barcode: {symbology: qr, gs1: {'10': '{shift}'}}}", "shift needs the recipe's shifts"),
        (
            "{name: x, expect: a}\n  - {name: y, barcode: {symbology: qr, gs1: {'17': '@x'}}}",
            "is a date, and x has none",
        ),
        ("{name: x, expect: a, near: {box: [0, 0, 0.1, 0.1]}}", "needs box and tolerance together"),
        ("{name: x, expect: a, near: {box: [0, 0, 0, 0.1], tolerance: 0.1}}", "has no extent"),
        ("{name: x, expect: a, near: {box: [0, 0, 1, 1], tolerance: 1mm}}", "needs image.width_mm"),
        ("{name: x, expect: a, near: {box: [0, 0, 1, 1], tolerance: 1cm}}", "fields[0].near.tolerance: "),
    ],
)
def test_faults_of_a_field(field: str, fault: str) -> None:
    assert fault in "\n".join(issues(f"recipe: a\nfields:\n  - {field}\n"))


def test_an_expected_text_is_judged_as_the_print_will_be() -> None:
    for field in (
        "{name: x, expect: a12, pattern: '{upper}{digit:2}', case: ignore}",
        "{name: x, expect: 11APR2021, date: {format: DD MMM YYYY}}",
        "{name: x, expect: 'LOT 77', regex: 'LOT[0-9]+'}",
    ):
        assert parse_recipe(f"recipe: a\nfields:\n  - {field}\n", "r.yaml").fields


FIELDS = 'fields: [{name: a, expect: "A"}]\n'


def test_what_is_known_of_the_images() -> None:
    written = "recipe: a\nimage: {roi: [0.1, 0, 0.9, 1], min_glyph_px: 24}\n" + FIELDS
    assert parse_recipe(written, "r.yaml").image == View(Region(0.1, 0, 0.9, 1), (), 24)
    written = "recipe: a\nimage:\n  lines:\n    - [0.7, 0.1, 0.3, 0.1]\n    - [0, 0.2, 1, 0.1]\n" + FIELDS
    places = (Region(0.7, 0.1, 0.3, 0.1), Region(0, 0.2, 1, 0.1))
    assert parse_recipe(written, "r.yaml").image == View(lines=places)
    assert parse_recipe("recipe: a\n" + FIELDS, "r.yaml").image == WHOLE_IMAGE
    for written, rotate in (("auto", None), ("0", 0), ("270", 270)):
        recipe = parse_recipe(f"recipe: a\nimage: {{rotate: {written}}}\n" + FIELDS, "r.yaml")
        assert recipe.image == View(rotate=rotate)


@pytest.mark.parametrize(
    ("image", "fault"),
    [
        ("{roi: [0.1, 0.2, 0.8]}", "2:14: image.roi: list should have at least 4 items"),
        ("{roi: [0.1, 0.2, 80, 10]}", "2:25: image.roi[2]: input should be less than or equal to 1"),
        ("{roi: [0.1, 0.2, 0.95, 0.1]}", "2:14: image.roi: reaches beyond the image"),
        ("{roi: [0.1, 0.2, 0, 0.1]}", "2:14: image.roi: has no extent"),
        ("{lines: []}", "2:16: image.lines: list should have at least 1 item"),
        ("{lines: [[0, 0, 1, 1], [0, 0.5, 1, 0.6]]}", "2:31: image.lines[1]: reaches beyond the image"),
        ("{lines: [[0, 0, 1, 1]], roi: [0, 0, 1, 1]}", "2:37: image.roi: has no use beside lines"),
        ("{lines: [[0, 0, 1, 1]], min_glyph_px: 20}", "2:46: image.min_glyph_px: has no use beside lines"),
        ("{min_glyph_px: 0}", "2:23: image.min_glyph_px: input should be greater than or equal to 4"),
        ("{lines: [[0, 0, 1, 0.2], [0, 0.05, 1, 0.2]]}", "2:33: image.lines[1]: lies on lines[0]"),
        ("{rotate: 45}", "2:17: image.rotate: input should be"),
        ("{region: 1}", "2:17: image.region: there is no such key"),
        ("[1]", "2:8: image: input should be"),
    ],
)
def test_faults_of_what_is_known_of_the_images(image: str, fault: str) -> None:
    assert any(fault in issue for issue in issues(f"recipe: a\nimage: {image}\n" + FIELDS))


@pytest.mark.parametrize(
    ("head", "fault"),
    [
        ("timezone: Mars/Olympus", "there is no time zone Mars/Olympus"),
        ("timezone: ../etc/passwd", "there is no time zone"),
        ("shifts: {A: '06:00'}", "need a timezone"),
        ("timezone: UTC\nshifts: {A: 14:00}", "unquoted 14:00 means 840 in YAML"),
        ("timezone: UTC\nshifts: {A: '06:00', B: '22:00', C: '14:00'}", "do not follow each other"),
        ("timezone: UTC\nshifts: {A: '25:00'}", "shifts.A: "),
        ("product: {shift: A}", "has a meaning of its own"),
        ("confusables: [A]", "at least 2 characters"),
        ("anchors: [y]", "there is no field y"),
        ("anchors: [x]", "x needs near.box"),
        ("unexpected_text: maybe", "'ignore', 'review' or 'fail'"),
    ],
)
def test_faults_of_the_head(head: str, fault: str) -> None:
    assert fault in "\n".join(issues(f"recipe: a\n{head}\nfields:\n  - {{name: x, expect: a}}\n"))


def test_a_place_where_nothing_is_looked_for() -> None:
    near = "near: {box: [0.6, 0.6, 0.1, 0.1], tolerance: 0.01}"
    source = f"recipe: a\nimage: {{roi: [0, 0, 0.5, 0.5]}}\nfields:\n  - {{name: x, expect: a, {near}}}\n"
    assert "lies outside of image.roi" in issues(source)[0]


def test_two_fields_of_one_name() -> None:
    assert (
        "second time" in issues("recipe: a\nfields:\n  - {name: x, expect: a}\n  - {name: x, expect: b}\n")[0]
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "must be a mapping"),
        ("- a\n", "must be a mapping"),
        ("recipe: [\n", "is not YAML"),
        ("recipe: a\nrecipe: b\nfields: []\n", "stands here a second time"),
        ("recipe: &x a\nfields: []\n", "anchors and aliases"),
        ("recipe: !!python/object/apply:os.system ['true']\nfields: []\n", "the tag"),
        ("recipe: a\nfields: []\n", "at least 1 item"),
        ("a: " + "[" * 50 + "]" * 50, "nested more than"),
        ("a: " + "x" * MAX_FILE_BYTES, "is larger than"),
        ("recipe: a\x00\n", "is not YAML"),
        ('recipe: "\\UFFFFFFFF"\n', "is not YAML"),
        ('recipe: a\ndescription: "\\ud800"\n', "half of a character"),
        ("? [a, b]\n: c\n", "a key must be a plain word"),
        ("recipe: a\n--- \nrecipe: b\n", "is not YAML"),
    ],
)
def test_hostile_and_broken_files(text: str, fault: str) -> None:
    assert fault in "\n".join(issues(text))


@given(st.text(max_size=200))
def test_any_text_is_a_recipe_or_refused(text: str) -> None:
    with contextlib.suppress(RecipeInvalid):
        assert parse_recipe(text, "r.yaml").fields


def test_files(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(GOOD)
    (tmp_path / "a.yml").write_text(GOOD.replace("milk-1l", "milk-2l"))
    (tmp_path / "notes.txt").write_text("no recipe")
    assert [recipe.name for recipe, _ in load_folder(tmp_path)] == ["milk-2l", "milk-1l"]
    assert load_folder(tmp_path / "nowhere") == []
    (tmp_path / "c.yaml").write_text(GOOD)
    with pytest.raises(RecipeInvalid, match="is also in"):
        load_folder(tmp_path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RecipeInvalid, match="cannot be read"):
        load_recipe(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes("recipe: é".encode("latin-1"))
    with pytest.raises(RecipeInvalid, match="is not UTF-8"):
        load_recipe(tmp_path / "latin.yaml")

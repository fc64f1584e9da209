from __future__ import annotations

from models.bench.scoring import Score, exact_lines, score, shared_lines


def test_a_perfect_reading() -> None:
    assert score([["LOT 12", "净含量：220ml"]], [["净含量：220ml", "LOT 12"]]) == Score(2, 2, 2, 14, 0, 0, 0)


def test_case_and_spaces_do_not_count_but_spaces_are_told() -> None:
    found = score([["Best Before 1"]], [["BESTBEFORE 1"]])
    assert (found.exact, found.strict, found.wrong_chars, found.spacing) == (1, 1, 0, 1)


def test_full_width_forms_are_exact_but_not_strict() -> None:
    found = score([["净含量：220ml"]], [["净含量:220ml"]])
    assert (found.exact, found.strict) == (1, 0)


def test_wrong_missing_and_extra() -> None:
    found = score([["LOT 12", "KEEP COOL"]], [["LOT 13", "%&", "noise"]])
    assert (found.lines, found.exact, found.wrong_chars, found.chars, found.extra) == (2, 0, 1 + 8, 13, 2)


def test_one_output_line_answers_one_truth_line() -> None:
    found = score([["12/26", "12/26"]], [["12/26"]])
    assert (found.exact, found.wrong_chars) == (1, 5)


def test_which_lines_are_exact() -> None:
    assert exact_lines(["LOT 12", "KEEP COOL", "12/26"], ["keepcool", "LOT 13", "12/26"]) == {1, 2}


def test_shared_output_lines() -> None:
    assert shared_lines(["LOT 12", "LOT 12", "净含量：1"], ["lot12", "净含量:1", "x"]) == 2

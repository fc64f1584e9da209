"""The commands as they are typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from service.samples.generator import Sample

Samples = tuple[Path, list[Sample]]


def printproof(*arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "service", *map(str, arguments)],
        env={**os.environ, "PRINTPROOF_ENGINE__DEVICE": "cpu", **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "Traceback" not in done.stderr
    return done


def expected_of(sample: Sample) -> list[str]:
    return [
        argument for name, value in sample.expected.items() for argument in ("--expected", f"{name}={value}")
    ]


def inspect(folder: Path, sample: Sample, *more: object) -> subprocess.CompletedProcess[str]:
    recipe = folder / "recipes" / f"{sample.recipe}.yaml"
    return printproof("inspect", folder / sample.file, "--recipe", recipe, *expected_of(sample), *more)


def pick(samples: Samples, defect: str | None) -> Sample:
    return next(sample for sample in samples[1] if sample.defect == defect)


def test_inspect_tells_good_from_bad_by_its_exit_status(samples: Samples) -> None:
    good = inspect(samples[0], pick(samples, None))
    assert (good.returncode, good.stdout.split()[0]) == (0, "PASS")
    bad = inspect(samples[0], pick(samples, "wrong_date"))
    assert (bad.returncode, bad.stdout.split()[0]) == (1, "FAIL")
    assert "MISMATCH" in bad.stdout


def test_inspect_json_has_the_keys_of_the_api(samples: Samples) -> None:
    done = inspect(samples[0], pick(samples, "wrong_lot_character"), "--json")
    (result,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, result["verdict"], result["defects"][0]["code"]) == (1, "FAIL", "MISMATCH")
    assert list(result)[1:] == [
        "id", "verdict", "reject", "recipe", "recipe_version", "station_id", "part_id", "received_at", "production",
        "fields", "defects", "lines", "width", "height", "notes", "timings_ms", "review",
    ]  # fmt: skip


def test_inspect_reads_only_what_the_recipe_lets_it_see(samples: Samples, tmp_path: Path) -> None:
    folder, sample = samples[0], pick(samples, None)
    recipe = tmp_path / "half.yaml"
    whole = (folder / "recipes" / f"{sample.recipe}.yaml").read_text("utf-8")
    recipe.write_text("image: {roi: [0, 0, 1, 0.5]}\n" + whole, "utf-8")
    done = printproof("inspect", folder / sample.file, "--recipe", recipe, *expected_of(sample))
    assert done.returncode == 1
    assert "MISSING" in done.stdout


def test_inspect_goes_on_after_an_image_it_cannot_read(samples: Samples, tmp_path: Path) -> None:
    sample = pick(samples, None)
    (tmp_path / "no.jpg").write_text("no image")
    recipe = samples[0] / "recipes" / f"{sample.recipe}.yaml"
    images = [tmp_path / "no.jpg", samples[0] / sample.file, tmp_path / "absent.jpg"]
    done = printproof("inspect", *images, "--recipe", recipe, *expected_of(sample), "--json")
    assert done.returncode == 2
    assert [json.loads(line)["verdict"] for line in done.stdout.splitlines()] == ["PASS"]
    assert "no.jpg: the bytes are not" in done.stderr
    assert "absent.jpg: cannot be read" in done.stderr


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ([], "needs expected values for: lot, best_before"),
        (["--expected", "lot"], "give each value once, as name=value"),
    ],
)
def test_inspect_needs_its_values(samples: Samples, expected: list[str], message: str) -> None:
    sample = pick(samples, None)
    recipe = samples[0] / "recipes" / f"{sample.recipe}.yaml"
    done = printproof("inspect", samples[0] / sample.file, "--recipe", recipe, *expected)
    assert done.returncode == 2
    assert message in done.stderr


def test_ocr_json(samples: Samples, tmp_path: Path) -> None:
    sample = pick(samples, None)
    (tmp_path / "no.jpg").write_text("no image")
    done = printproof("ocr", samples[0] / sample.file, tmp_path / "no.jpg", "--json")
    assert done.returncode == 2
    (result,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert list(result) == ["file", "width", "height", "notes", "lines", "timings_ms"]
    assert list(result["timings_ms"]) == ["decode", "detect", "recognise"]
    line = result["lines"][0]
    assert list(line) == ["text", "score", "box", "chars"]
    assert len(line["box"]) == 4
    assert "".join(char["char"] for char in line["chars"]) == line["text"]
    assert list(line["chars"][0]) == ["char", "score", "alternatives", "place"]
    assert any(char["alternatives"] for line in result["lines"] for char in line["chars"])


def test_recipe_check_comes_to_the_verdict_of_inspect(samples: Samples, tmp_path: Path) -> None:
    sample = pick(samples, None)
    recipe, image = samples[0] / "recipes" / f"{sample.recipe}.yaml", samples[0] / sample.file
    (tmp_path / "lines.json").write_text(printproof("ocr", image, "--json").stdout, "utf-8")
    inspected = printproof("inspect", image, "--recipe", recipe, *expected_of(sample), "--json")
    (tmp_path / "result.json").write_text(inspected.stdout, "utf-8")
    wanted = json.loads(inspected.stdout)
    for lines in ("lines.json", "result.json"):  # with the evidence of each character, and without
        arguments = ("recipe", "check", "--recipe", recipe, "--lines", tmp_path / lines)
        done = printproof(*arguments, *expected_of(sample), "--json")
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert list(result) == list(wanted)
        assert (result["id"], result["verdict"], result["defects"]) == (wanted["id"], "PASS", [])
    assert [one["outcome"] for one in result["fields"]] == ["MATCH"] * len(wanted["fields"])
    lot = sample.expected["lot"]  # its fourth character is a digit
    other = {**sample.expected, "lot": f"{lot[:3]}{'4' if lot[3] != '4' else '7'}{lot[4:]}"}
    failed = printproof(*arguments, *expected_of(replace(sample, expected=other)))
    assert failed.returncode == 1, failed.stderr
    assert "MISMATCH" in failed.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ('{"lines": [{"text": "A"}]}', "1: lines.0.box: Field required"),
        ('{"lines": [{"text": "A", "score": 7, "box": [[0,0],[1,0],[1,1],[0,1]]}]}', "lines.0.score"),
        ("[]", "1: object: "),
        ("", "holds no reading"),
        ('{"items": []}', "holds no reading"),
        ('{"lines": [{"text": "A", "box": [[NaN,0],[1,0],[1,1],[0,1]]}]}', "finite number"),
        ("[" * 100_000, "is nested too deep"),
    ],
)
def test_recipe_check_refuses_what_is_no_reading(
    samples: Samples, tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "lines.json").write_text(content)
    recipe = samples[0] / "recipes" / "tablets.yaml"
    values = ("--expected", "lot=1", "--expected", "best_before=2")
    done = printproof("recipe", "check", "--recipe", recipe, "--lines", tmp_path / "lines.json", *values)
    assert done.returncode == 2
    assert message in done.stderr


def test_stored_recipes(tmp_path: Path) -> None:
    file, data = tmp_path / "one.yaml", {"PRINTPROOF_DATA_DIR": str(tmp_path / "data")}
    for version, brand in enumerate(("A", "B"), 1):
        file.write_text(f'recipe: one\nfields:\n  - {{name: brand, expect: "{brand}"}}\n')
        done = printproof("recipe", "import", file, "--reason", f"brand {brand}", "--activate", **data)
        assert f"one version {version}" in done.stdout, done.stderr
    assert '-  - {name: brand, expect: "A"}' in printproof("recipe", "diff", "one", 1, 2, **data).stdout
    back = printproof("recipe", "roll-back", "one", "--reason", "wrong", "--by", "bob", **data)
    assert "one version 1" in back.stdout
    assert "activated version 1 by bob: wrong" in printproof("recipe", "changes", "one", **data).stdout
    assert printproof("recipe", "export", "one", "--version", 2, **data).stdout == file.read_text()
    assert [
        line.endswith("active")
        for line in printproof("recipe", "versions", "one", **data).stdout.splitlines()
    ] == [False, True]
    assert printproof("recipe", "activate", "one", 2, "--reason", "right", **data).returncode == 0
    assert "one version 2" in printproof("recipe", "list", **data).stdout
    assert printproof("station", "set", "line-1", "one", "--reason", "order", **data).returncode == 0
    assert printproof("station", "list", **data).stdout.startswith("line-1  one  since ")
    assert "order" in printproof("station", "changes", "line-1", **data).stdout
    assert printproof("recipe", "deactivate", "one", "--reason", "over", **data).returncode == 0
    for wrong in (("recipe", "export", "one"), ("station", "set", "line-1", "one", "--reason", "x")):
        assert printproof(*wrong, **data).returncode == 2
    assert "must not be blank" in printproof("recipe", "roll-back", "one", "--reason", " ", **data).stderr


def test_recipe_teach(samples: Samples, tmp_path: Path) -> None:
    sample = pick(samples, None)
    recipe, image = samples[0] / "recipes" / f"{sample.recipe}.yaml", samples[0] / sample.file
    taught = tmp_path / "taught.yaml"
    done = printproof("recipe", "teach", "--recipe", recipe, image, *expected_of(sample), "--out", taught)
    assert done.returncode == 0, done.stderr
    assert "1 samples, characters" in done.stderr
    assert printproof("recipe", "validate", taught).returncode == 0
    inspected = printproof("inspect", image, "--recipe", taught, *expected_of(sample), "--json")
    result = json.loads(inspected.stdout)
    assert result["verdict"] == "PASS"
    assert all(field["print"]["height"] == pytest.approx(1, abs=0.05) for field in result["fields"])
    bad = samples[0] / next(one.file for one in samples[1] if one.recipe == sample.recipe and one.defect)
    refused = printproof("recipe", "teach", "--recipe", recipe, bad, *expected_of(sample))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "it is no good sample" in refused.stderr


def test_recipe_validate(samples: Samples, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("recipe: bad\nfields:\n  - {name: x, expect: 012345}\n")
    done = printproof("recipe", "validate", samples[0] / "recipes" / "tablets.yaml", tmp_path / "bad.yaml")
    assert done.returncode == 2
    assert "tablets, 4 fields, needs lot, best_before" in done.stdout
    assert "bad.yaml:3:23: fields[0].expect: unquoted 012345 means 5349 in YAML" in done.stderr


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"PRINTPROOF_ENGINE__THREADS": "many"}, "PRINTPROOF_ENGINE__THREADS: "),
        ({"PRINTPROOF_ENGINE__DEVICE": "tpu"}, "PRINTPROOF_ENGINE__DEVICE: "),
        (
            {"PRINTPROOF_ENGINE__BUNDLE": "none"},
            "there is no weight bundle 'none'; known are: ppocr-v6-small",
        ),
        ({"PRINTPROOF_ENGINE__DEVICE": "gpu"}, "PRINTPROOF_ENGINE__DEVICE=gpu, but "),
        ({"PRINTPROOF_WEIGHTS_DIR": "/nowhere"}, "run: printproof models pull ppocr-v6-small"),
        ({"PRINTPROOF_POTR": "80"}, "PRINTPROOF_POTR: there is no such setting"),
    ],
)
def test_a_bad_setting_stops_the_start_with_one_line(
    samples: Samples, settings: dict[str, str], message: str
) -> None:
    done = printproof("ocr", samples[0] / "00000.jpg", **settings)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_serve_does_not_start_on_bad_weights(tmp_path: Path) -> None:
    done = printproof("serve", PRINTPROOF_WEIGHTS_DIR=str(tmp_path), PRINTPROOF_DATA_DIR=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.strip().endswith("run: printproof models pull ppocr-v6-small")


def test_models(tmp_path: Path) -> None:
    listed = printproof("models", "list").stdout
    assert "ppocr-v6-small" in listed
    assert "in use" in listed
    assert printproof("models", "verify").returncode == 0
    missing = printproof("models", "verify", PRINTPROOF_WEIGHTS_DIR=str(tmp_path))
    assert missing.returncode == 2
    assert "run: printproof models pull" in missing.stderr


def test_migrate(tmp_path: Path) -> None:
    done = printproof("migrate", PRINTPROOF_DATABASE_URL=f"sqlite:///{tmp_path / 'a.db'}")
    assert (done.returncode, (tmp_path / "a.db").is_file()) == (0, True)


def test_version_and_help() -> None:
    assert printproof("--version").stdout.startswith("printproof 0.")
    assert "serve" in printproof("--help").stdout
    assert printproof("no-such-command").returncode == 2


def test_demo_once(tmp_path: Path) -> None:
    done = printproof("demo", "--once", "--folder", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "every good label passed, every defective one did not" in done.stderr
    for defect in ("missing line", "wrong date", "wrong lot character", "smeared", "cut off"):
        assert defect in done.stdout

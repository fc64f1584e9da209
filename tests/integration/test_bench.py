"""The bench drives real workers; here only PrintProof's own, which needs no other environment."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from models.bench import peers, plant, report, runner, store
from models.bench.peers import PEERS, Peer, Worker
from service.db import engine as db
from service.errors import EngineFailed, ImageMissing, WeightsMissing
from service.samples.generator import Sample
from tests.postgresql import PostgreSQL


def quiet(_message: str) -> None:
    pass


def test_rounds_scores_and_report(
    tmp_path: Path, samples: tuple[Path, list[Sample]], weights_dir: Path
) -> None:
    pipelines = (PEERS[0], replace(PEERS[0], name="again"))
    pictures = runner.load_pictures(samples[0])
    assert len(pictures) == sum(sample.defect not in {"smeared", "cut_off"} for sample in samples[1])
    results = runner.run(pictures[:2], pipelines, weights_dir, 2, quiet)
    report.write(results, tmp_path, "labels")
    written = json.loads((tmp_path / "ocr.json").read_text("utf-8"))
    assert [one["name"] for one in written["pipelines"]] == ["PrintProof", "again"]
    for one in written["pipelines"]:
        assert len(one["rounds_ms"]) == 2
        assert one["median_ms_min"] <= one["median_ms"] <= one["median_ms_max"] <= one["p95_ms"] * 2
        assert one["exact"] == one["lines"] == sum(len(picture.lines) for picture in pictures[:2])
        assert one["same_lines_every_round"]
        assert one["shared"] == one["output_lines"] == one["lines"] + one["extra"]
    assert written["differences"] == []
    table = (tmp_path / "ocr.md").read_text("utf-8")
    assert "| PrintProof (ppocr-v6-small, onnxruntime" in table
    assert (tmp_path / "ocr.svg").read_text("utf-8").startswith("<?xml")


def test_lines_that_only_some_pipelines_read_are_listed(tmp_path: Path) -> None:
    read = {"one": ["LOT 12", "KEEP COOL"], "other": ["lot 12", "KEEP C00L"], "third": []}
    differences = list(runner.differences(["LOT 12", "KEEP COOL", "12/26"], read))
    assert differences == [("LOT 12", ["one", "other"]), ("KEEP COOL", ["one"])]
    pipeline = {
        "name": "one",
        "runtime": "r",
        "stages_ms": {},
        "rounds_ms": [1.0, 2.0],
        **dict.fromkeys(("median_ms", "median_ms_min", "median_ms_max", "p95_ms"), 1.0),
        **dict.fromkeys(
            (
                "lines",
                "exact",
                "strict",
                "chars",
                "wrong_chars",
                "extra",
                "spacing",
                "shared",
                "output_lines",
            ),
            3,
        ),
    }
    results = {
        "machine": {"cores": 2, "cpu": "c"},
        "images": 1,
        "rounds": 2,
        "pipelines": [pipeline],
        "differences": [{"file": "a.png", "line": "KEEP COOL", "read_by": ["one"]}],
    }
    assert "| `KEEP COOL` | a.png | one |" in report.markdown(results, "labels")


def test_a_folder_without_truth(tmp_path: Path) -> None:
    with pytest.raises(ImageMissing, match=r"neither truth\.jsonl nor index\.json"):
        runner.load_pictures(tmp_path)


def test_a_worker_that_ends_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "workers").mkdir()
    (tmp_path / "workers" / "broken.py").write_text("raise SystemExit(3)")
    monkeypatch.setattr(peers, "_HERE", tmp_path)
    peer = Peer("broken", "broken.py")
    with pytest.raises(EngineFailed, match="broken: its worker ended with status 3"):
        Worker(peer, peers.interpreter(peer, quiet), tmp_path)


def test_weights_that_a_pipeline_needs_are_asked_for_before_the_first_round(
    tmp_path: Path, samples: tuple[Path, list[Sample]]
) -> None:
    with pytest.raises(WeightsMissing, match="printproof models pull ppocr-v6-small"):
        runner.run(runner.load_pictures(samples[0]), peers.OWN, tmp_path, 1, quiet)


def test_every_peer_is_locked_by_hash() -> None:
    for peer in PEERS[1:]:
        assert peer.lock is not None
        text = (Path(peers.__file__).parent / peer.lock).read_text("utf-8")
        assert "--hash=sha256:" in text
        assert "://" not in text


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_the_store_is_measured_among_the_rows_of_a_plant(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    server: PostgreSQL = request.getfixturevalue("postgresql")
    url = f"sqlite:///{tmp_path / 'x.db'}" if kind == "sqlite" else server.new_database()
    monkeypatch.setattr(store, "SECONDS", 0.1)
    monkeypatch.setattr(store, "RUNS", 1)
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{store.HEADINGS[kind]}, 1 rows\n\nold\n\n## After\n")
    with db.opened(url) as database:
        plant.fill(database, 2000, lambda _message: None)
        assert store.count_rows(database) == 2000
        assert store.is_made_up(database)
        queries = {one.what: one for one in store.measure_queries(database)}
        inserts = store.measure_inserts(database)
        assert store.count_rows(database) == 2000 + round(sum(one.a_second for one in inserts) * 3 * 0.1)
    assert queries["page: newest"].found == 51
    assert queries["page: text of one label"].found == 1
    assert queries["page: text on no label"].found == 0
    assert queries["page: station and recipe that never met"].found == 0
    assert queries["page: text on every label"].found == 51
    assert queries["table (CSV): 10,000 rows of one shift"].found == 2001
    store.write_section(page, store.report(kind, 2000, list(queries.values()), inserts))
    text = page.read_text()
    assert "old" not in text
    assert text.startswith(f"# Page\n\n{store.HEADINGS[kind]}, 2,000 rows\n")
    assert text.endswith("\n\n## After\n")


def test_the_bench_touches_no_results_but_its_own(database: sa.Engine, recipes: object) -> None:
    assert not store.is_made_up(database)

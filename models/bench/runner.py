"""Alternating rounds: every pipeline reads every image, one at a time, in an order that turns from round to round."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from models.bench.peers import Peer, Worker, interpreter
from models.bench.scoring import exact_lines, score, shared_lines
from service.errors import ImageMissing
from service.ocr.cores import granted_cores
from service.ocr.weights import find_bundle, verify

# Lines of these samples cannot be read by anybody: they are there for verdicts, not for reading.
_UNREADABLE: Final = {"smeared", "cut_off"}


@dataclass(frozen=True, slots=True)
class Picture:
    path: Path
    lines: tuple[str, ...]


def load_pictures(folder: Path) -> list[Picture]:
    """Images with their truth: a folder of `printproof samples make`, or one whose `index.json` lists file and lines.

    Raises:
        ImageMissing: the folder is neither.
    """
    index, truth = folder / "index.json", folder / "truth.jsonl"
    if truth.is_file():
        entries = [json.loads(line) for line in truth.read_text("utf-8").splitlines()]
        entries = [entry for entry in entries if entry["defect"] not in _UNREADABLE]
    elif index.is_file():
        entries = json.loads(index.read_text("utf-8"))
    else:
        raise ImageMissing(f"{folder} has neither truth.jsonl nor index.json")
    return [Picture((folder / entry["file"]).resolve(), tuple(entry["lines"])) for entry in entries]


def run(
    pictures: Sequence[Picture],
    pipelines: Sequence[Peer],
    weights_dir: Path,
    rounds: int,
    report: Callable[[str], None],
) -> dict[str, Any]:
    """Measure all pipelines; the first round warms them up and is not counted.

    Raises:
        WeightsMissing, WeightsAltered: a pipeline needs weights that are not there.

    Returns:
        Facts of the machine, per pipeline its score, times in milliseconds and stages, and how many of its output
        lines the first one gives too; lines read by some and not by others. Ready for JSON.
    """
    for bundle in dict.fromkeys(peer.bundle for peer in pipelines if peer.bundle):
        verify(find_bundle(bundle), weights_dir)
    workers: list[Worker] = []
    answers: dict[str, list[list[dict[str, Any]]]] = {peer.name: [] for peer in pipelines}
    try:
        workers.extend(Worker(peer, interpreter(peer, report), weights_dir) for peer in pipelines)
        for turn in range(rounds + 1):
            report(f"round {turn} of {rounds}" if turn else "warming up")
            shift = turn % len(workers)
            for worker in workers[shift:] + workers[:shift]:
                answers[worker.peer.name].append([worker.read(picture.path) for picture in pictures])
    finally:
        for worker in workers:
            worker.close()
    truth = [picture.lines for picture in pictures]
    first = answers[workers[0].peer.name][-1]
    return {
        "machine": {"cpu": _cpu(), "cores": granted_cores(), "python": platform.python_version()},
        "images": len(pictures),
        "rounds": rounds,
        "pipelines": [
            {
                "name": worker.peer.name,
                "runtime": worker.runtime,
                **_summary(answers[worker.peer.name][1:], truth),
                "shared": sum(
                    shared_lines(one["lines"], other["lines"])
                    for one, other in zip(first, answers[worker.peer.name][-1], strict=True)
                ),
            }
            for worker in workers
        ],
        "differences": [
            {"file": picture.path.name, "line": line, "read_by": readers}
            for at, picture in enumerate(pictures)
            for line, readers in differences(
                picture.lines, {name: rounds[-1][at]["lines"] for name, rounds in answers.items()}
            )
        ],
    }


def differences(truth: Sequence[str], read: dict[str, list[str]]) -> Iterator[tuple[str, list[str]]]:
    """Lines that some pipelines read exactly and others do not, with those that do."""
    exact = {name: exact_lines(truth, lines) for name, lines in read.items()}
    for at, line in enumerate(truth):
        readers = [name for name, found in exact.items() if at in found]
        if 0 < len(readers) < len(read):
            yield line, readers


def _summary(rounds: list[list[dict[str, Any]]], truth: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Median and 95th percentile over images of each round, then the median and spread of those over the rounds."""
    medians = [statistics.median(answer["ms"] for answer in one) for one in rounds]
    p95s = [_percentile([answer["ms"] for answer in one], 0.95) for one in rounds]
    stages = {
        stage: statistics.median(answer["stages"][stage] for one in rounds for answer in one)
        for stage in rounds[0][0]["stages"]
    }
    return {
        "median_ms": statistics.median(medians),
        "median_ms_min": min(medians),
        "median_ms_max": max(medians),
        "p95_ms": statistics.median(p95s),
        "rounds_ms": medians,
        "stages_ms": stages,
        "output_lines": sum(len(answer["lines"]) for answer in rounds[-1]),
        "same_lines_every_round": all(
            [answer["lines"] for answer in one] == [answer["lines"] for answer in rounds[0]] for one in rounds
        ),
        **asdict(score(truth, [answer["lines"] for answer in rounds[-1]])),
    }


def _percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def _cpu() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or os.name

"""Results as JSON, Markdown and a plot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write(results: dict[str, Any], out: Path, title: str) -> None:
    """Write `ocr.json`, `ocr.md` and `ocr.svg` into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "ocr.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (out / "ocr.md").write_text(markdown(results, title), "utf-8")
    _plot(results, out / "ocr.svg", title)


def markdown(results: dict[str, Any], title: str) -> str:
    """A table of all pipelines; ratios are to the first."""
    machine = results["machine"]
    first = results["pipelines"][0]
    rows = [
        f"{title}: {results['images']} images, {results['rounds']} alternating rounds, {machine['cores']} cores "
        f"({machine['cpu']}), decoding included.",
        "",
        "| pipeline | median ms (over rounds) | p95 ms | time against it | exact lines | strict | characters wrong | extra lines | spacing errors | output lines shared |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in results["pipelines"]:
        ratio = first["median_ms"] / one["median_ms"]
        rows.append(
            f"| {one['name']} ({one['runtime']}) | {one['median_ms']:.0f} ({one['median_ms_min']:.0f} to "
            f"{one['median_ms_max']:.0f}) | {one['p95_ms']:.0f} | {'' if one is first else f'{ratio:.2f}'} "
            f"| {one['exact']} of {one['lines']} | {one['strict']} | {one['wrong_chars']} of {one['chars']} "
            f"| {one['extra']} | {one['spacing']} | {one['shared']} of {one['output_lines']} |"
        )
    stages = ", ".join(f"{stage} {spent:.0f}" for stage, spent in first["stages_ms"].items())
    rows += ["", f"Stages of {first['name']}, median ms: {stages}."]
    if results["differences"]:
        rows += ["", "| read by some and not by others | image | read by |", "|---|---|---|"]
        rows += [
            f"| `{one['line']}` | {one['file']} | {', '.join(one['read_by'])} |"
            for one in results["differences"]
        ]
    return "\n".join(rows) + "\n"


def _plot(results: dict[str, Any], path: Path, title: str) -> None:
    import matplotlib as mpl  # noqa: PLC0415 (only the bench needs it)

    mpl.use("svg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    pipelines = results["pipelines"]
    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    axes.boxplot([one["rounds_ms"] for one in pipelines], orientation="horizontal")
    labels = [f"{one['name']}\n{one['exact']} of {one['lines']} lines" for one in pipelines]
    axes.set_yticks(range(1, len(labels) + 1), labels)
    axes.set(xlabel="median ms per image, one point per round", title=title, xlim=(0, None))
    axes.invert_yaxis()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)

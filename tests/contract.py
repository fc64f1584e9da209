"""The API's contract as it is now: `python -m tests.contract` prints it, `docs/openapi.json` holds it."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from service.app import create_app
from service.settings import Settings


def openapi() -> str:
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Settings(data_dir=Path(folder)))
        return json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(openapi())

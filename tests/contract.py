"""The API's contract as it is now: `python -m tests.contract` prints it, `docs/openapi.json` holds it."""

from __future__ import annotations

import json
import sys

from service.app import build_api
from service.settings import LimitSettings


def openapi() -> str:
    api = build_api(LimitSettings().image_max_bytes)
    return json.dumps(api.openapi(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(openapi())

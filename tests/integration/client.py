"""A client of the whole application, with the real engine."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx2
from fastapi.testclient import TestClient

from service.app import create_app
from service.samples.generator import Sample
from service.settings import Settings


def ready_client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        give_up = time.monotonic() + 60
        while client.get("/readyz").status_code != 200:
            assert time.monotonic() < give_up
            time.sleep(0.05)
        yield client


def post(
    client: TestClient, image: bytes, values: dict[str, Any], content_type: str = "image/jpeg"
) -> httpx2.Response:
    return client.post(
        "/v1/inspections", params=values, content=image, headers={"Content-Type": content_type}
    )


def values_of(sample: Sample) -> dict[str, str]:
    return {"recipe": sample.recipe, "expected": json.dumps(sample.expected)}


def assert_problem(response: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.text[:500]
    assert response.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = response.json()
    assert problem["code"] == code
    assert problem["status"] == status
    assert "Traceback" not in response.text
    return problem

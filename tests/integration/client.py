"""A client of the whole application, with the real engine."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.access.roles import Role
from service.app import create_app
from service.audit.entry import Author
from service.samples.generator import Sample
from service.settings import EngineSettings, Settings


def settings_of(folder: Path, recipes: Path, **more: Any) -> Settings:
    """Of a service whose data is in a folder, on the CPU."""
    return Settings(data_dir=folder, recipes_dir=recipes, engine=EngineSettings(device="cpu"), **more)


def ready_client(settings: Settings, role: Role = Role.ADMIN) -> Iterator[TestClient]:
    """A client that has a key of the name `ann`."""
    app = create_app(settings)
    with TestClient(app, raise_server_exceptions=False, headers=key_of(app, "ann", role)) as client:
        give_up = time.monotonic() + 60
        while client.get("/readyz").status_code != 200:
            assert time.monotonic() < give_up
            time.sleep(0.05)
        yield client


def key_of(app: FastAPI, name: str, role: Role, station_id: str | None = None) -> dict[str, str]:
    """The header of a new key."""
    _, key = app.state.components.keys.create(name, role, station_id, Author("the tests", "needed"))
    return {"Authorization": f"Bearer {key}"}


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

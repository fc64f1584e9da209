from __future__ import annotations

from pathlib import Path

import pytest

from service.errors import SettingsInvalid
from service.settings import Settings, load_settings, variables


def test_defaults_hang_together() -> None:
    settings = Settings(data_dir=Path("/data"))
    assert settings.database == "sqlite:////data/printproof.db"
    assert (settings.images, settings.recipes) == (Path("/data/images"), Path("/data/recipes"))
    assert settings.host == "127.0.0.1"


def test_variables_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRINTPROOF_ENGINE__QUEUE_SIZE", "7")
    monkeypatch.setenv("PRINTPROOF_DATABASE_URL", "sqlite:///x.db")
    settings = load_settings()
    assert (settings.engine.queue_size, settings.database) == (7, "sqlite:///x.db")


def test_every_fault_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRINTPROOF_PORT", "70000")
    monkeypatch.setenv("PRINTPROOF_ENGINE__QUEUE_SIZE", "-1")
    monkeypatch.setenv("PRINTPROOF_ENGINE__QEUE_SIZE", "1")
    with pytest.raises(SettingsInvalid) as raised:
        load_settings()
    lines = str(raised.value).splitlines()
    assert {line.split(":")[0] for line in lines} == {
        "PRINTPROOF_PORT",
        "PRINTPROOF_ENGINE__QUEUE_SIZE",
        "PRINTPROOF_ENGINE__QEUE_SIZE",
    }
    assert len(lines) == 3


def test_every_variable_is_described() -> None:
    assert all(variables().values())
    assert "PRINTPROOF_LIMITS__DEADLINE_MS" in variables()


def test_shifts_and_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRINTPROOF_PLANT__SHIFTS", "late=14:00, night=22:00,early=06:00")
    monkeypatch.setenv("PRINTPROOF_PLANT__TIMEZONE", "Europe/Berlin")
    plant = load_settings().plant
    assert plant.shifts == (
        ("late", 840),
        ("night", 1320),
        ("early", 360),
    )  # the day begins with the late shift
    monkeypatch.setenv("PRINTPROOF_PLANT__TIMEZONE", "Mars/Base")
    with pytest.raises(SettingsInvalid, match="PRINTPROOF_PLANT__TIMEZONE"):
        load_settings()


@pytest.mark.parametrize(
    "shifts",
    ["early", "early=6", "early=24:00, late=14:00", "a=06:00, a=14:00", "a=06:00, b=06:00", "a=06:00"],
)
def test_shifts_that_are_none(monkeypatch: pytest.MonkeyPatch, shifts: str) -> None:
    monkeypatch.setenv("PRINTPROOF_PLANT__SHIFTS", shifts)
    with pytest.raises(SettingsInvalid, match="PRINTPROOF_PLANT__SHIFTS"):
        load_settings()

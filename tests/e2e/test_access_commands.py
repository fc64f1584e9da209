"""Keys, users and the audit trail by command, and what they open on a running service."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import httpx2

from service.samples.generator import Sample
from tests.e2e.conftest import serving

PASSWORD = "correct horse battery"  # noqa: S105


def test_from_no_key_to_an_audited_log_in(tmp_path: Path, samples: tuple[Path, list[Sample]]) -> None:
    def printproof(*arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "service", *arguments],
            env={"PATH": "/usr/bin:/bin", "PRINTPROOF_DATA_DIR": str(tmp_path)},
            input=said,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    made = printproof("keys", "create", "camera 1", "--role", "camera", "--station", "line-1", "--by", "eve")
    assert made.returncode == 0, made.stderr
    key = made.stdout.strip()
    assert key.startswith("pp_")  # nothing else on standard output: a script can take it
    assert key not in made.stderr
    assert printproof("keys", "create", "x", "--role", "qa", "--station", "a", "--by", "eve").returncode == 2
    added = printproof(
        "users", "add", "ann", "--role", "qa", "--by", "eve", "--password-stdin", said=f"{PASSWORD}\n"
    )
    assert added.returncode == 0, added.stderr
    assert (
        "12 to 200"
        in printproof(
            "users", "add", "bob", "--role", "qa", "--by", "eve", "--password-stdin", said="short\n"
        ).stderr
    )
    assert "no keyboard" in printproof("users", "add", "bob", "--role", "qa", "--by", "eve").stderr

    with serving(tmp_path, samples[0] / "recipes") as server:
        camera = {"Authorization": f"Bearer {key}"}
        assert server.client.get("/v1/session", headers=camera).json()["station_id"] == "line-1"
        with httpx2.Client(base_url=server.client.base_url) as browser:
            assert browser.get("/v1/inspections").status_code == 401
            said = {"name": "ann", "password": PASSWORD}
            assert browser.post("/v1/session", json=said).json()["permissions"] == ["read", "review"]
            assert browser.get("/v1/inspections").status_code == 200
            assert printproof("users", "disable", "ann", "--reason", "left", "--by", "eve").returncode == 0
            assert browser.get("/v1/inspections").status_code == 401
        listed = printproof("keys", "list").stdout
        key_id = next(line.split()[0] for line in listed.splitlines() if "camera 1" in line)
        assert printproof("keys", "revoke", key_id, "--reason", "lost", "--by", "eve").returncode == 0
        assert server.client.get("/v1/session", headers=camera).status_code == 401

    assert "revoked" in printproof("keys", "list").stdout
    assert "disabled" in printproof("users", "list").stdout
    trail = printproof("audit", "list").stdout
    for action in ("key.created", "user.created", "user.logged_in", "user.disabled", "key.revoked"):
        assert action in trail
    whole = printproof("audit", "verify")
    assert whole.returncode == 0
    head = whole.stdout.split()[-1]
    assert printproof("audit", "verify", "--head", head).returncode == 0
    assert printproof("audit", "verify", "--head", "0" * 64).returncode == 1
    database = sqlite3.connect(tmp_path / "printproof.db")
    database.execute("DROP TRIGGER audit_no_update")
    database.execute("UPDATE audit SET by = 'mallory' WHERE action = 'key.revoked'")
    database.commit()
    database.close()
    broken = printproof("audit", "verify")
    assert (broken.returncode, "was changed" in broken.stderr) == (1, True)

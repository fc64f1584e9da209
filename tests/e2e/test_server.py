"""The real server process, used as cameras and orchestrators do."""

from __future__ import annotations

import json
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from service.samples.generator import Sample
from tests.e2e.conftest import Server, serving

Samples = tuple[Path, list[Sample]]


def test_a_camera_gets_its_verdicts_and_they_survive_a_restart(
    tmp_path: Path, samples: Samples, good: tuple[bytes, Sample]
) -> None:
    folder, truth = samples
    with serving(tmp_path, folder / "recipes") as server:
        results = {}
        for sample in truth:
            response = server.post((folder / sample.file).read_bytes(), sample, station_id="line-1")
            assert response.status_code == 201, response.text
            result = response.json()
            assert (result["verdict"] == "PASS") is (sample.defect is None), (sample, result)
            results[result["id"]] = result
        assert server.stop() == 0
    with serving(tmp_path, folder / "recipes") as server:
        for inspection_id, result in results.items():
            assert server.client.get(f"/v1/inspections/{inspection_id}").json() == result
            assert server.client.get(f"/v1/inspections/{inspection_id}/image").status_code == 200


def test_an_answered_verdict_survives_kill_9(
    tmp_path: Path, samples: Samples, good: tuple[bytes, Sample]
) -> None:
    recipes = samples[0] / "recipes"
    with serving(tmp_path, recipes) as server:
        result = server.post(*good).json()
        server.stop(signal.SIGKILL)
    with serving(tmp_path, recipes) as server:
        assert server.client.get(f"/v1/inspections/{result['id']}").json() == result
        assert server.client.get(f"/v1/inspections/{result['id']}/image").content == good[0]


def test_sigterm_finishes_what_was_admitted(
    tmp_path: Path, samples: Samples, good: tuple[bytes, Sample]
) -> None:
    with serving(tmp_path, samples[0] / "recipes") as server, ThreadPoolExecutor(6) as pool:
        answers = [pool.submit(server.post, *good) for _ in range(6)]
        _until_waiting(server)
        assert server.stop() == 0
        statuses = [answer.result().status_code for answer in answers]
    assert statuses == [201] * 6


def _until_waiting(server: Server) -> None:
    """Every image is in: one in work, the others in the queue."""
    give_up = time.monotonic() + 30
    while "printproof_queue_size 5.0" not in server.client.get("/metrics").text:
        assert time.monotonic() < give_up
        time.sleep(0.01)


def test_32_cameras_each_get_their_own_text(tmp_path: Path, samples: Samples) -> None:
    folder, truth = samples
    kept = [sample for sample in truth if sample.defect is None]
    with serving(
        tmp_path,
        folder / "recipes",
        PRINTPROOF_ENGINE__MAX_BATCH_SIZE="4",
        PRINTPROOF_LIMITS__DEADLINE_MS="60000",
        PRINTPROOF_ENGINE__QUEUE_SIZE="64",
    ) as server:

        def ask(index: int) -> tuple[int, str]:
            sample = kept[index % len(kept)]
            response = server.post((folder / sample.file).read_bytes(), sample)
            return response.status_code, response.json()["verdict"]

        with ThreadPoolExecutor(32) as pool:
            assert list(pool.map(ask, range(32))) == [(201, "PASS")] * 32


def test_a_full_queue_is_refused_at_once(
    tmp_path: Path, samples: Samples, good: tuple[bytes, Sample]
) -> None:
    with serving(tmp_path, samples[0] / "recipes", PRINTPROOF_ENGINE__QUEUE_SIZE="1") as server:
        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda _: server.post(*good), range(12)))
        shed = [answer for answer in answers if answer.status_code == 429]
        assert shed
        assert {answer.status_code for answer in answers} == {201, 429}
        for answer in shed:
            assert answer.headers["retry-after"] == "1"
            assert answer.json()["reject"] is True
        stored = server.client.get("/v1/inspections").json()["items"]
        assert len(stored) == len(answers) - len(shed)


def test_a_client_that_leaves_in_mid_upload_harms_nobody(
    tmp_path: Path, samples: Samples, good: tuple[bytes, Sample]
) -> None:
    with serving(tmp_path, samples[0] / "recipes") as server:
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(
                b"POST /v1/inspections?recipe=tablets HTTP/1.1\r\nHost: x\r\nContent-Type: image/jpeg\r\n"
                b"Content-Length: 100000\r\n\r\n" + good[0][:500]
            )
        assert server.post(*good).status_code == 201
        assert 'printproof_refused_total{code="internal_error"}' not in server.client.get("/metrics").text
        assert len(server.client.get("/v1/inspections").json()["items"]) == 1


def test_a_busy_port_is_one_clear_message(tmp_path: Path, samples: Samples) -> None:
    with serving(tmp_path / "a", samples[0] / "recipes") as server:
        second = Server(tmp_path / "b", samples[0] / "recipes", PRINTPROOF_PORT=str(server.port))
        assert second.process.wait(60) == 2
        second.client.close()
        assert (
            second.log.read_text()
            .strip()
            .startswith("printproof: PRINTPROOF_HOST, PRINTPROOF_PORT: cannot listen")
        )


def test_logs_are_json_with_the_inspection(
    tmp_path: Path, samples: Samples, good: tuple[bytes, Sample]
) -> None:
    with serving(tmp_path, samples[0] / "recipes") as server:
        result = server.post(*good).json()
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"nonsense\r\n\r\n")
            connection.recv(1000)
        server.stop()
        events = [json.loads(line) for line in server.log.read_text().splitlines()]
    inspected = next(event for event in events if event["event"] == "inspected")
    assert (inspected["inspection_id"], inspected["verdict"]) == (result["id"], "PASS")

from __future__ import annotations

from service.observability import metrics


def test_stations_are_bounded() -> None:
    names = [metrics.bounded_station(f"station-{index}") for index in range(600)]
    assert len(set(names)) <= 501
    assert names[-1] == "other"
    assert metrics.bounded_station("station-0") == "station-0"
    assert metrics.bounded_station(None) == ""
    metrics._stations.clear()

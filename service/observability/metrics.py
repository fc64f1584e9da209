"""Prometheus metrics. `docs/metrics.md` explains each (held complete by a test). Label values are bounded:
stations and recipes are the plant's own, everything else is an enumeration of this code."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

# In-line inspection has budgets from 10 ms (GPU) to seconds (embedded CPU).
_SECONDS: Final = (0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5, 0.8, 1.2, 2, 5, 10)

registry = CollectorRegistry()

inspections = Counter(
    "printproof_inspections",
    "Inspections stored, by verdict.",
    ["station", "recipe", "verdict"],
    registry=registry,
)
refused = Counter("printproof_refused", "Requests refused, by error code.", ["code"], registry=registry)
shed = Counter(
    "printproof_shed", "Inspections refused because of load, by reason.", ["reason"], registry=registry
)
stage_duration = Histogram(
    "printproof_stage_duration_seconds", "Time per stage.", ["stage"], buckets=_SECONDS, registry=registry
)
batch_size = Histogram(
    "printproof_batch_size", "Images per engine call.", buckets=(1, 2, 4, 8, 16, 32, 64), registry=registry
)
queue_size = Gauge("printproof_queue_size", "Images waiting for the engine.", registry=registry)
images_swept = Counter(
    "printproof_images_swept",
    "Images deleted because they were kept long enough, by verdict.",
    ["verdict"],
    registry=registry,
)
ready = Gauge("printproof_ready", "1 while the service takes inspections.", registry=registry)
device_fallback = Gauge(
    "printproof_device_fallback",
    "1 if device is auto and the CPU is used for want of a GPU.",
    registry=registry,
)


_MAX_STATIONS: Final = 500
_stations: set[str] = set()


def bounded_station(station_id: str | None) -> str:
    """A station's label: the first 500 keep their name, later ones share `other`, as cameras choose the names."""
    if station_id is None:
        return ""
    if station_id not in _stations and len(_stations) >= _MAX_STATIONS:
        return "other"
    _stations.add(station_id)
    return station_id


def exposition() -> bytes:
    """All metrics in Prometheus' text format."""
    return generate_latest(registry)

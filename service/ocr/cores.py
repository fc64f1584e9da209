"""How many CPU cores this process may use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_CGROUP_V2: Final = Path("/sys/fs/cgroup/cpu.max")
_CGROUP_V1: Final = Path("/sys/fs/cgroup/cpu")


def granted_cores() -> int:
    """Cores by affinity and by the container's CPU quota, whichever is fewer; at least 1.

    A runtime that starts a thread for each core of the host, inside a container with a quota, is throttled to a crawl.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    return max(1, min(cores, int(quota)) if quota else cores)


def _quota() -> float | None:
    try:
        if _CGROUP_V2.is_file():
            limit, period = _CGROUP_V2.read_text().split()
            return None if limit == "max" else int(limit) / int(period)
        limit = (_CGROUP_V1 / "cpu.cfs_quota_us").read_text()
        period = (_CGROUP_V1 / "cpu.cfs_period_us").read_text()
        return int(limit) / int(period) if int(limit) > 0 else None
    except (OSError, ValueError):
        return None

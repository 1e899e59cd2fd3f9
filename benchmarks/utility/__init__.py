"""Experiments on ``utility``: its workloads, synthetic and from real traces."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contract import Experiments
from benchmarks.instances import Size, Workload
from benchmarks.traces import Trace
from benchmarks.utility.report import WorkloadReport
from benchmarks.utility.traces import describe_mapping, from_trace
from benchmarks.utility.workload import Settings, generate
from models.errors import InputError
from models.utility import UtilityInstance

__all__ = ["EXPERIMENTS", "WORKLOAD"]


def _parse_servers(text: str) -> tuple[int, int]:
    """Numbers of worker and parameter servers from ``H+K``.

    Raises
    ------
    InputError
        If it is not two positive whole numbers joined by a plus.
    """
    workers, _, ps = text.partition("+")
    if not (workers.isdecimal() and ps.isdecimal() and int(workers) and int(ps)):
        raise InputError(f"servers '{text}': want H+K, e.g. 5+5: worker and parameter servers")
    return int(workers), int(ps)


def _draw(
    *,
    jobs: int,
    slots: int,
    servers: str,
    seed: int,
    trace: Trace | None = None,
    **more: Any,
) -> tuple[UtilityInstance, WorkloadReport]:
    """Draw an instance: synthetic, or from a trace; there may be more settings."""
    worker_servers, ps_servers = _parse_servers(servers)
    more |= {"worker_servers": worker_servers, "ps_servers": ps_servers}
    settings = Settings(jobs=jobs, slots=slots, seed=seed, **more)
    rng = np.random.default_rng(seed)
    return generate(settings, rng) if trace is None else from_trace(trace, settings, rng)


WORKLOAD = Workload(
    default=Size(jobs=10, slots=10, servers="5+5", seeds=10),
    quick=Size(jobs=5, slots=6, servers="3+3", seeds=3),
    draw=_draw,
    describe_mapping=describe_mapping,
)

EXPERIMENTS = Experiments(
    workload=WORKLOAD,
    studies="benchmarks.utility.studies:STUDIES",
    pictures="benchmarks.utility.pictures:PICTURES",
    claims="benchmarks.utility.claims:CLAIMS",
)

"""Experiments on ``jct``: its workloads, synthetic and from real traces."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contract import Experiments
from benchmarks.instances import Size, Workload
from benchmarks.jct.report import WorkloadReport
from benchmarks.jct.settings import OPTIONS, Settings, parse_options, parse_servers
from benchmarks.jct.traces import describe_mapping
from benchmarks.jct.workload import generate
from benchmarks.traces import Trace
from models.jct import JctInstance

__all__ = ["EXPERIMENTS", "WORKLOAD"]


def _draw(
    *,
    jobs: int,
    slots: int,
    servers: int | str,
    seed: int,
    trace: Trace | None = None,
    **more: Any,
) -> tuple[JctInstance, WorkloadReport]:
    """Draw an instance whose jobs arrive in ``slots`` slots; ``more`` are further settings."""
    settings = Settings(
        jobs=jobs, servers=parse_servers(str(servers)), slots=slots, seed=seed, **more
    )
    return generate(settings, np.random.default_rng(seed), trace)


WORKLOAD = Workload(
    default=Size(jobs=60, slots=600, servers="100", seeds=5),
    quick=Size(jobs=10, slots=100, servers="20", seeds=2),
    draw=_draw,
    describe_mapping=describe_mapping,
    options=OPTIONS,
    parse_options=parse_options,
)

EXPERIMENTS = Experiments(
    workload=WORKLOAD,
    studies="benchmarks.jct.studies:STUDIES",
    pictures="benchmarks.jct.pictures:PICTURES",
    claims="benchmarks.jct.claims:CLAIMS",
)

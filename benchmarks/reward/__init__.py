"""Experiments on ``reward``: its workloads, synthetic and from real traces, and regret."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contract import Experiments
from benchmarks.instances import Size, Words, Workload
from benchmarks.reward.report import WorkloadReport
from benchmarks.reward.settings import OPTIONS, Settings, parse_options, parse_servers
from benchmarks.reward.workload import USED_TABLES, generate
from benchmarks.traces import Trace
from models.reward import RewardInstance

__all__ = ["EXPERIMENTS", "WORKLOAD"]

_TABLES = {
    "pai-machines": ("machines",),
    "openb-pods": ("pods",),
    "alibaba-2018": ("jobs",),
    "alibaba": ("machines", "pods", "jobs"),
}


def _draw(
    *,
    jobs: int,
    slots: int,
    servers: str,
    seed: int,
    trace: Trace | None = None,
    **more: Any,
) -> tuple[RewardInstance, WorkloadReport]:
    """Draw an instance; ``jobs`` are ports, and ``more`` are further settings."""
    settings = Settings(ports=jobs, servers=parse_servers(servers), slots=slots, seed=seed, **more)
    return generate(settings, np.random.default_rng(seed), trace)


def _describe_mapping(kind: str) -> str:
    if kind not in _TABLES:
        return f"none: `{kind}` is read and audited, but not made into instances of this problem"
    taken = "; ".join(f"`{name}` give {USED_TABLES[name]}" for name in _TABLES[kind])
    return f"{taken}. All else is drawn as in the synthetic workload."


WORKLOAD = Workload(
    default=Size(jobs=10, slots=2000, servers="128", seeds=3),
    quick=Size(jobs=4, slots=100, servers="16", seeds=2),
    draw=_draw,
    describe_mapping=_describe_mapping,
    options=OPTIONS,
    parse_options=parse_options,
    words=Words(done="jobs served", events=("commit", "reveal")),
)

EXPERIMENTS = Experiments(
    workload=WORKLOAD,
    studies="benchmarks.reward.studies:STUDIES",
    pictures="benchmarks.reward.pictures:PICTURES",
    claims="benchmarks.reward.claims:CLAIMS",
)

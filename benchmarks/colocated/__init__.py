"""Experiments on ``colocated``: its workloads, synthetic and from real traces."""

from __future__ import annotations

from benchmarks.colocated.settings import Settings
from benchmarks.colocated.traces import MAPPINGS
from benchmarks.colocated.workload import generate
from benchmarks.contract import Experiments
from benchmarks.workload.contract import Size, Workload
from benchmarks.workload.servers import Servers

__all__ = ["EXPERIMENTS", "WORKLOAD"]

WORKLOAD = Workload(
    problem="colocated",
    default=Size(jobs=6, slots=8, servers=3, seeds=5),
    quick=Size(jobs=4, slots=6, servers=2, seeds=2),
    servers=Servers(("machines H",), example=4),
    settings=Settings,
    generate=generate,
    variants={f"pd-ors-{way}": ("pd-ors", {"placement": way}) for way in ("greedy", "exact")},
    mappings=MAPPINGS,
)

EXPERIMENTS = Experiments(
    workload=WORKLOAD,
    gap="benchmarks.colocated.gap:GAP",
    studies="benchmarks.colocated.studies:STUDIES",
    pictures="benchmarks.colocated.pictures:PICTURES",
    claims="benchmarks.colocated.claims:CLAIMS",
    readings="benchmarks.colocated.readings:MULTIVERSE",
)

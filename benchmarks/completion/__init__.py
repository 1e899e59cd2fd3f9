"""Experiments on ``completion``: its workloads, synthetic and from real traces."""

from __future__ import annotations

from benchmarks.completion.settings import Settings
from benchmarks.completion.traces import MAPPINGS
from benchmarks.completion.workload import generate
from benchmarks.contract import Experiments
from benchmarks.workload.contract import Size, Words, Workload
from benchmarks.workload.servers import Servers

__all__ = ["EXPERIMENTS", "WORKLOAD"]

WORKLOAD = Workload(
    problem="completion",
    default=Size(jobs=8, slots=15, servers=4, seeds=5),
    quick=Size(jobs=4, slots=8, servers=2, seeds=2),
    servers=Servers(("servers H",), example=4),
    settings=Settings,
    generate=generate,
    usual={"worker_types": 2, "ps_types": 2, "chunks": (1, 4), "max_duration": 6},
    complete=("preset", "paper"),
    variants={
        "a-online-literal": ("a-online", {"literal": True}),
        **{f"{name}-fixed": (name, {"fixed": True}) for name in ("drf", "antman", "tiresias")},
    },
    mappings=MAPPINGS,
    words=Words(slots="slots in which jobs arrive"),
)

EXPERIMENTS = Experiments(
    workload=WORKLOAD,
    gap="benchmarks.completion.gap:GAP",
    studies="benchmarks.completion.studies:STUDIES",
    pictures="benchmarks.completion.pictures:PICTURES",
    claims="benchmarks.completion.claims:CLAIMS",
    readings="benchmarks.completion.readings:MULTIVERSE",
)

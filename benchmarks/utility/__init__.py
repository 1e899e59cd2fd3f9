"""Experiments on ``utility``: its workloads, synthetic and from real traces."""

from __future__ import annotations

from benchmarks.contract import Experiments
from benchmarks.utility.settings import Settings
from benchmarks.utility.traces import MAPPINGS
from benchmarks.utility.workload import generate
from benchmarks.workload.contract import Size, Workload
from benchmarks.workload.servers import Servers

__all__ = ["EXPERIMENTS", "WORKLOAD"]

WORKLOAD = Workload(
    problem="utility",
    default=Size(jobs=10, slots=10, servers=(5, 5), seeds=10),
    quick=Size(jobs=5, slots=6, servers=(3, 3), seeds=3),
    servers=Servers(("worker servers", "parameter servers"), example=(5, 5)),
    settings=Settings,
    generate=generate,
    usual={"load": 1.0},
    variants={
        "oasis-no-eta": ("oasis", {"eta": False}),
        "oasis-target": ("oasis", {"eta": False, "smallest": "target"}),
        "oasis-estimated": ("oasis", {"estimated": True}),
        "oasis-raw": ("oasis", {"units": "raw"}),
        "rrh-nonpreemptive": ("rrh", {"preempt": False}),
        "rrh-queue": ("rrh", {"queue": "arrival"}),
    },
    mappings=MAPPINGS,
)

EXPERIMENTS = Experiments(
    workload=WORKLOAD,
    gap="benchmarks.utility.gap:GAP",
    studies="benchmarks.utility.studies:STUDIES",
    pictures="benchmarks.utility.pictures:PICTURES",
    claims="benchmarks.utility.claims:CLAIMS",
    readings="benchmarks.utility.readings:MULTIVERSE",
)

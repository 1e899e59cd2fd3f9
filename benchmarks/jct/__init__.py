"""Experiments on ``jct``: its workloads, synthetic and from real traces."""

from __future__ import annotations

from benchmarks.contract import Experiments
from benchmarks.jct.settings import Settings
from benchmarks.jct.traces import MAPPINGS
from benchmarks.jct.workload import generate
from benchmarks.workload.contract import Size, Words, Workload
from benchmarks.workload.servers import Servers

__all__ = ["EXPERIMENTS", "WORKLOAD"]

WORKLOAD = Workload(
    problem="jct",
    default=Size(jobs=60, slots=600, servers=100, seeds=5),
    quick=Size(jobs=10, slots=100, servers=20, seeds=2),
    servers=Servers(("edge servers S",), example=20),
    settings=Settings,
    generate=generate,
    mappings=MAPPINGS,
    usual={"requested": "chunks"},
    variants={
        **{f"{name}-edge": (name, {"use_cloud": False}) for name in ("srtf", "tiresias-l")},
        "tiresias-l-past": ("tiresias-l", {"threshold": "past"}),
        "tiresias-l-queues": ("tiresias-l", {"queues": 4}),
        "tiresias-l-promote": ("tiresias-l", {"promote": 8.0}),
        "a-online-whole": ("a-online", {"gamma": "whole"}),
        "a-online-printed": ("a-online", {"later": "all"}),
        "batchsche-one-by-one": ("batchsche", {"clock": "one-by-one"}),
    },
    policies=("a-online", "a-online-e", "srtf-edge", "tiresias-l-edge", "batchsche"),
    words=Words(slots="slots in which jobs arrive"),
)

EXPERIMENTS = Experiments(
    workload=WORKLOAD,
    gap="benchmarks.jct.gap:GAP",
    studies="benchmarks.jct.studies:STUDIES",
    pictures="benchmarks.jct.pictures:PICTURES",
    claims="benchmarks.jct.claims:CLAIMS",
    readings="benchmarks.jct.readings:MULTIVERSE",
)

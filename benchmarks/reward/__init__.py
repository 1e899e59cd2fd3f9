"""Experiments on ``reward``: its workloads, synthetic and from real traces, and regret."""

from __future__ import annotations

from benchmarks.contract import Experiments
from benchmarks.reward.settings import Settings
from benchmarks.reward.workload import MAPPINGS, generate
from benchmarks.workload.contract import Size, Words, Workload
from benchmarks.workload.servers import Servers

__all__ = ["EXPERIMENTS", "WORKLOAD"]

WORKLOAD = Workload(
    problem="reward",
    default=Size(jobs=10, slots=2000, servers=128, seeds=3),
    quick=Size(jobs=4, slots=100, servers=16, seeds=2),
    servers=Servers(("instances R",), example=128),
    settings=Settings,
    generate=generate,
    mappings=MAPPINGS,
    variants={
        "ogasched-seeing-kept": ("ogasched-seeing", {"absent": "kept"}),
        "ogasched-seeing-arrived": ("ogasched-seeing", {"absent": "arrived"}),
        "drf-per-server": ("drf", {"per_server": True}),
        "fairness-arrived": ("fairness", {"arrived_only": True}),
        "binpacking-per-server": ("binpacking", {"per_server": True}),
    },
    policies=(
        *("ogasched", "ogasched-constant", "ogasched-literal", "ogasched-adaptive"),
        *("drf", "fairness", "binpacking", "spreading"),
    ),
    words=Words(jobs="ports, job types", done="jobs served", events=("commit", "reveal")),
)

EXPERIMENTS = Experiments(
    workload=WORKLOAD,
    regret="benchmarks.reward.regret:REGRET",
    plain_versions=("online.reward.plain_oga:PlainOga",),
    studies="benchmarks.reward.studies:STUDIES",
    pictures="benchmarks.reward.pictures:PICTURES",
    claims="benchmarks.reward.claims:CLAIMS",
    readings="benchmarks.reward.readings:MULTIVERSE",
)

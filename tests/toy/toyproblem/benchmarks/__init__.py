"""Things of random worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.contract import Experiments
from benchmarks.traces import Trace
from benchmarks.workload.contract import Size, Workload
from benchmarks.workload.report import WorkloadReport, distribution_of
from benchmarks.workload.servers import Servers
from benchmarks.workload.settings import BaseSettings, setting
from toyproblem.models import PROBLEM, ToyFile, ToyInstance


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """``servers`` is the room; things are worth from 1 to ``dearest``."""

    servers: int
    dearest: float = setting(2.0, "2")


def generate(
    settings: Settings, rng: np.random.Generator, trace: Trace | None
) -> tuple[ToyInstance, WorkloadReport]:
    """Draw the worth of each thing."""
    worth = rng.uniform(1.0, settings.dearest, settings.jobs).tolist()
    name = f"toy-{settings.jobs}-{settings.servers}-seed{settings.seed}"
    file = ToyFile("1", "toy", name, settings.servers, worth, settings.seed, "made up")
    instance = ToyInstance.from_file(file)
    distribution = distribution_of({"worth": worth})
    return instance, WorkloadReport(load=PROBLEM.load(instance), distribution=distribution)


_WORKLOAD = Workload(
    problem="toy",
    default=Size(jobs=6, slots=6, servers=2, seeds=2),
    quick=Size(jobs=3, slots=3, servers=1, seeds=1),
    servers=Servers(("places",), example=2),
    settings=Settings,
    generate=generate,
)

EXPERIMENTS = Experiments(workload=_WORKLOAD)

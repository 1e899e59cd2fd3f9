"""What the figures of ``utility`` share: the schemes, the instances, records of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.evaluate import run_policy
from benchmarks.figure import Cell
from benchmarks.utility.settings import Settings
from benchmarks.utility.testbed import testbed
from benchmarks.utility.workload import generate
from models.utility import Job, UtilityInstance
from online.policy import Policy
from online.registry import find_policy

__all__ = [
    "EVERY_SCHEME",
    "KINDS",
    "SCHEMES",
    "Setting",
    "draw",
    "draw_testbed",
    "instance_cells",
    "kind_of",
    "means_of",
    "seeds_of",
    "setting_of",
    "testbed_cells",
    "timeliness_record",
    "utility_record",
]

SCHEMES = ("oasis", "fifo", "drf", "rrh", "dorm")
"""The five schemes of Figures 3, 4, 8 and 9, the paper's own first."""

EVERY_SCHEME: tuple[Cell, ...] = tuple({"policy": policy} for policy in SCHEMES)
"""Points of a figure that compares them."""

KINDS = ("time-insensitive", "time-sensitive", "time-critical")

# The paper runs one experiment of 12 jobs; a simulation can be repeated.
_TESTBED_SEEDS = {"quick": 3, "default": 20, "paper": 100}


@dataclass(frozen=True)
class Setting:
    """Cluster, timespan and seeds of an experiment at one size.

    Parameters
    ----------
    slots, servers : int
        T; H = K.
    jobs : tuple of int
        Numbers of jobs.
    seeds : int
        How many, from 0.
    """

    slots: int
    servers: int
    jobs: tuple[int, ...]
    seeds: int


def seeds_of(default: int, seeds: Sequence[int] | None) -> Sequence[int]:
    """The seeds asked for, or so many."""
    return range(default) if seeds is None else seeds


def instance_cells(
    setting: Setting, seeds: Sequence[int] | None, points: Sequence[Cell] = ({},)
) -> list[Cell]:
    """One cell per number of jobs, seed, and point of what else is varied."""
    return [
        {"jobs": jobs, "slots": setting.slots, "servers": setting.servers, "seed": seed, **point}
        for jobs in setting.jobs
        for seed in seeds_of(setting.seeds, seeds)
        for point in points
    ]


def testbed_cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    """One cell per scheme and seed of the testbed."""
    chosen = seeds_of(_TESTBED_SEEDS[size], seeds)
    return [{"seed": seed, "policy": policy} for policy in SCHEMES for seed in chosen]


def draw(*, jobs: int, slots: int, servers: int, seed: int, **settings: Any) -> UtilityInstance:
    """Draw an instance of the synthetic workload with as many servers on either side.

    ``settings`` are further fields of :class:`benchmarks.utility.settings.Settings`.
    """
    chosen = Settings(jobs=jobs, slots=slots, servers=(servers, servers), seed=seed, **settings)
    return generate(chosen, np.random.default_rng(seed))[0]


def setting_of(frame: pd.DataFrame) -> str:
    """Timespan and servers of a figure's data, for its title."""
    slots, servers = frame["slots"].iat[0], frame["servers"].iat[0]
    return f"T = {slots}, {servers}+{servers} servers"


def means_of(frame: pd.DataFrame) -> str:
    """What the marks and bars of a line picture are, for its title."""
    return f"mean of {frame['seed'].nunique()} seeds, 95 % interval"


def draw_testbed(seed: int) -> UtilityInstance:
    """Draw the jobs of one testbed experiment."""
    return testbed(np.random.default_rng(seed), seed)[0]


def kind_of(job: Job) -> str:
    """Class of a job by its decay factor gamma_2: 0, up to 1, or from 4 (Sec. V-A)."""
    decay = job.utility.decay
    return KINDS[0] if decay == 0 else KINDS[1] if decay <= 1 else KINDS[2]


def utility_record(
    instance: UtilityInstance, policy: str | Policy, cell: Cell
) -> list[dict[str, Any]]:
    """Run one policy: the cell with ``utility`` (total) and ``completed`` (jobs)."""
    run = run_policy(
        instance, find_policy("utility", policy) if isinstance(policy, str) else policy
    )
    completed = int((run.score.completion >= 0).sum())
    return [{**cell, "utility": run.score.objective, "completed": completed}]


def timeliness_record(instance: UtilityInstance, policy: str, cell: Cell) -> list[dict[str, Any]]:
    """Run one policy: for every job, how late it completes.

    ``lateness`` is the delay (completion slot minus arrival) minus the target gamma_3, None
    for a job that does not complete, because it is rejected or still unfinished at T.
    ``lateness_at_t`` counts such a job as if it completed in slot T, right after the last: the
    least lateness it could still have.
    """
    score = run_policy(instance, find_policy("utility", policy)).score
    records = []
    for job, completion in zip(instance.jobs, score.completion.tolist(), strict=True):
        done = completion >= 0
        delay = (completion if done else instance.cluster.slots) - job.arrival
        late = delay - job.utility.target
        records.append(
            {
                **cell,
                "job": job.id,
                "kind": kind_of(job),
                "target": job.utility.target,
                "completed": done,
                "lateness": late if done else None,
                "lateness_at_t": late,
            }
        )
    return records

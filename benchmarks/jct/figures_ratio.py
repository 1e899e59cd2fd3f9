"""Figures 12 and 13: the ratio of A_online at three speeds, as certified intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.evaluate import Run, evaluate, run_policy
from benchmarks.figure import Cell, Figure
from benchmarks.jct.figures_common import draw
from benchmarks.pictures.intervals import plot_intervals
from benchmarks.study.interval import ratio_interval
from models.jct import JctInstance, JctSchedule
from online.jct.a_online import AOnline
from online.jct.speed import augmented
from solvers.jct.pool import Pool
from solvers.jct.relaxation import paper_relaxation

__all__ = ["EPSILONS", "FIGURE_12", "FIGURE_13", "fractional_flow"]

EPSILONS = ((0, 1), (1, 5), (1, 2))
"""Speed augmentation a/b of the paper: 0, 0.2, 0.5."""

_DATA = "jct-ratio"


@dataclass(frozen=True)
class _Size:
    base: Cell
    jobs: tuple[int, ...]
    servers: tuple[int, ...]
    seeds: int
    time_limit: float


# The paper has 5 to 25 jobs and 5 to 45 servers; what the other one is meanwhile is ours.
_SIZES = {
    "quick": _Size(
        {"jobs": 3, "servers": 2, "slots": 10, "chunks": [1, 3], "epochs": [1, 3]},
        (3, 4),
        (1, 2),
        2,
        60.0,
    ),
    "default": _Size(
        {"jobs": 15, "servers": 25, "slots": 50},
        (5, 10, 15, 20, 25),
        (5, 15, 25, 35, 45),
        5,
        20.0,
    ),
    "paper": _Size(
        {"jobs": 15, "servers": 25, "slots": 50},
        (5, 10, 15, 20, 25),
        (5, 15, 25, 35, 45),
        10,
        60.0,
    ),
}


def _cells_of(name: str) -> Callable[[str, Sequence[int] | None], list[Cell]]:
    def cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
        chosen = _SIZES[size]
        values = chosen.jobs if name == "jobs" else chosen.servers
        return [
            {**chosen.base, name: value, "seed": seed, "time_limit": chosen.time_limit}
            for value in values
            for seed in (range(chosen.seeds) if seeds is None else seeds)
        ]

    return cells


def _run(*, time_limit: float, **settings: Any) -> list[dict[str, Any]]:
    """One record per speed, all against the same interval of the optimum at offline speed.

    JCTs of refined slots are divided back. ``fractional`` is the objective of ILP (4) that the
    run attains, and ``paper_bound`` the optimum of its relaxation, pooled.
    """
    ranges = {name: tuple(v) for name, v in settings.items() if isinstance(v, list)}
    instance = draw(**{**settings, **ranges})
    interval = evaluate(instance, [AOnline], time_limit=time_limit).interval
    program = paper_relaxation(Pool.of(instance))
    assert program is not None  # no time limit
    known = {name: value for name, value in settings.items() if name not in ranges}
    records = []
    for a, b in EPSILONS:
        faster, policy = augmented(instance, a, b), AOnline(a / b)
        run = run_policy(faster, policy)
        jct = run.score.objective / (a + b)
        lower, upper = ratio_interval("min", jct, interval)
        evidence = policy.evidence(faster, run.trace)
        guarantee = None if evidence is None else policy.applies(evidence, interval.upper)
        records.append(
            {
                **known,
                "epsilon": a / b,
                "total_jct": jct,
                "fractional": fractional_flow(faster, run.trace.schedule) / (a + b),
                "offline_lower": interval.lower,
                "offline_upper": interval.upper,
                "offline_status": interval.status,
                "paper_bound": program.value,
                "ratio_lower": lower,
                "ratio_upper": upper,
                "guarantee": None if guarantee is None else guarantee.ratio,
                **_duals(run, a / b, a + b),
            }
        )
    return records


def _duals(run: Run, epsilon: float, fine: int) -> dict[str, float]:
    """What the dual solution that A_online constructs is worth."""
    assert isinstance(run.policy, AOnline)
    duals = run.policy.duals
    return {
        "dual_violation": duals.largest_violation() / fine,
        "alpha_over_beta": duals.lemma4_ratio,
        "posterior_bound": duals.posterior_bound(epsilon) / fine,
    }


def fractional_flow(instance: JctInstance, schedule: JctSchedule) -> float:
    """Objective of ILP (4): ``sum_t y n (t - r) / (E D B)`` over all chunks, (3), in slots."""
    total = 0.0
    for index, _, _, start, stop in schedule.workers.tolist():
        job = instance.jobs[index]
        together = bool(schedule.together[index])
        p = job.cloud_chunk_slots if together else job.chunk_slots
        mean = (start + stop - 1) / 2 - job.arrival
        total += (stop - start) * mean / (p * job.chunks)
    return total


def _plot_of(varied: str, label: str) -> Callable[[pd.DataFrame, Axes | None], Picture]:
    fixed = "servers" if varied == "jobs" else "jobs"

    def plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
        once = frame[frame["epsilon"] == 0.0]
        proven = int((once["offline_status"] == "optimal").sum())
        return plot_intervals(
            frame.assign(speed=[f"ε = {value:g}" for value in frame["epsilon"]]),
            axes,
            x=varied,
            lower="ratio_lower",
            upper="ratio_upper",
            hue="speed",
            xlabel=label,
            ylabel="total JCT of A_online / offline optimum",
            title=f"{frame[fixed].iat[0]} {fixed} and the cloud; optimum proven on {proven} of "
            f"{len(once)} instances",
            hue_title="a mark is a seed",
            ticks={value: str(value) for value in np.unique(frame[varied]).tolist()},
            level=1.0,
        )

    return plot


FIGURE_12 = Figure(
    name="jct-12",
    title="competitive ratio of A_online against jobs at three speeds, certified intervals",
    source="edge-cloud, Fig. 12",
    cells=_cells_of("jobs"),
    run=_run,
    plot=_plot_of("jobs", "number of jobs"),
    data=_DATA,
)

FIGURE_13 = Figure(
    name="jct-13",
    title="competitive ratio of A_online against servers at three speeds, certified intervals",
    source="edge-cloud, Fig. 13",
    cells=_cells_of("servers"),
    run=_run,
    plot=_plot_of("servers", "number of edge servers"),
    data=_DATA,
)

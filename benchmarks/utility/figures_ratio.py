"""Figure 5: the ratio of OASiS as a certified interval, and the same at full scale."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.evaluate import evaluate
from benchmarks.figure import Cell, Figure
from benchmarks.pictures.intervals import plot_intervals
from benchmarks.utility.figures_common import draw, seeds_of
from online.utility.oasis import OASiS

__all__ = ["FIGURE_5", "FIGURE_5_LARGE"]


@dataclass(frozen=True)
class _Size:
    jobs: int
    slots: int
    servers: tuple[int, ...]
    priorities: tuple[float, ...]
    seeds: int
    time_limit: float


# The text gives 10 jobs and T = 10; the numbers of servers and the ranges are ours.
_SIZES = {
    "quick": _Size(5, 6, (2, 4), (10.0, 1000.0), 2, 20.0),
    "default": _Size(10, 10, (5, 10, 20), (10.0, 100.0, 1000.0), 3, 20.0),
    "paper": _Size(10, 10, (5, 10, 15, 20), (10.0, 100.0, 1000.0), 20, 300.0),
}


def _cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    setting = _SIZES[size]
    return [
        {
            "jobs": setting.jobs,
            "slots": setting.slots,
            "servers": servers,
            "priority": priority,
            "seed": seed,
            "time_limit": setting.time_limit,
        }
        for servers in setting.servers
        for priority in setting.priorities
        for seed in seeds_of(setting.seeds, seeds)
    ]


@dataclass(frozen=True)
class _LargeSize:
    jobs: tuple[int, ...]
    slots: tuple[int, ...]
    servers: int
    seeds: int
    time_limit: float


_LARGE_SIZES = {
    "quick": _LargeSize((5, 7), (5, 7), 3, 1, 20.0),
    "default": _LargeSize((100, 200), (100, 300), 50, 1, 120.0),
    "paper": _LargeSize((100, 200), (100, 300), 50, 5, 600.0),
}


def _large_cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    setting = _LARGE_SIZES[size]
    return [
        {
            "jobs": jobs,
            "slots": slots,
            "servers": setting.servers,
            "priority": 100.0,
            "seed": seed,
            "time_limit": setting.time_limit,
        }
        for slots in setting.slots
        for jobs in setting.jobs
        for seed in seeds_of(setting.seeds, seeds)
    ]


def _run(*, priority: float, time_limit: float, **settings: Any) -> list[dict[str, Any]]:
    instance = draw(priority=(1.0, priority), **settings)
    cell = evaluate(instance, [OASiS], time_limit=time_limit)
    row, policy = cell.rows[0], cell.runs[0].policy
    assert isinstance(policy, OASiS)
    arrivals = [item for item in cell.runs[0].trace.decisions if item["event"] == "arrival"]
    return [
        {
            **settings,
            "priority": priority,
            "utility": row.objective,
            "offline_lower": row.offline_lower,
            "offline_upper": row.offline_upper,
            "offline_status": row.offline_status,
            "ratio_lower": row.ratio_lower,
            "ratio_upper": row.ratio_upper,
            "log_u_over_l": policy.bounds.alpha,
            "initial_dual": policy.book.initial_dual,
            "first_admitted": arrivals[0]["admitted"],
            "guarantee_applies": row.guarantee_applies,
            "guarantee_fails": re.sub(r" \([^)]*\)", "", row.guarantee_fails),
        }
    ]


def _plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    spread = frame.groupby("priority")["log_u_over_l"].agg(["min", "max"])
    names = {
        priority: f"[1, {priority:g}]: {row['min']:.0f} to {row['max']:.0f}"
        for priority, row in spread.iterrows()
    }
    proven = int((frame["offline_status"] == "optimal").sum())
    return plot_intervals(
        frame.assign(range=frame["priority"].map(names)),
        axes,
        x="servers",
        lower="ratio_lower",
        upper="ratio_upper",
        hue="range",
        xlabel="worker + parameter servers",
        ylabel="offline optimum / utility of OASiS",
        title=f"{frame['jobs'].iat[0]} jobs, T = {frame['slots'].iat[0]}; "
        f"optimum proven on {proven} of {len(frame)} instances",
        hue_title="a mark is a seed; range of priorities: ln max(U/L)",
        ticks={n: f"{n}+{n}" for n in frame["servers"].unique().tolist()},
        level=1.0,
    )


FIGURE_5 = Figure(
    name="utility-5",
    title="performance ratio of OASiS against servers and priorities, certified intervals",
    source="OASiS, Fig. 5",
    cells=_cells,
    run=_run,
    plot=_plot,
)


def _plot_large(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    servers = frame["servers"].iat[0]
    return plot_intervals(
        frame.assign(timespan=[f"T = {slots}" for slots in frame["slots"]]),
        axes,
        x="jobs",
        lower="ratio_lower",
        upper="ratio_upper",
        hue="timespan",
        xlabel="jobs",
        ylabel="offline optimum / utility of OASiS",
        title=f"{servers}+{servers} servers; best schedule known to best bound, "
        f"{frame['seed'].nunique()} seed(s)",
        hue_title="a mark is a seed",
        ticks={n: str(n) for n in frame["jobs"].unique().tolist()},
        level=1.0,
    )


FIGURE_5_LARGE = Figure(
    name="utility-5-large",
    title="performance ratio of OASiS at the scale of the paper's simulations, certified intervals",
    source="not in the paper: Fig. 5 with 100 and 200 jobs",
    cells=_large_cells,
    run=_run,
    plot=_plot_large,
)

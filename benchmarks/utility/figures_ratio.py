"""Figure 5: the performance ratio of OASiS, as a certified interval."""

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

__all__ = ["FIGURE_5"]


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

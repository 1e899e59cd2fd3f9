"""Figures 7 to 10: JCT rate and preemptions against jobs and servers, simulated at scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.figure import Cell, Figure
from benchmarks.jct.figures_common import (
    cells_of,
    in_every_reading,
    plot_readings,
    rates,
    record_of,
)

__all__ = ["FIGURE_7", "FIGURE_8", "FIGURE_9", "FIGURE_10"]

_DATA = "jct-sweep"

# The text gives 300 jobs and 100 servers, the axes and the slots of the arrivals are ours: with
# them the work that comes goes from 0.6 of what the edge can do to 3 times that (Fig. 7), and
# from 15 times to 3 (Fig. 8).
_BASE: dict[str, Cell] = {
    "quick": {"jobs": 20, "servers": 4, "slots": 100},
    "default": {"jobs": 150, "servers": 50, "slots": 1000},
    "paper": {"jobs": 300, "servers": 100, "slots": 1000},
}
_VARIED: dict[str, dict[str, tuple[int, ...]]] = {
    "quick": {"jobs": (10, 20), "servers": (2, 4)},
    "default": {"jobs": (30, 60, 90, 120, 150), "servers": (10, 20, 30, 40, 50)},
    "paper": {"jobs": (60, 120, 180, 240, 300), "servers": (20, 40, 60, 80, 100)},
}
_SEEDS = {"quick": 2, "default": 5, "paper": 10}
_LABELS = {"jobs": "number of jobs", "servers": "number of edge servers"}


def _cells_of(name: str) -> Callable[[str, Sequence[int] | None], list[Cell]]:
    def cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
        points = [{**_BASE[size], name: value} for value in _VARIED[size][name]]
        return cells_of(points, _SEEDS[size], seeds)

    return cells


def _run(**cell: Any) -> list[dict[str, Any]]:
    return [record_of(cell)]


def _setting(frame: pd.DataFrame, varied: str) -> str:
    fixed = "servers" if varied == "jobs" else "jobs"
    kept = f"{frame[fixed].iat[0]} {fixed}"
    return f"{kept} and the cloud, arrivals in {frame['slots'].iat[0]} slots"


def _plot_rates(varied: str) -> Callable[[pd.DataFrame, Axes | None], Picture]:
    def plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
        return plot_readings(
            rates(frame, varied),
            axes,
            x=varied,
            y="jct_rate",
            xlabel=_LABELS[varied],
            ylabel="total JCT / total JCT of SRTF",
            log_y=True,
            title=_setting(frame, varied),
        )

    return plot


def _plot_preemptions(varied: str) -> Callable[[pd.DataFrame, Axes | None], Picture]:
    def plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
        return plot_readings(
            in_every_reading(frame[frame["policy"] != "batchsche"]),
            axes,
            x=varied,
            y="preemptions",
            xlabel=_LABELS[varied],
            ylabel="preempted chunks",
            title=_setting(frame, varied),
        )

    return plot


FIGURE_7 = Figure(
    name="jct-7",
    title="JCT rate of five schemes against the number of jobs",
    source="edge-cloud, Fig. 7",
    cells=_cells_of("jobs"),
    run=_run,
    plot=_plot_rates("jobs"),
    data=_DATA,
)

FIGURE_8 = Figure(
    name="jct-8",
    title="JCT rate of five schemes against the number of servers",
    source="edge-cloud, Fig. 8",
    cells=_cells_of("servers"),
    run=_run,
    plot=_plot_rates("servers"),
    data=_DATA,
)

FIGURE_9 = Figure(
    name="jct-9",
    title="preemptions of four schemes against the number of jobs",
    source="edge-cloud, Fig. 9",
    cells=_cells_of("jobs"),
    run=_run,
    plot=_plot_preemptions("jobs"),
    data=_DATA,
)

FIGURE_10 = Figure(
    name="jct-10",
    title="preemptions of four schemes against the number of servers",
    source="edge-cloud, Fig. 10",
    cells=_cells_of("servers"),
    run=_run,
    plot=_plot_preemptions("servers"),
    data=_DATA,
)

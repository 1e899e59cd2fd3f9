"""Figures 4 and 5: JCT rate and preemptions on the testbed, simulated."""

from __future__ import annotations

from collections.abc import Sequence
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

__all__ = ["FIGURE_4", "FIGURE_5"]

_DATA = "jct-testbed"
_SERVERS, _SLOTS = 8, 1000  # the paper's eight machines; the slots of the arrivals are ours

# The paper tests up to 30 jobs; the steps on the axis are ours.
_JOBS = {
    "quick": (6, 12),
    "default": (10, 15, 20, 25, 30),
    "paper": (5, 10, 15, 20, 25, 30),
}
_SEEDS = {"quick": 2, "default": 5, "paper": 50}


def _cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    points: list[Cell] = [
        {"scale": "testbed", "jobs": jobs, "servers": _SERVERS, "slots": _SLOTS}
        for jobs in _JOBS[size]
    ]
    return cells_of(points, _SEEDS[size], seeds, own=("a-online",))


def _run(**cell: Any) -> list[dict[str, Any]]:
    return [record_of(cell)]


def _plot_4(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    return plot_readings(
        rates(frame, "jobs"),
        axes,
        x="jobs",
        y="jct_rate",
        xlabel="number of jobs",
        ylabel="total JCT / total JCT of SRTF",
        log_y=True,
        title=f"testbed, simulated: {_SERVERS} edge servers and the cloud",
    )


FIGURE_4 = Figure(
    name="jct-4",
    title="JCT rate of four schemes on the testbed, simulated",
    source="edge-cloud, Fig. 4",
    cells=_cells,
    run=_run,
    plot=_plot_4,
    data=_DATA,
)


def _plot_5(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    return plot_readings(
        in_every_reading(frame[frame["policy"] != "batchsche"]),
        axes,
        x="jobs",
        y="preemptions",
        xlabel="number of jobs",
        ylabel="preempted chunks",
        title=f"testbed, simulated: {_SERVERS} edge servers and the cloud",
    )


FIGURE_5 = Figure(
    name="jct-5",
    title="preemptions of three schemes on the testbed, simulated",
    source="edge-cloud, Fig. 5",
    cells=_cells,
    run=_run,
    plot=_plot_5,
    data=_DATA,
)

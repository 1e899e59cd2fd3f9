"""Figures 3 and 8: total utility of five schemes, in simulation and on the testbed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.figure import Cell, Figure
from benchmarks.pictures.intervals import plot_intervals
from benchmarks.pictures.lines import plot_lines
from benchmarks.utility.figures_common import (
    EVERY_SCHEME,
    Setting,
    draw,
    draw_testbed,
    instance_cells,
    means_of,
    setting_of,
    testbed_cells,
    utility_record,
)

__all__ = ["FIGURE_3", "FIGURE_8"]

# The text gives T = 300 and 50 + 50 servers, but not the numbers of jobs on the x axis.
_SETTINGS = {
    "quick": Setting(slots=12, servers=3, jobs=(4, 8, 12), seeds=3),
    "default": Setting(slots=100, servers=20, jobs=(20, 40, 60, 80), seeds=5),
    "paper": Setting(slots=300, servers=50, jobs=(100, 200, 300, 400, 500), seeds=5),
}


def _cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    return instance_cells(_SETTINGS[size], seeds, EVERY_SCHEME)


def _run(*, policy: str, **settings: Any) -> list[dict[str, Any]]:
    return utility_record(draw(**settings), policy, {**settings, "policy": policy})


def _plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    return plot_lines(
        frame,
        axes,
        x="jobs",
        y="utility",
        series="policy",
        xlabel="number of jobs",
        ylabel="total job utility",
        title=f"{setting_of(frame)}; {means_of(frame)}",
    )


FIGURE_3 = Figure(
    name="utility-3",
    title="total job utility against the number of jobs, five schemes",
    source="OASiS, Fig. 3",
    cells=_cells,
    run=_run,
    plot=_plot,
)


def _run_testbed(*, seed: int, policy: str) -> list[dict[str, Any]]:
    return utility_record(draw_testbed(seed), policy, {"seed": seed, "policy": policy})


def _plot_testbed(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    return plot_intervals(
        frame,
        axes,
        x="policy",
        lower="utility",
        upper="utility",
        xlabel="scheme",
        ylabel="total job utility",
        title=f"testbed, simulated: 12 jobs, {frame['seed'].nunique()} seeds",
    )


FIGURE_8 = Figure(
    name="utility-8",
    title="total job utility of five schemes on the testbed, simulated",
    source="OASiS, Fig. 8",
    cells=testbed_cells,
    run=_run_testbed,
    plot=_plot_testbed,
)

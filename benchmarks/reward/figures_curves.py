"""Figures 2 and 5: rewards of six policies over time, at the default and at a large scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.evaluate import run_policy
from benchmarks.figure import Cell, Figure
from benchmarks.pictures.curves import plot_curves
from benchmarks.pictures.style import figure_of, legend_below, panels
from benchmarks.reward.figures_common import (
    RULES,
    SCHEMES,
    base_cell,
    build,
    draw,
    ratio_axis,
    ratios_to_baselines,
    setting_of,
    sweep_cells,
)
from benchmarks.reward.views import slot_table

__all__ = ["FIGURE_2", "FIGURE_5"]

_POINTS = 100  # of a curve

# Sizes and seeds; the caption of Fig. 2 gives T, beta and the contention.
_SIZES: dict[str, tuple[Cell, int]] = {
    "quick": ({"ports": 4, "servers": 16, "slots": 50}, 2),
    "default": ({"slots": 8000}, 3),
    "paper": ({"slots": 8000}, 5),
}
_CAPTION: Cell = {"contention": 11.0, "beta_low": 0.4, "beta_high": 0.6}

# The caption of Fig. 5 gives T = 10000, beta and the contention, but not the density.
_LARGE_SIZES: dict[str, tuple[Cell, int]] = {
    "quick": ({"ports": 20, "servers": 64, "slots": 25}, 2),
    "default": ({"ports": 100, "servers": 1024, "slots": 500}, 3),
    "paper": ({"ports": 100, "servers": 1024, "slots": 10000}, 3),
}
_LARGE_CAPTION: Cell = {"contention": 5.0, "beta_low": 0.01, "beta_high": 0.015}


def _cells_of(
    sizes: dict[str, tuple[Cell, int]], caption: Cell
) -> Callable[[str, Sequence[int] | None], list[Cell]]:
    def cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
        changes, count = sizes[size]
        return sweep_cells([base_cell(**changes, **caption)], count, seeds)

    return cells


def _run(*, policy: str, **settings: Any) -> list[dict[str, Any]]:
    """The cell, with ``average`` and accumulated ``reward`` after ``slot`` slots."""
    run = run_policy(draw(**settings), build(policy))
    table = slot_table(run)
    table["total"] = table["reward"].cumsum()
    points = np.unique(np.linspace(0, len(table), _POINTS + 1).round().astype(int))[1:]
    return [
        {
            **settings,
            "policy": policy,
            "slot": int(point),
            "average": float(table["average"].iat[point - 1]),
            "reward": float(table["total"].iat[point - 1]),
        }
        for point in points
    ]


def _plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    drawn = panels(axes, 2, 11.0, 7.0, rows=2)
    titles = (f"(a) {setting_of(frame)}", f"(b) mean and range of {frame['seed'].nunique()} seeds")
    labels = ("average reward until t", "accumulated reward until t")
    for panel, column, title, label in zip(
        drawn, ("average", "reward"), titles, labels, strict=False
    ):
        plot_curves(
            frame,
            panel,
            x="slot",
            y=column,
            series="policy",
            xlabel="slots t",
            ylabel=label,
            title=title,
            among=SCHEMES,
            legend=False,
        )
    for panel, rule in zip(drawn[2:], RULES, strict=True):
        plot_curves(
            ratios_to_baselines(frame, rule, x="slot", y="average"),
            panel,
            x="slot",
            y="ratio",
            series="policy",
            xlabel="slots t",
            ylabel=f"average of {rule} / baseline",
            title=f"(c) {rule}",
            among=SCHEMES,
            legend=False,
        )
        ratio_axis(panel)
    legend_below(drawn[0], columns=5)
    return figure_of(drawn[0])


FIGURE_2 = Figure(
    name="reward-2",
    title="average and accumulated reward over time, OGASched with two step rules and baselines",
    source="OGASched, Fig. 2",
    cells=_cells_of(_SIZES, _CAPTION),
    run=_run,
    plot=_plot,
    data="reward-curves",
)

FIGURE_5 = Figure(
    name="reward-5",
    title="the same with 100 ports and 1024 servers",
    source="OGASched, Fig. 5",
    cells=_cells_of(_LARGE_SIZES, _LARGE_CAPTION),
    run=_run,
    plot=_plot,
    data="reward-curves",
)

"""Lines: a mean over seeds against a number, one line for each series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.style import (
    describe,
    figure_of,
    legend_above,
    ready,
    series_of,
    side_by_side,
)
from benchmarks.study.statistics import bootstrap_interval

__all__ = ["plot_lines"]


def plot_lines(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    x: str,
    y: str,
    series: str,
    xlabel: str,
    ylabel: str,
    title: str = "",
    spacing: Literal["linear", "log", "even"] = "linear",
    among: Sequence[str] | None = None,
    legend: bool = True,
) -> Figure:
    """Draw means over all rows of the same x and series, with their spread.

    Parameters
    ----------
    frame : DataFrame
        One row per run (e.g. per seed).
    x, y, series : str
        Columns: numbers, numbers, names.
    spacing : {"linear", "log", "even"}
        Where the values of x stand; ``even`` puts them at equal distances.

    Returns
    -------
    Figure
        Error bars are 95 % bootstrap intervals of the mean; none where there is one row.
    """
    axes = ready(axes)
    values = np.sort(frame[x].unique())
    place_of = np.arange(len(values)) if spacing == "even" else values
    if spacing == "log":
        place_of = np.log(values)
    # Side by side, so that error bars do not hide each other.
    step = 0.01 * float(np.ptp(place_of))
    count = frame[series].nunique()
    for rank, (name, look, rows) in enumerate(series_of(frame, series, among)):
        shift = side_by_side(rank, count, step)
        groups = rows.groupby(x, sort=True)[y]
        mean = groups.mean()
        position = place_of[np.searchsorted(values, mean.index)] + shift
        interval = np.array([bootstrap_interval(group.to_numpy()) for _, group in groups])
        reach = np.nan_to_num(np.abs(interval - mean.to_numpy()[:, None])).T
        axes.errorbar(
            position,
            mean,
            yerr=reach,
            color=look.colour,
            marker=look.marker,
            linestyle=look.line,
            markersize=5,
            capsize=2,
            linewidth=1.4,
            elinewidth=1.0,
            label=str(name),
        )
    axes.set_xticks(place_of, [f"{value:g}" for value in values])
    describe(axes, x=xlabel, y=ylabel, title=title)
    if legend:
        legend_above(axes, columns=max(3, min(5, count)))
    return figure_of(axes)

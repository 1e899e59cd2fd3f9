"""Medians: a line through the medians over seeds, with a point for every seed."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from benchmarks.pictures.style import (
    describe,
    figure_of,
    legend_above,
    ready,
    series_of,
    side_by_side,
)

__all__ = ["plot_medians"]


def plot_medians(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    x: str,
    y: str,
    series: str,
    xlabel: str,
    ylabel: str,
    title: str = "",
    spacing: Literal["log", "even"] = "log",
    legend: bool = True,
) -> Figure:
    """Draw medians over all rows of the same x and series, and the rows; y is logarithmic.

    Parameters
    ----------
    frame : DataFrame
        One row per run (e.g. per seed).
    x, y, series : str
        Columns: numbers or names (in the order of the rows), positive numbers (NaN is left
        out), names.
    spacing : {"log", "even"}
        Where the values of x stand; ``even`` puts them at equal distances.
    """
    axes = ready(axes)
    values = list(dict.fromkeys(frame[x]))
    place_of = {v: float(np.log(v)) if spacing == "log" else float(i) for i, v in enumerate(values)}
    # Side by side, so that points do not hide each other.
    step = 0.02 * float(np.ptp(list(place_of.values())) or 1.0)
    count = frame[series].nunique()
    for rank, (name, look, every) in enumerate(series_of(frame, series)):
        rows = every.dropna(subset=[y])
        shift = side_by_side(rank, count, step)
        place = rows[x].map(place_of).astype(float) + shift
        hollow: dict[str, Any] = {"linestyle": "none", "markersize": 5, "markerfacecolor": "none"}
        axes.plot(place, rows[y], marker=look.marker, color=look.colour, **hollow)
        median = rows.groupby(x, sort=False)[y].median()
        axes.plot(
            median.index.map(place_of).to_numpy(dtype=float) + shift,
            median,
            color=look.colour,
            linestyle=look.line,
            linewidth=1.6,
            marker=look.marker,
            markersize=3,
            label=str(name),
        )
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    drawn = np.log10(frame[y].dropna())
    if len(drawn):  # whole powers of ten: a factor looks the same in every picture
        axes.set_ylim(0.9 * 10.0 ** np.floor(drawn.min()), 1.1 * 10.0 ** np.ceil(drawn.max()))
    labels = [f"{value:g}" if spacing == "log" else str(value) for value in values]
    axes.set_xticks(list(place_of.values()), labels)
    describe(axes, x=xlabel, y=ylabel, title=title)
    if legend:
        legend_above(axes, columns=count)
    return figure_of(axes)

"""Curves: a mean over seeds along many points, with the range of the seeds."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.style import describe, figure_of, legend_above, ready, series_of

__all__ = ["plot_curves"]


def plot_curves(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    x: str,
    y: str,
    series: str,
    xlabel: str,
    ylabel: str,
    title: str = "",
    level: float | None = None,
    among: Sequence[str] | None = None,
    legend: bool = True,
) -> Figure:
    """Draw means over all rows of the same x and series; the band reaches from least to most.

    Parameters
    ----------
    frame : DataFrame
        One row per point and run (e.g. per seed); NaN is left out.
    x, y, series : str
        Columns: numbers, numbers, names.
    level : float, optional
        Draw a line there.
    """
    axes = ready(axes)
    if level is not None:
        axes.axhline(level, color="0.4", linewidth=0.8)
    for name, look, rows in series_of(frame, series, among):
        spread = rows.groupby(x, sort=True)[y].agg(["mean", "min", "max"])
        place = spread.index.to_numpy(dtype=float)
        axes.fill_between(
            place, spread["min"], spread["max"], color=look.colour, alpha=0.15, linewidth=0
        )
        style = {"color": look.colour, "linestyle": look.line, "linewidth": 1.4}
        axes.plot(place, spread["mean"], label=str(name), **style)
    describe(axes, x=xlabel, y=ylabel, title=title)
    if legend:
        legend_above(axes, columns=3)
    return figure_of(axes)

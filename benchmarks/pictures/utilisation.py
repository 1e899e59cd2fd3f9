"""Utilisation: the share of each resource in use, over time."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from benchmarks.pictures.style import describe, figure_of, legend_above, ready, series_of

__all__ = ["plot_utilisation"]


def plot_utilisation(frame: pd.DataFrame, axes: Axes | None = None, *, title: str = "") -> Figure:
    """Draw the share in use of every resource as a step line.

    Parameters
    ----------
    frame : DataFrame
        One row per slot and resource: ``slot``, ``resource``, ``share`` (0 to 1, of all
        servers together).
    """
    axes = ready(axes, 6.4, 3.2)
    for name, look, rows in series_of(frame, "resource"):
        style = {"color": look.colour, "linestyle": look.line, "linewidth": 1.5}
        axes.step(rows["slot"], rows["share"], where="mid", label=str(name), **style)
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    describe(axes, x="slot", y="capacity in use", title=title)
    legend_above(axes, columns=min(5, frame["resource"].nunique()))
    return figure_of(axes)

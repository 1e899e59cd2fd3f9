"""Intervals: one mark per seed, with what is not known about it, in groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from benchmarks.pictures.style import describe, figure_of, legend_above, looks, ready, side_by_side
from benchmarks.study.statistics import bootstrap_interval

__all__ = ["plot_intervals"]


def plot_intervals(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    x: str,
    lower: str,
    upper: str,
    hue: str | None = None,
    xlabel: str,
    ylabel: str,
    title: str = "",
    hue_title: str = "",
    ticks: Mapping[Any, str] | None = None,
    level: float | None = None,
    log_y: bool = False,
    legend: bool = True,
) -> Figure:
    """Draw every row as a vertical interval, side by side in the order of the rows.

    Beside each group stands the mean of the upper ends (a black bar) with its 95 % bootstrap
    interval; the legend says so. Where lower and upper end agree, the interval is a dot.

    Parameters
    ----------
    frame : DataFrame
        One row per run (e.g. per seed).
    x : str
        Column of the groups, in the order of the rows.
    lower, upper : str
        Columns of the two ends; may be the same.
    hue : str, optional
        Column that divides the groups.
    ticks : mapping, optional
        What to write at a group instead of its name.
    level : float, optional
        Draw a line there.
    log_y : bool
        Logarithmic y.

    Returns
    -------
    Figure
        Rows with an infinite end are left out and counted in the title.
    """
    axes = ready(axes)
    finite = np.isfinite(frame[[lower, upper]].to_numpy(dtype=float)).all(axis=1)
    if not finite.all():
        title = f"{title} ({int((~finite).sum())} infinite, left out)".strip()
    names = list(dict.fromkeys(frame[x]))
    hues = list(dict.fromkeys(frame[hue])) if hue else [None]
    width = 0.84 / len(hues)
    mean_label: str | None = "mean, 95 % interval"
    for place, (kind, look) in enumerate(looks(hues).items()):
        part = frame[finite] if hue is None else frame[finite & (frame[hue] == kind)]
        label: str | None = "one seed" if kind is None else str(kind)
        for column, name in enumerate(names):
            rows = part[part[x] == name]
            if rows.empty:
                continue
            centre = column + side_by_side(place, len(hues), width)
            spread = np.linspace(-0.36, 0.2, len(rows)) if len(rows) > 1 else np.zeros(1)
            position = centre + width * spread
            axes.vlines(position, rows[lower], rows[upper], color=look.colour, linewidth=1.6)
            axes.plot(
                position,
                rows[upper],
                linestyle="none",
                marker=look.marker,
                markersize=3.5,
                color=look.colour,
                label=label,
            )
            label = None
            mean, end = float(rows[upper].mean()), centre + 0.38 * width
            reach = np.nan_to_num(np.abs(np.array(bootstrap_interval(rows[upper])) - mean))
            axes.errorbar(
                end,
                mean,
                yerr=reach[:, None],
                color="black",
                linestyle="none",
                marker="_",
                markersize=7,
                capsize=2,
                label=mean_label,
            )
            mean_label = None
    if level is not None:
        axes.axhline(level, color="0.3", linewidth=0.8)
    if log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
    axes.set_xticks(range(len(names)), [(ticks or {}).get(name, str(name)) for name in names])
    axes.set_xlim(-0.55, len(names) - 0.45)
    describe(axes, x=xlabel, y=ylabel, title=title)
    if legend:
        legend_above(axes, columns=min(4, len(hues) + 1), title=hue_title)
    return figure_of(axes)

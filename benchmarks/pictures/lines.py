"""Lines: numbers of many runs against a number or a size, one line for each series."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.style import (
    MEDIANS,
    RANGES,
    caption,
    finish,
    log_axis,
    panels,
    ready,
    series_of,
    side_by_side,
    told,
)
from benchmarks.study.statistics import bootstrap_interval

Spacing = Literal["linear", "log", "even"]
"""Where values of x stand: where they are, where their logarithms are, or at equal distances."""
_BARS = 5  # on a curve, about


def _placed(
    axes: Axes,
    frame: pd.DataFrame,
    x: str,
    values: Sequence[Any],
    spacing: Spacing,
    series: str,
    among: Sequence[str] | None = None,
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Look and rows of each series, with the ``place`` of every row; names the values of x.

    Series stand side by side at each value, so that their marks do not hide each other.
    """
    places = np.arange(len(values)) if spacing == "even" else np.array(values, dtype=float)
    places = np.log(places) if spacing == "log" else places
    axes.set_xticks(places, [v if isinstance(v, str) else f"{v:g}" for v in values])
    span = float(np.ptp(places) or 1.0)
    axes.set_xlim(places.min() - 0.08 * span, places.max() + 0.08 * span)
    shifts = side_by_side(frame[series].nunique(), 0.014 * span)
    place_of = dict(zip(values, places.tolist(), strict=True))
    for shift, (look, rows) in zip(shifts, series_of(frame, series, among), strict=True):
        yield look, rows.assign(place=rows[x].map(place_of).astype(float) + shift)


def plot_lines(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    x: str,
    y: str,
    series: str,
    spacing: Spacing = "linear",
    among: Sequence[str] | None = None,
    **labels: Any,
) -> Figure:
    """Draw means over all rows of the same x and series, with 95 % bootstrap intervals."""
    axes = ready(axes)
    values = np.sort(frame[x].unique()).tolist()
    sizes: dict[str, Any] = {"markersize": 5, "capsize": 2, "linewidth": 1.4, "elinewidth": 1.0}
    for look, rows in _placed(axes, frame, x, values, spacing, series, among):
        groups = rows.groupby("place")[y]
        mean = groups.mean()
        ends = np.array([bootstrap_interval(group.to_numpy()) for _, group in groups])
        reach = np.nan_to_num(np.abs(ends - mean.to_numpy()[:, None])).T
        axes.errorbar(mean.index, mean, yerr=reach, **look, **sizes)
    return finish(axes, legend_title=told(frame), **labels)


def plot_medians(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    x: str,
    y: str,
    series: str,
    spacing: Spacing = "log",
    **labels: Any,
) -> Figure:
    """Draw medians over all rows of the same x and series, and the rows; y is logarithmic.

    Values of x are numbers or names, in the order of the rows.
    """
    axes = ready(axes)
    hollow = {"linestyle": "none", "markersize": 5, "markerfacecolor": "none", "label": None}
    for look, every in _placed(axes, frame, x, list(frame[x].unique()), spacing, series):
        rows = every.dropna(subset=[y])
        axes.plot(rows["place"], rows[y], **{**look, **hollow})
        median = rows.groupby("place")[y].median()
        axes.plot(median.index, median, linewidth=1.6, markersize=3, **look)
    log_axis(axes)
    drawn = np.log10(frame[y].dropna())
    if len(drawn):  # whole powers of ten: a factor looks the same in every picture
        low, high = np.floor(drawn.min()), np.ceil(drawn.max())
        axes.set_ylim(0.9 * 10.0**low, 1.1 * 10.0**high)
        if high - low > 3:  # labels at powers of ten alone, or they would run into each other
            log_axis(axes, 1.0)
    return finish(axes, legend_title=told(frame, MEDIANS), **labels)


def plot_curves(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    x: str,
    y: str,
    series: str,
    among: Sequence[str] | None = None,
    **labels: Any,
) -> Figure:
    """Draw means over all rows of the same x and series; a few bars reach from least to most.

    Each series has its bars at other places, so that they do not hide each other, as bands would.
    """
    axes = ready(axes)
    drawn = list(series_of(frame, series, among))
    for place, (look, rows) in enumerate(drawn):
        spread = rows.groupby(x)[y].agg(["mean", "min", "max"])
        mean, step = spread["mean"], max(1, len(spread) // _BARS)
        how: dict[str, Any] = {"linewidth": 1.4, "elinewidth": 1.0, **look, "marker": None}
        how["yerr"] = [mean - spread["min"], spread["max"] - mean]
        axes.errorbar(mean.index, mean, errorevery=(place * step // len(drawn), step), **how)
    return finish(axes, legend_title=told(frame, RANGES), **labels)


def plot_costs(
    frame: pd.DataFrame,
    *,
    seconds: str,
    memory: str | None = None,
    series: str,
    note: str,
    level: float | None = None,
) -> Figure:
    """Draw what runs cost against their ``size``: medians over seeds, and the seeds.

    ``seconds`` is a column, and ``memory`` one in MB, for a panel of its own. The note stands above
    both, the level is one of seconds.
    """
    sizes = frame["size"].nunique()
    drawn = {seconds: "seconds taken"} | ({memory: "peak MB"} if memory else {})
    axes = panels(None, len(drawn), min(max(7.2, 1.2 * len(drawn) * sizes), 11.0), 4.2)
    words: dict[str, Any] = {"xlabel": "jobs x slots x servers", "spacing": "even"}
    for panel, (column, label) in zip(axes, drawn.items(), strict=True):
        words |= {"ylabel": label, "legend": panel is axes[0]}
        plot_medians(frame, panel, x="size", y=column, series=series, **words)
        if sizes > 3:  # side by side they would run into each other
            for tick in panel.get_xticklabels():
                tick.set(rotation=30, ha="right", rotation_mode="anchor")
    if level is not None:
        axes[0].axhline(level, color="0.4", linewidth=1.0, linestyle=":")
    return caption(axes[0], note)

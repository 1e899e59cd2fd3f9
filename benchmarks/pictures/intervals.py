"""Distributions over runs, side by side in groups: an interval for each run, or boxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.style import finish, log_axis, looks, ready, side_by_side, told
from benchmarks.study.statistics import bootstrap_interval


def _groups(
    axes: Axes,
    frame: pd.DataFrame,
    x: str,
    hue: str,
    width: float,
    ticks: Mapping[Any, str],
    among: Iterable[Any] | None = None,
) -> Iterator[tuple[float, tuple[Any, Any], dict[str, Any], pd.DataFrame]]:
    """Middle, names, look and rows of every x and hue; names the values of x."""
    names, here = frame[x].unique(), frame[hue].unique()
    kinds = {kind: look for kind, look in looks(among or here).items() if kind in here}
    axes.set_xticks(range(len(names)), [ticks.get(name, str(name)) for name in names])
    axes.set_xlim(-0.55, len(names) - 0.45)
    for shift, (kind, look) in zip(side_by_side(len(kinds), width), kinds.items(), strict=True):
        for place, name in enumerate(names):
            rows = frame[(frame[x] == name) & (frame[hue] == kind)]
            yield place + shift, (name, kind), {**look, "label": str(kind)}, rows


def plot_intervals(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    x: str,
    lower: str,
    upper: str,
    hue: str | None = None,
    hue_title: str = "",
    among: Iterable[Any] | None = None,
    ticks: Mapping[Any, str] | None = None,
    log_y: bool = False,
    title: str = "",
    **labels: Any,
) -> Figure:
    """Draw every row as a vertical interval, side by side in the order of the rows.

    Beside each group stands the mean of the upper ends (a black bar) with its 95 % bootstrap
    interval; the legend says so. Where lower and upper end agree, the interval is a dot. Rows with
    an infinite end are left out and counted in the title. ``lower`` and ``upper`` are columns, and
    may be the same; ``ticks`` is what to write at a group instead of its name. Values of ``hue``
    ``among`` those of all panels look the same in each.
    """
    axes = ready(axes)
    finite = np.isfinite(frame[[lower, upper]].to_numpy(dtype=float)).all(axis=1)
    if not finite.all():
        title = f"{title} ({int((~finite).sum())} infinite, left out)".strip()
    frame = frame.assign(**{upper: frame[upper].where(finite)})
    if hue is None:
        hue, frame = "", frame.assign(**{"": "a seed each"})
    width = 0.84 / frame[hue].nunique()
    bar: dict[str, Any] = {"color": "black", "linestyle": "none", "marker": "_"}
    bar |= {"markersize": 7, "capsize": 2, "label": told(frame)}
    for middle, _, look, every in _groups(axes, frame, x, hue, width, ticks or {}, among):
        rows = every.dropna(subset=[upper])
        if rows.empty:
            continue
        spread = np.linspace(-0.36, 0.2, len(rows)) if len(rows) > 1 else 0.0
        place = np.full(len(rows), middle) + width * spread
        axes.vlines(place, rows[lower], rows[upper], color=look["color"], linewidth=1.6)
        axes.plot(place, rows[upper], markersize=3.5, **{**look, "linestyle": "none"})
        mean = float(rows[upper].mean())
        reach = np.nan_to_num(np.abs(np.array([bootstrap_interval(rows[upper])]) - mean)).T
        axes.errorbar(middle + 0.38 * width, mean, yerr=reach, **bar)
    if log_y:
        log_axis(axes)
    return finish(axes, title=title, legend_title=hue_title, **labels)


def plot_boxes(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    x: str,
    y: str,
    hue: str,
    notes: Mapping[tuple[str, str], str] | None = None,
    **labels: Any,
) -> Figure:
    """Draw a box for every x and hue: quartiles, whiskers at 1.5 ranges, all other points.

    The legend says so. ``notes`` are texts by x and hue, written below the boxes.
    """
    axes, notes = ready(axes, 7.2, 4.2), notes or {}
    width = 0.8 / frame[hue].nunique()
    below: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": "x-small"}
    below["transform"] = axes.get_xaxis_transform()
    how: dict[str, Any] = {"widths": 0.8 * width, "patch_artist": True, "manage_ticks": False}
    how["medianprops"] = {"color": "black", "linewidth": 1.5}
    for middle, names, look, rows in _groups(axes, frame, x, hue, width, {}):
        colour, edge = {"color": look["color"]}, {"edgecolor": look["color"]}
        point = {"marker": look["marker"], "markeredgecolor": look["color"], "markersize": 3}
        how["boxprops"] = {"facecolor": look["color"], "alpha": 0.45, **edge}
        how |= {"whiskerprops": colour, "capprops": colour, "label": look["label"]}
        how["flierprops"] = {"markerfacecolor": "none", **point}
        axes.boxplot(rows[y].dropna().to_numpy(), positions=[middle], **how)
        axes.text(middle, 0.01, notes.get(names, ""), **colour, **below)
    if notes:  # room for them below the data
        low, high = axes.get_ylim()
        axes.set_ylim(low - 0.08 * (high - low), high)
    words = "{} together; boxes: quartiles, whiskers: up to 1.5 times as long, points: beyond"
    words = words.format(told(frame, "{}").removesuffix(", no interval"))
    return finish(axes, legend_title=words, **labels)

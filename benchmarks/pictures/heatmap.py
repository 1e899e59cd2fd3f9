"""Heat map: prices (or anything else) of every server or resource over time."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from benchmarks.pictures.style import finish, ready


def plot_heatmap(
    table: pd.DataFrame,
    axes: Axes | None = None,
    *,
    label: str,
    ylabel: str,
    xlabel: str = "slot",
    title: str = "",
    log: bool = False,
) -> Figure:
    """Draw a table of nonnegative numbers, whose columns are slots: white is 0, darker is more.

    ``label`` says what a colour means, with its unit. Colours may be logarithmic (``log``, ignored
    where positive entries do not differ).
    """
    axes = ready(axes, 6.4, max(2.6, 1.2 + 0.22 * min(len(table), 24)))
    shown = table.where(table > 0).astype(float)  # NaN is drawn as background
    low, high = shown.min(axis=None), shown.max(axis=None)
    logarithmic = log and low < high
    first, step = int(table.columns[0]), -(-len(table) // 24)  # at most 24 names
    image = axes.imshow(
        shown,
        cmap="viridis_r",
        norm=LogNorm(low, high) if logarithmic else Normalize(0.0, 1.0 if pd.isna(high) else high),
        aspect="auto",
        interpolation="nearest",
        extent=(first - 0.5, first + len(table.columns) - 0.5, len(table) - 0.5, -0.5),
    )
    axes.set_yticks(range(0, len(table), step), [str(name) for name in table.index[::step]])
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure = finish(axes, xlabel=xlabel, ylabel=ylabel, title=title, grid="")
    figure.colorbar(image, ax=axes, label=label, pad=0.02)
    return figure

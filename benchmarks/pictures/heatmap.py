"""Heat map: prices (or anything else) of every server or resource over time."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from benchmarks.pictures.style import describe, figure_of, ready

__all__ = ["plot_heatmap"]


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
    """Draw a table as a heat map.

    Parameters
    ----------
    table : DataFrame
        Rows from top to bottom, columns are slots; nonnegative numbers.
    label : str
        What a colour means, with its unit.
    log : bool
        Logarithmic colours; zeros stay white. Ignored where no entry is positive.

    Returns
    -------
    Figure
        White is 0; darker is more.
    """
    axes = ready(axes, 6.4, max(2.6, 1.2 + 0.22 * min(len(table), 24)))
    values = table.to_numpy(dtype=float)
    positive = values[values > 0]
    norm: Normalize
    if log and positive.size and positive.min() < positive.max():
        norm = LogNorm(positive.min(), positive.max())
    else:
        norm = Normalize(0.0, positive.max() if positive.size else 1.0)
    shown = table.where(table > 0).to_numpy(dtype=float)  # NaN is drawn as background
    first = int(table.columns[0])
    image = axes.imshow(
        shown,
        cmap="viridis_r",
        norm=norm,
        aspect="auto",
        interpolation="nearest",
        extent=(first - 0.5, first + len(table.columns) - 0.5, len(table) - 0.5, -0.5),
    )
    step = -(-len(table) // 24)  # at most 24 names
    axes.set_yticks(range(0, len(table), step), [str(name) for name in table.index[::step]])
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    describe(axes, x=xlabel, y=ylabel, title=title, grid="")
    figure = figure_of(axes)
    figure.colorbar(image, ax=axes, label=label, pad=0.02)
    return figure

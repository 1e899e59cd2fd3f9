"""Boxes: distributions side by side, in groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from benchmarks.pictures.style import describe, figure_of, looks, ready, side_by_side

__all__ = ["plot_boxes"]

_HOLLOW = {"markersize": 3, "markerfacecolor": "none"}
_BELOW: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": "x-small"}


def plot_boxes(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    x: str,
    y: str,
    hue: str,
    xlabel: str,
    ylabel: str,
    title: str = "",
    notes: Mapping[tuple[str, str], str] | None = None,
    zero: bool = False,
) -> Figure:
    """Draw a box for every x and hue: quartiles, whiskers at 1.5 ranges, all other points.

    Parameters
    ----------
    frame : DataFrame
        One row per value.
    x, y, hue : str
        Columns: names (in the order of the rows), numbers (NaN is left out), names.
    notes : mapping, optional
        ``(x, hue) -> text`` written below a box.
    zero : bool
        Draw a line at 0.
    """
    axes = ready(axes, 7.2, 4.2)
    names = list(dict.fromkeys(frame[x]))
    hues = list(dict.fromkeys(frame[hue]))
    styles = looks(hues)
    below = axes.get_xaxis_transform()
    width = 0.8 / len(hues)
    for place, (kind, look) in enumerate(styles.items()):
        shift = side_by_side(place, len(hues), width)
        for column, name in enumerate(names):
            values = frame.loc[(frame[x] == name) & (frame[hue] == kind), y].dropna()
            axes.boxplot(
                values.to_numpy(),
                positions=[column + shift],
                widths=0.8 * width,
                patch_artist=True,
                manage_ticks=False,
                boxprops={"facecolor": look.colour, "alpha": 0.45, "edgecolor": look.colour},
                medianprops={"color": "black", "linewidth": 1.5},
                whiskerprops={"color": look.colour},
                capprops={"color": look.colour},
                flierprops={"marker": look.marker, "markeredgecolor": look.colour, **_HOLLOW},
            )
            text = (notes or {}).get((name, kind), "")
            axes.text(column + shift, 0.01, text, color=look.colour, transform=below, **_BELOW)
    if notes:  # room for them below the data
        low, high = axes.get_ylim()
        axes.set_ylim(low - 0.08 * (high - low), high)
    if zero:
        axes.axhline(0.0, color="0.3", linewidth=0.8)
    axes.set_xticks(range(len(names)), [str(name) for name in names])
    axes.set_xlim(-0.6, len(names) - 0.4)
    describe(axes, x=xlabel, y=ylabel, title=title)
    patches = [
        Patch(facecolor=look.colour, alpha=0.45, edgecolor=look.colour, label=str(kind))
        for kind, look in styles.items()
    ]
    axes.legend(
        handles=patches,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.2,
        ncols=len(hues),
        frameon=False,
        fontsize="small",
    )
    return figure_of(axes)

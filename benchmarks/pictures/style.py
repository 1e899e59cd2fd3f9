"""What all pictures share: colours that colour-blind readers can tell apart, axes, legends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

__all__ = [
    "Look",
    "describe",
    "figure_of",
    "legend_above",
    "legend_below",
    "looks",
    "panels",
    "ratio_axis",
    "ready",
    "series_of",
    "side_by_side",
]

# Okabe and Ito's palette, without the yellow that vanishes on white, then a wine red and a grey.
_COLOURS = (
    *("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"),
    *("#882255", "#8C8C8C"),
)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<")
_LINES: tuple[Any, ...] = (
    *("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1))),
    *((0, (8, 2)), (0, (6, 2, 2, 2))),
)


class Look(NamedTuple):
    """How one series is drawn: three ways to tell it apart, of which colour is only one."""

    colour: str
    marker: str
    line: Any


def looks(names: Sequence[Any]) -> dict[Any, Look]:
    """One look for each name, in the order of the names; after nine the lines are others."""
    return {
        name: Look(_COLOURS[i % 9], _MARKERS[i % 9], _LINES[(i + i // 9) % 9])
        for i, name in enumerate(names)
    }


def series_of(
    frame: pd.DataFrame, column: str, among: Sequence[str] | None = None
) -> Iterator[tuple[Any, Look, pd.DataFrame]]:
    """Name, look and rows of each series, in the order of the rows; ``among`` are all that look."""
    names = list(dict.fromkeys(frame[column]))
    look_of = looks(names if among is None else among)
    for name in names:
        yield name, look_of[name], frame[frame[column] == name]


def side_by_side(rank: int, count: int, step: float) -> float:
    """How far the one of this rank stands from the middle of so many."""
    return (rank - (count - 1) / 2) * step


def ready(axes: Axes | None, width: float = 6.4, height: float = 4.0) -> Axes:
    """Return the given axes, or those of a new figure of so many inches."""
    if axes is not None:
        return axes
    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def panels(axes: Axes | None, count: int, width: float, height: float, rows: int = 1) -> list[Axes]:
    """Axes side by side, row by row: in a new figure of so many inches, or in place of axes."""
    if axes is None:
        figure = Figure(figsize=(width, height), layout="constrained")
        return list(figure.subplots(rows, count, squeeze=False).ravel())
    place = axes.get_subplotspec()
    assert place is not None, "axes must stand in a grid"
    figure = figure_of(axes)
    axes.remove()
    grid = place.subgridspec(rows, count)
    return [figure.add_subplot(grid[row, column]) for row in range(rows) for column in range(count)]


def figure_of(axes: Axes) -> Figure:
    """The figure that axes belong to, however deep in subfigures."""
    found = axes.get_figure(root=True)
    assert found is not None
    return found


def describe(axes: Axes, *, x: str, y: str, title: str = "", grid: str = "y") -> None:
    """Label the axes; light grid lines behind the data; no box around them."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if title:
        axes.set_title(title, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    if grid:
        axes.grid(axis=grid, color="0.9", linewidth=0.8)  # type: ignore[arg-type]
        axes.set_axisbelow(True)


def legend_above(axes: Axes, columns: int, title: str = "") -> None:
    """Put the legend between title and data, where it covers nothing."""
    handles, labels = axes.get_legend_handles_labels()
    # One that is wider than the figure would leave the axes no room: readings have long names.
    points = 72 * figure_of(axes).get_figwidth()
    widest = 45 + 5.5 * max(map(len, labels), default=0)
    columns = max(1, min(columns, int(points // widest)))
    axes.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.2,
        ncols=columns,
        frameon=False,
        fontsize="small",
        title=title or None,
        title_fontsize="small",
        alignment="left",
    )
    heading = axes.get_title(loc="left")
    if heading:  # above the legend, not behind it
        rows = -(-len(labels) // columns) + bool(title)
        axes.set_title(heading, loc="left", fontsize="medium", pad=6 + 15 * rows)


def legend_below(axes: Axes, columns: int) -> None:
    """Put one legend for all panels of a figure, that of the given axes, below them."""
    handles, labels = axes.get_legend_handles_labels()
    figure_of(axes).legend(
        handles, labels, loc="outside lower left", ncols=columns, frameon=False, fontsize="small"
    )


def ratio_axis(axes: Axes) -> None:
    """Make the vertical axis a logarithmic one for ratios, with a line at 1."""
    axes.axhline(1.0, color="0.4", linewidth=0.8)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(
        LogLocator(subs=(1.0, 1.2, 1.5, 2.0, 3.0, 5.0) if high < 10 * low else (1.0, 2.0, 5.0))
    )
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())

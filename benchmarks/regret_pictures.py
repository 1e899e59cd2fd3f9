"""The pictures of :mod:`benchmarks.regret`: regret over time, and against size."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from benchmarks.contract import RegretSizes
from benchmarks.pictures.curves import plot_curves as draw_curves
from benchmarks.pictures.medians import plot_medians
from benchmarks.pictures.style import figure_of, legend_below, panels
from benchmarks.study.regret import along, at_base

__all__ = ["plot_curves", "plot_growth"]

_BOUND = "bound (14)"
_AXES = {"slots": "horizon T", "ports": "ports |L|"}


def plot_curves(curves: pd.DataFrame) -> Figure:
    """Regret after t slots against t, mean and range: a panel for each kind of arrivals.

    Parameters
    ----------
    curves : DataFrame
        ``arrivals``, ``policy``, ``slot``, ``regret``, and the size of the instance (``ports``,
        ``slots``, ``servers``, ``density``); a row per point and instance.
    """
    kinds = list(dict.fromkeys(curves["arrivals"]))
    axes = panels(None, len(kinds), max(6.4, 3.4 * len(kinds)), 4.0)
    names = list(dict.fromkeys(curves["policy"]))
    for place, (panel, kind) in enumerate(zip(axes, kinds, strict=True)):
        draw_curves(
            curves[curves["arrivals"] == kind],
            panel,
            x="slot",
            y="regret",
            series="policy",
            xlabel="slot t",
            ylabel="" if place else "regret after t slots",
            title=str(kind),
            level=0.0,
            among=names,
            legend=False,
        )
    legend_below(axes[0], columns=2 * len(kinds) if len(kinds) < 4 else 8)
    figure_of(axes[0]).suptitle(
        f"{_size(curves)}; against the best decision over all slots; mean and range of instances",
        x=0.01,
        ha="left",
        fontsize="small",
    )
    return figure_of(axes[0])


def _size(rows: pd.DataFrame) -> str:
    """The size of all instances, if it is one."""
    sizes = rows[["ports", "slots", "servers", "density"]].drop_duplicates()
    if len(sizes) > 1:
        return "several sizes"
    (size,) = sizes.itertuples(index=False)
    return (
        f"{size.ports} ports, {size.slots} slots, {size.servers} servers, "
        f"density {size.density:.3g}"
    )


def plot_growth(rows: pd.DataFrame, sizes: RegretSizes) -> Figure:
    """Regret of the policies that commit, and (14), against horizon and number of ports."""
    committing = rows[rows["commits"]] if rows["commits"].any() else rows
    middle = 0.5 * (committing["regret_lower"] + committing["regret_upper"])
    shown = committing.assign(regret=middle.where(middle > 0))
    first = shown["policy"].iloc[0]
    bounds = shown[shown["policy"] == first].assign(
        policy=_BOUND, regret=lambda frame: frame["bound"]
    )
    shown = pd.concat([shown, bounds])
    varied = [axis for axis, values in sizes.axes.items() if len(values) > 1] or ["slots"]
    kinds = sizes.arrivals
    figure = Figure(
        figsize=(max(6.4, 3.2 * len(kinds)), 0.8 + 3.2 * len(varied)), layout="constrained"
    )
    table = figure.subplots(len(varied), len(kinds), squeeze=False)
    for axis, row in zip(varied, table, strict=True):
        for place, (panel, kind) in enumerate(zip(row, kinds, strict=True)):
            of_kind = along(shown[shown["arrivals"] == kind], sizes, axis)
            plot_medians(
                of_kind.sort_values(axis, kind="stable"),
                panel,
                x=axis,
                y="regret",
                series="policy",
                xlabel=_AXES[axis],
                ylabel="" if place else "regret over all slots",
                title=str(kind),
                legend=False,
            )
    legend_below(table[0, 0], columns=3 if len(kinds) < 3 else 6)
    many = f"lines: median of {len(sizes.seeds)} seeds, hollow marks: a seed each"
    figure.suptitle(
        f"{_size(rows[at_base(rows, sizes)])} and sizes around that; "
        f"{'1 seed' if len(sizes.seeds) == 1 else many}; regret not above 0 is left out",
        x=0.01,
        ha="left",
        fontsize="small",
    )
    return figure

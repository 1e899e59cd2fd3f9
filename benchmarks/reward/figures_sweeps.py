"""Figures 3, 6 and 7 and Table 2: rewards of six policies under many settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.figure import Cell, Figure
from benchmarks.pictures.intervals import plot_intervals
from benchmarks.pictures.style import figure_of, legend_below, panels
from benchmarks.reward.figures_common import (
    RULES,
    along,
    base_cell,
    means_of,
    plot_along,
    ratio_axis,
    ratios_to_baselines,
    run_sweep,
    setting_of,
    sweep_cells,
)

__all__ = ["FIGURE_3", "FIGURE_6", "FIGURE_7", "TABLE_2"]

_DATA = "reward-sweep"
_BASE: dict[str, Cell] = {
    "quick": {"ports": 4, "servers": 16, "slots": 60},
    "default": {},
    "paper": {},
}
_SEEDS = {"quick": 2, "default": 3, "paper": 5}

# The values on the axes of Figures 3, 6 and 7 are ours, those of Table 2 the paper's.
_CONTENTION = {
    "quick": (0.1, 1.0, 10.0),
    "default": (0.1, 0.5, 1.0, 5.0, 10.0, 20.0),
    "paper": (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0),
}
_VARIED_3: dict[str, dict[str, tuple[float, ...]]] = {
    "quick": {"servers": (8, 16, 32), "ports": (3, 4, 8)},
    "default": {"servers": (32, 64, 128, 256), "ports": (5, 10, 20, 40)},
    "paper": {"servers": (32, 64, 128, 256, 512, 1024), "ports": (5, 10, 20, 40, 80)},
}
_PROBABILITY = (0.3, 0.5, 0.7, 0.9)
_DENSITY = (2.0, 2.5, 3.0)
_SLOTS = {
    "quick": (30, 60, 120),
    "default": (1000, 2000, 5000),
    "paper": (1000, 2000, 5000, 10000),
}
_KINDS = ("linear", "poly", "log", "reciprocal")

_LABELS = {
    "servers": "servers |R|",
    "ports": "ports |L|, at the same density",
    "contention": "contention (multiplies requests)",
    "slots": "horizon T",
    "probability": "arrival probability ρ",
    "density": "graph density",
}


def _cells_of(
    varied: Callable[[str], dict[str, Sequence[float]]],
) -> Callable[[str, Sequence[int] | None], list[Cell]]:
    """Cells in which one setting at a time differs from the base, which comes first."""

    def cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
        base = base_cell(**_BASE[size])
        others = [
            {**base, name: value} for name, values in varied(size).items() for value in values
        ]
        return sweep_cells([base, *others], _SEEDS[size], seeds)

    return cells


def _plot_3(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    names = ("servers", "ports", "contention")
    drawn = panels(axes, 3, 12.0, 9.5, rows=3)
    for place, name in enumerate(names):
        part = along(frame, name)
        title = f"({'abc'[place]}) {setting_of(frame, name)}"
        plot_along(
            part,
            drawn[place],
            x=name,
            y="reward",
            xlabel=_LABELS[name],
            ylabel="" if place else "accumulated reward",
            title=title,
        )
        for row, rule in enumerate(RULES, 1):
            panel = drawn[3 * row + place]
            plot_along(
                ratios_to_baselines(part, rule, x=name, y="reward"),
                panel,
                x=name,
                y="ratio",
                xlabel=_LABELS[name],
                ylabel="" if place else f"{rule} / baseline",
            )
            ratio_axis(panel)
    legend_below(drawn[0], columns=5)
    return figure_of(drawn[0])


FIGURE_3 = Figure(
    name="reward-3",
    title="accumulated reward against servers, ports and contention",
    source="OGASched, Fig. 3",
    cells=_cells_of(lambda size: {**_VARIED_3[size], "contention": _CONTENTION[size]}),
    run=run_sweep,
    plot=_plot_3,
    data=_DATA,
)


def _plot_6(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    drawn = panels(axes, 2, 10.0, 4.2)
    titles = (setting_of(frame, "contention"), means_of(frame))
    words = ("computation gain", "communication penalty")
    for panel, column, word, title in zip(drawn, ("gain", "penalty"), words, titles, strict=True):
        plot_along(
            frame,
            panel,
            x="contention",
            y=column,
            xlabel=_LABELS["contention"],
            ylabel=f"average {word} of a slot",
            title=title,
        )
    legend_below(drawn[0], columns=5)
    return figure_of(drawn[0])


FIGURE_6 = Figure(
    name="reward-6",
    title="computation gain and communication penalty against contention",
    source="OGASched, Fig. 6",
    cells=_cells_of(lambda size: {"contention": _CONTENTION[size]}),
    run=run_sweep,
    plot=_plot_6,
    data=_DATA,
)


def _cells_7(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    base = base_cell(**_BASE[size])
    settings = [{**base, "utilities": kind} for kind in _KINDS]
    return sweep_cells(settings, _SEEDS[size], seeds)


def _plot_7(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    drawn = panels(axes, len(_KINDS), 12.0, 4.2)
    titles = (f"{setting_of(frame)}; a scale for each kind", "", "", "")
    for panel, kind, title in zip(drawn, _KINDS, titles, strict=True):
        plot_intervals(
            frame[frame["utilities"] == kind],
            panel,
            x="utilities",
            lower="reward",
            upper="reward",
            hue="policy",
            xlabel="utilities",
            ylabel="accumulated reward" if panel is drawn[0] else "",
            title=title,
            ticks={kind: f"all {kind}"},
            level=0.0,
            legend=False,
        )
    legend_below(drawn[0], columns=5)
    return figure_of(drawn[0])


FIGURE_7 = Figure(
    name="reward-7",
    title="accumulated reward with the four kinds of utilities",
    source="OGASched, Fig. 7",
    cells=_cells_7,
    run=run_sweep,
    plot=_plot_7,
    data=_DATA,
)


def _plot_table(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    names = ("slots", "probability", "density")
    drawn = panels(axes, 3, 13.0, 4.2)
    titles = (
        setting_of(frame, "slots"),
        setting_of(frame, "ports", "servers", "contention"),
        f"{setting_of(frame, 'ports', 'servers', 'contention', 'density')}; {means_of(frame)}",
    )
    for panel, name, title in zip(drawn, names, titles, strict=True):
        plot_along(
            along(frame, name),
            panel,
            x=name,
            y="average",
            xlabel=_LABELS[name],
            ylabel="average reward of a slot" if panel is drawn[0] else "",
            title=title,
        )
    legend_below(drawn[0], columns=5)
    return figure_of(drawn[0])


TABLE_2 = Figure(
    name="reward-table-2",
    title="average reward against horizon, arrival probability and graph density",
    source="OGASched, Tab. 2",
    cells=_cells_of(
        lambda size: {"slots": _SLOTS[size], "probability": _PROBABILITY, "density": _DENSITY}
    ),
    run=run_sweep,
    plot=_plot_table,
    data=_DATA,
)

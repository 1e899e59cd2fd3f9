"""Regret of OGASched against horizon, ports and servers, beside the bound (14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.figure import Cell, Figure
from benchmarks.pictures.medians import plot_medians
from benchmarks.pictures.style import figure_of, legend_below, panels
from benchmarks.reward.figures_common import along, base_cell, draw, setting_of
from benchmarks.reward.regret import measure
from online.registry import find_policy

__all__ = ["AXES", "FIGURE_REGRET", "regret_along"]

_POLICIES = ("ogasched", "ogasched-constant", "ogasched-literal")
_TELLING = 1.0  # contention at which (14) lies below the best fixed reward, from T = 2000 on
_KEPT = (
    "fixed_lower",
    "fixed_upper",
    "regret_lower",
    "regret_upper",
    "bound",
    "inequality_left",
    "inequality_right",
)

AXES = {"slots": "horizon T", "ports": "ports |L|", "servers": "servers |R|"}
"""Sizes that regret is measured along, and their labels."""


@dataclass(frozen=True)
class _Size:
    slots: tuple[int, ...]
    ports: tuple[int, ...]
    servers: tuple[int, ...]
    arrivals: tuple[str, ...]
    seeds: int
    base: tuple[int, int, int]  # ports, servers, slots


_SIZES = {
    "quick": _Size((50, 100, 200), (2, 4, 8), (8, 16, 32), ("bernoulli", "coin"), 2, (4, 16, 200)),
    "default": _Size(
        (250, 500, 1000, 2000),
        (5, 10, 20, 40),
        (16, 32, 64, 128),
        ("bernoulli", "alternating", "coin"),
        3,
        (10, 64, 2000),
    ),
    "paper": _Size(
        (500, 1000, 2000, 4000, 8000),
        (5, 10, 20, 40, 80),
        (32, 64, 128, 256),
        ("bernoulli", "alternating", "coin"),
        5,
        (10, 128, 2000),
    ),
}


def _cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    """The base first; ports are added with all their servers, so that density grows with them."""
    setting = _SIZES[size]
    ports, servers, slots = setting.base
    base = base_cell(ports=ports, servers=servers, slots=slots)
    points: list[Cell] = [base, {**base, "contention": _TELLING}]
    points += [{**base, "slots": value} for value in setting.slots if value != slots]
    points += [
        {**base, "ports": value, "density": base["density"] * value / ports}
        for value in setting.ports
        if value != ports
    ]
    points += [{**base, "servers": value} for value in setting.servers if value != servers]
    return [
        {**point, "arrivals": arrivals, "seed": seed}
        for point in points
        for arrivals in setting.arrivals
        for seed in (range(setting.seeds) if seeds is None else seeds)
    ]


def _run(**cell: Any) -> list[dict[str, Any]]:
    policies = [find_policy("reward", name) for name in _POLICIES]
    rows = measure(draw(**cell), policies, None)
    return [
        {**cell, "policy": row["policy"], "reward": row["objective"]}
        | {name: row[name] for name in _KEPT}
        for row in rows
    ]


def regret_along(frame: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Rows of one axis; along the ports, their number of servers is the same."""
    return along(frame, axis, "density") if axis == "ports" else along(frame, axis)


def _plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    kinds = list(dict.fromkeys(frame["arrivals"]))
    drawn = panels(axes, len(AXES), 11.0, 0.8 + 3.0 * len(kinds), rows=len(kinds))
    middle = 0.5 * (frame["regret_lower"] + frame["regret_upper"])
    # A logarithmic axis has no place for what is not above 0.
    shown = frame.assign(regret=middle.where(middle > 0))
    bound = shown[shown["policy"] == _POLICIES[0]]
    shown = pd.concat([shown, bound.assign(policy="bound (14)", regret=bound["bound"])])
    for row, kind in enumerate(kinds):
        for place, (axis, label) in enumerate(AXES.items()):
            title = f"{kind}: {setting_of(frame)}" if place == 0 else ""
            plot_medians(
                regret_along(shown[shown["arrivals"] == kind], axis),
                drawn[row * len(AXES) + place],
                x=axis,
                y="regret",
                series="policy",
                xlabel=f"{label}, density grows with it" if axis == "ports" else label,
                ylabel="" if place else "regret over all slots",
                title=title,
                legend=False,
            )
    legend_below(drawn[0], columns=4)
    return figure_of(drawn[0])


FIGURE_REGRET = Figure(
    name="reward-regret",
    title="regret of OGASched with three step rules, and the bound (14), against size",
    source="OGASched, Th. 1",
    cells=_cells,
    run=_run,
    plot=_plot,
)

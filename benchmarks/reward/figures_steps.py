"""Figure 4: OGASched under different initial learning rates and decays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.figure import Cell, Figure
from benchmarks.pictures.lines import plot_lines
from benchmarks.pictures.style import figure_of, legend_below, panels
from benchmarks.reward.figures_common import base_cell, draw, means_of, setting_of, sweep_record
from online.policy import Policy
from online.registry import find_policy
from online.reward.oga import OGASched

__all__ = ["FIGURE_4", "REFERENCES", "TABLE_1"]

TABLE_1 = (25.0, 0.9999)
"""``eta_0`` and decay of the paper's experiments."""

REFERENCES = ("ogasched-constant", "ogasched-literal", "fairness")
"""Beside the sweep: the step of Theorem 1, (26) as printed, and the best baseline."""

_SWEPT = "ogasched"
_INITIAL = (0.1, 1.0, 5.0, 10.0, 25.0, 50.0, 100.0)
_FACTOR = (0.9, 0.99, 0.995, 0.999, 0.9999, 1.0, 1.0001, 1.001)
_SIZES: dict[str, tuple[Cell, int]] = {
    "quick": ({"ports": 4, "servers": 16, "slots": 60}, 2),
    "default": ({}, 3),
    "paper": ({}, 10),
}


def _cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    changes, count = _SIZES[size]
    initial, factor = TABLE_1
    steps = [(value, factor) for value in _INITIAL] + [(initial, value) for value in _FACTOR]
    points: list[Cell] = [
        {"policy": _SWEPT, "initial": eta, "factor": decay}
        for eta, decay in dict.fromkeys([TABLE_1, *steps])
    ]
    points += [{"policy": name, "initial": None, "factor": None} for name in REFERENCES]
    return [
        {**base_cell(**changes), "seed": seed, **point}
        for seed in (range(count) if seeds is None else seeds)
        for point in points
    ]


def _run(
    *, policy: str, initial: float | None, factor: float | None, **settings: Any
) -> list[dict[str, Any]]:
    tried: type[Policy] | Policy = find_policy("reward", policy)
    if initial is not None and factor is not None:
        tried = OGASched(initial, factor)
    cell = {**settings, "policy": policy, "initial": initial, "factor": factor}
    return [{**cell, **sweep_record(draw(**settings), tried)}]


def _plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    drawn = panels(axes, 2, 11.0, 4.4)
    initial, factor = TABLE_1
    panel_of = (
        ("initial", "factor", factor, "initial learning rate η0", f"(a) decay {factor:g}"),
        ("factor", "initial", initial, "decay", f"(b) η0 = {initial:g}"),
    )
    ends = []
    for panel, (x, other, fixed, label, title) in zip(drawn, panel_of, strict=True):
        swept = frame[frame[other] == fixed]
        rest = [
            frame[frame["policy"] == name].assign(**{x: value})
            for name in REFERENCES
            for value in sorted(swept[x].unique())
        ]
        plot_lines(
            pd.concat([swept, *rest]),
            panel,
            x=x,
            y="reward",
            series="policy",
            xlabel=label,
            ylabel="accumulated reward" if panel is drawn[0] else "",
            title=f"{title}\n{setting_of(frame) if panel is drawn[0] else means_of(frame)}",
            spacing="even",
            legend=False,
        )
        ends.append(panel.get_ylim())
    for panel in drawn:  # one scale, so that the panels can be compared
        panel.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    legend_below(drawn[0], columns=4)
    return figure_of(drawn[0])


FIGURE_4 = Figure(
    name="reward-4",
    title="accumulated reward of OGASched against initial learning rate and decay",
    source="OGASched, Fig. 4",
    cells=_cells,
    run=_run,
    plot=_plot,
)

"""Sweeps over the thresholds of RRH and Dorm, whose values the paper does not give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.figure import Cell, Figure
from benchmarks.pictures.lines import plot_lines
from benchmarks.pictures.style import figure_of, panels
from benchmarks.utility.figures_common import (
    Setting,
    draw,
    instance_cells,
    means_of,
    setting_of,
    utility_record,
)
from online.policy import Policy
from online.utility.dorm import Dorm
from online.utility.oasis import OASiS
from online.utility.rrh import RRH

__all__ = ["FIGURE_THRESHOLDS"]

_SETTINGS = {
    "quick": Setting(slots=10, servers=3, jobs=(8,), seeds=2),
    "default": Setting(slots=100, servers=20, jobs=(40,), seeds=3),
    "paper": Setting(slots=300, servers=50, jobs=(300,), seeds=5),
}
_SHARES = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)
_VALUES = {
    "rrh threshold": (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0),
    "dorm theta1": _SHARES,
    "dorm theta2": _SHARES,
}
_BUILD: dict[str, Callable[[float], Policy]] = {
    "rrh threshold": lambda value: RRH(threshold=value),
    "dorm theta1": lambda value: Dorm(theta1=value),
    "dorm theta2": lambda value: Dorm(theta2=value),
}
_LABELS = {
    "rrh threshold": "least gain at which RRH admits (utility)",
    "dorm theta1": "Dorm: fairness threshold θ1",
    "dorm theta2": "Dorm: adjustment threshold θ2",
}


def _cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    step = 3 if size == "quick" else 1
    points = [
        {"parameter": name, "value": value}
        for name, values in _VALUES.items()
        for value in values[::step]
    ]
    return instance_cells(_SETTINGS[size], seeds, points)


def _run(*, parameter: str, value: float, **settings: Any) -> list[dict[str, Any]]:
    instance = draw(**settings)
    cell = {**settings, "parameter": parameter, "value": value}
    (oasis,) = utility_record(instance, OASiS.for_instance(instance), {})
    (record,) = utility_record(instance, _BUILD[parameter](value), cell)
    return [{**record, "oasis_utility": oasis["utility"]}]


def _plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    drawn = panels(axes, len(_VALUES), 11.0, 3.8)
    titles = (f"{frame['jobs'].iat[0]} jobs, {setting_of(frame)}", means_of(frame), "")
    for panel, parameter, title in zip(drawn, _VALUES, titles, strict=True):
        part = frame[frame["parameter"] == parameter]
        policy = parameter.split()[0]
        both = pd.concat(
            [
                part.assign(policy="oasis", utility=part["oasis_utility"]),
                part.assign(policy=policy),
            ]
        )
        plot_lines(
            both,
            panel,
            x="value",
            y="utility",
            series="policy",
            xlabel=_LABELS[parameter],
            ylabel="total job utility" if panel is drawn[0] else "",
            title=title,
            spacing="even",
        )
    ends = [panel.get_ylim() for panel in drawn]
    for panel in drawn:  # one scale, so that the panels can be compared
        panel.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    return figure_of(drawn[0])


FIGURE_THRESHOLDS = Figure(
    name="utility-thresholds",
    title="total job utility against the thresholds of RRH and Dorm",
    source="not in OASiS",
    cells=_cells,
    run=_run,
    plot=_plot,
)

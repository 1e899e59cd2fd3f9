"""Utility of OASiS when U and L are estimates: Figure 6, and estimates from past jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.figure import Cell, Figure
from benchmarks.pictures.lines import plot_lines
from benchmarks.utility.figures_common import (
    Setting,
    draw,
    instance_cells,
    means_of,
    setting_of,
    utility_record,
)
from online.utility.oasis import OASiS
from online.utility.price_bounds import PriceBounds

__all__ = ["FIGURE_6", "FIGURE_HISTORY"]

# Symmetric on a logarithmic axis: for every overestimate the underestimate by as much.
_SCALES = (0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 100.0)
_SETTINGS = {
    "quick": Setting(slots=20, servers=4, jobs=(20,), seeds=3),
    "default": Setting(slots=300, servers=50, jobs=(100, 300, 500), seeds=5),
    "paper": Setting(slots=300, servers=50, jobs=(100, 300, 500), seeds=20),
}

_PASTS = (1, 3, 10, 30, 100)
_HISTORY_SETTINGS = {
    "quick": Setting(slots=20, servers=4, jobs=(20,), seeds=3),
    "default": Setting(slots=100, servers=20, jobs=(80,), seeds=5),
    "paper": Setting(slots=300, servers=50, jobs=(300,), seeds=20),
}
_PAST_SEED = 1_000_000  # far from every seed of the figures, so that the past is another draw


def _cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    return instance_cells(_SETTINGS[size], seeds, [{"scales": list(_SCALES)}])


def _run(*, scales: Sequence[float], **settings: Any) -> list[dict[str, Any]]:
    instance = draw(**settings)
    exact = PriceBounds.from_instance(instance)
    records: list[dict[str, Any]] = []
    for scale in scales:
        cell = {**settings, "scale": scale}
        records += utility_record(instance, OASiS(exact.scaled(scale)), cell)
    return records


def _plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    return plot_lines(
        frame.assign(series=frame["jobs"].map("{} jobs".format)),
        axes,
        x="scale",
        y="utility",
        series="series",
        xlabel="estimate of U/L, as a multiple of the actual value",
        ylabel="total job utility of OASiS",
        title=f"{setting_of(frame)}; {means_of(frame)}",
        spacing="log",
    )


FIGURE_6 = Figure(
    name="utility-6",
    title="total job utility of OASiS under wrong estimates of U/L",
    source="OASiS, Fig. 6",
    cells=_cells,
    run=_run,
    plot=_plot,
)


def _history_cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    return instance_cells(_HISTORY_SETTINGS[size], seeds, [{"pasts": list(_PASTS)}])


def _run_history(*, pasts: Sequence[int], seed: int, **settings: Any) -> list[dict[str, Any]]:
    """Estimate from the first jobs of another instance of the same size, for this cluster."""
    instance = draw(seed=seed, **settings)
    past = draw(seed=_PAST_SEED + seed, **{**settings, "jobs": max(pasts)}).jobs
    cell = {**settings, "seed": seed}
    (exact,) = utility_record(instance, OASiS.for_instance(instance), {})
    records: list[dict[str, Any]] = []
    for count in pasts:
        bounds = PriceBounds.from_history(instance.cluster, past[:count])
        (record,) = utility_record(instance, OASiS(bounds), {**cell, "past": count})
        alpha = {"log_u_over_l": bounds.alpha, "exact_utility": exact["utility"]}
        records.append({**record, **alpha})
    return records


def _plot_history(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    both = pd.concat(
        [
            frame.assign(series="U and L from past jobs"),
            frame.assign(series="exact U and L (of the future)", utility=frame["exact_utility"]),
        ]
    )
    return plot_lines(
        both,
        axes,
        x="past",
        y="utility",
        series="series",
        xlabel="number of past jobs that U and L are estimated from",
        ylabel="total job utility of OASiS",
        title=f"{frame['jobs'].iat[0]} jobs, {setting_of(frame)}; {means_of(frame)}",
        spacing="log",
    )


FIGURE_HISTORY = Figure(
    name="utility-history",
    title="total job utility of OASiS with U and L estimated from past jobs",
    source="not in OASiS",
    cells=_history_cells,
    run=_run_history,
    plot=_plot_history,
)

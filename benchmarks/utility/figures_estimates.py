"""Figure 6: utility of OASiS when U/L is estimated wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.figure import Cell, Figure
from benchmarks.pictures.lines import plot_lines
from benchmarks.utility.figures_common import Setting, draw, seeds_of, utility_record
from online.utility.oasis import OASiS
from online.utility.price_bounds import PriceBounds

__all__ = ["FIGURE_6"]

# Symmetric on a logarithmic axis: for every overestimate the underestimate by as much.
_SCALES = (0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 100.0)
_SETTINGS = {
    "quick": Setting(slots=20, servers=4, jobs=(20,), seeds=3),
    "default": Setting(slots=300, servers=50, jobs=(100, 300, 500), seeds=5),
    "paper": Setting(slots=300, servers=50, jobs=(100, 300, 500), seeds=20),
}


def _cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    setting = _SETTINGS[size]
    return [
        {
            "jobs": jobs,
            "slots": setting.slots,
            "servers": setting.servers,
            "seed": seed,
            "scales": list(_SCALES),
        }
        for jobs in setting.jobs
        for seed in seeds_of(setting.seeds, seeds)
    ]


def _run(*, scales: Sequence[float], **settings: Any) -> list[dict[str, Any]]:
    instance = draw(**settings)
    exact = PriceBounds.from_instance(instance)
    records: list[dict[str, Any]] = []
    for scale in scales:
        cell = {**settings, "scale": scale}
        records += utility_record(instance, OASiS(exact.scaled(scale)), cell)
    return records


def _plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    slots, servers = frame["slots"].iat[0], frame["servers"].iat[0]
    return plot_lines(
        frame.assign(series=frame["jobs"].map("{} jobs".format)),
        axes,
        x="scale",
        y="utility",
        series="series",
        xlabel="estimate of U/L, as a multiple of the actual value",
        ylabel="total job utility of OASiS",
        title=f"T = {slots}, {servers}+{servers} servers, mean of {frame['seed'].nunique()} seeds",
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

"""Decisions: what each job would earn and what it would have cost at the prices it met."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.style import finish, looks, ready


def plot_decisions(frame: pd.DataFrame, axes: Axes | None = None, *, title: str = "") -> Figure:
    """Draw the utility of each job's best schedule against its cost, with the job's name.

    Above the diagonal the payoff is positive and the job is admitted; below it is rejected.
    A job of which no schedule fits has neither cost nor utility and is counted in the title.

    The frame has one row per job: ``job``, ``value`` and ``cost`` (both in units of utility, NaN if
    nothing fits), ``admitted``.
    """
    axes = ready(axes, 5.6, 4.4)
    fits = frame.dropna(subset=["value", "cost"])
    if missing := len(frame) - len(fits):
        title = f"{title}; {missing} with no schedule that fits".lstrip("; ")
    for name, look in looks(["admitted", "rejected"]).items():
        rows = fits[fits["admitted"] == (name == "admitted")]
        marks = {**look, "linestyle": "none", "label": f"{name} ({len(rows)})"}
        axes.plot(rows["cost"], rows["value"], **marks)
    # Costs and utilities spread over many powers of ten, and may be 0.
    positive = fits[["cost", "value"]].where(lambda numbers: numbers > 0).astype(float)
    small = float(np.nanmax([1e-4, positive.min(axis=None)]))
    axes.set_xscale("symlog", linthresh=small)
    axes.set_yscale("symlog", linthresh=small)
    axes.axline((0.0, 0.0), (small, small), color="0.4", linewidth=1.0, label="payoff 0")
    beside: dict[str, Any] = {"xytext": (4, 3), "textcoords": "offset points"}
    beside["fontsize"] = "x-small"
    for row in fits.itertuples():
        axes.annotate(str(row.job), (row.cost, row.value), **beside)
    xlabel = "cost of the best schedule at current prices (utility)"
    ylabel = "utility of the best schedule"
    return finish(axes, xlabel=xlabel, ylabel=ylabel, title=title, grid="both")

"""Decisions: what each job would earn and what it would have cost at the prices it met."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.style import describe, figure_of, legend_above, looks, ready

__all__ = ["plot_decisions"]


def plot_decisions(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    title: str = "",
    names: bool = True,
) -> Figure:
    """Draw the utility of each job's best schedule against its cost.

    Above the diagonal the payoff is positive and the job is admitted; below it is rejected.
    A job of which no schedule fits has neither cost nor utility and is counted in the title.

    Parameters
    ----------
    frame : DataFrame
        One row per job: ``job``, ``value`` and ``cost`` (both in units of utility, NaN if
        nothing fits), ``admitted``.
    names : bool
        Write the names of the jobs beside the marks.
    """
    axes = ready(axes, 5.6, 4.4)
    fits = frame.dropna(subset=["value", "cost"])
    missing = len(frame) - len(fits)
    if missing:
        title = f"{title}; {missing} with no schedule that fits".lstrip("; ")
    for (kind, label), look in looks([(True, "admitted"), (False, "rejected")]).items():
        rows = fits[fits["admitted"] == kind]
        axes.plot(
            rows["cost"],
            rows["value"],
            linestyle="none",
            marker=look.marker,
            color=look.colour,
            label=f"{label} ({len(rows)})",
        )
    # Costs and utilities spread over many powers of ten, and may be 0.
    numbers = fits[["cost", "value"]].to_numpy(dtype=float).ravel()
    positive = numbers[numbers > 0]
    small = max(1e-4, float(positive.min())) if positive.size else 1e-3
    large = 2.0 * float(positive.max()) if positive.size else 1.0
    line = np.concatenate([[0.0], np.geomspace(small, max(large, 2 * small), 60)])
    axes.plot(line, line, color="0.4", linewidth=1.0, label="payoff 0")
    axes.set_xscale("symlog", linthresh=small)
    axes.set_yscale("symlog", linthresh=small)
    if names:
        for row in fits.itertuples():
            axes.annotate(
                str(row.job),
                (row.cost, row.value),
                xytext=(4, 3),
                textcoords="offset points",
                fontsize="x-small",
            )
    describe(
        axes,
        x="cost of the best schedule at current prices (utility)",
        y="utility of the best schedule",
        title=title,
        grid="both",
    )
    legend_above(axes, columns=3)
    return figure_of(axes)

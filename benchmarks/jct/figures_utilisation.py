"""Figure 11: submissions and the utilisation of the edge over time, five schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import PercentFormatter

from benchmarks.figure import Cell, Figure
from benchmarks.jct.figures_common import (
    OWN,
    READINGS,
    SCHEMES,
    cells_of,
    run_scheme,
)
from benchmarks.jct.views import metrics, usage
from benchmarks.pictures.curves import plot_curves
from benchmarks.pictures.style import describe, figure_of, looks, panels

__all__ = ["FIGURE_11"]

_POINTS = 40  # spans in which jobs arrive; as long ones follow
_SHOWN = 4  # times the slots in which jobs arrive; what runs on has a low utilisation

# "peaks": two of them, as the text says. The slots of the arrivals are ours, as in Figure 7.
_SIZES: dict[str, tuple[Cell, int]] = {
    "quick": ({"jobs": 6, "servers": 4, "slots": 20, "arrivals": "peaks"}, 2),
    "default": ({"jobs": 150, "servers": 50, "slots": 1000, "arrivals": "peaks"}, 5),
    "paper": ({"jobs": 300, "servers": 100, "slots": 1000, "arrivals": "peaks"}, 10),
}


def _cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    point, count = _SIZES[size]
    return cells_of([point], count, seeds)


def _run(**cell: Any) -> list[dict[str, Any]]:
    """One record per span: the mean share of workers that train, and the jobs that arrive.

    There are spans until nothing runs, in the cloud neither, or 4 times the slots in which jobs
    arrive are over. ``peak`` (of one slot of the run), ``busy`` (mean over the slots in which
    jobs arrive) and ``makespan`` are those of the whole run.
    """
    instance, run = run_scheme(**cell)
    told = metrics(instance, run)
    share = usage(instance, run.trace.schedule)["share"].to_numpy()
    arrivals = np.bincount([job.arrival for job in instance.jobs], minlength=cell["slots"])
    span = max(1, cell["slots"] // _POINTS)
    return [
        {
            **cell,
            "slot": start,
            "utilisation": float(share[start : start + span].mean()),
            "submissions": int(arrivals[start : start + span].sum()),
            "peak": told["peak_utilisation"],
            "busy": float(share[: len(arrivals)].sum() / len(arrivals)),
            "makespan": told["makespan"],
        }
        for start in range(0, min(len(share), _SHOWN * cell["slots"]), span)
    ]


def _plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    drawn = panels(axes, 2, 11.0, 7.5, rows=3)
    first = frame[(frame["policy"] == "a-online") & (frame["slot"] < frame["slots"])]
    means = first.groupby("slot")["submissions"].mean()
    span = means.index[1] - means.index[0] if len(means) > 1 else 1
    colour = looks(["jobs"])["jobs"].colour
    drawn[0].bar(means.index, means, width=span, align="edge", color=colour)
    title = (
        f"{frame['jobs'].iat[0]} jobs, {frame['servers'].iat[0]} servers and the cloud; mean and "
        f"range of {frame['seed'].nunique()} seeds"
    )
    every = "a slot" if span == 1 else f"{span} slots"
    describe(drawn[0], x="slot of one hour", y=f"jobs submitted in {every}", title=title)
    own = frame[frame["policy"].isin(OWN)]
    parts = {"the paper's own schemes": own}
    for reading, words in READINGS.items():
        parts[words] = frame[~frame["policy"].isin(OWN) & (frame["reading"] == reading)]
    for panel, (words, part) in zip(drawn[1:], parts.items(), strict=True):
        plot_curves(
            part,
            panel,
            x="slot",
            y="utilisation",
            series="policy",
            xlabel="slot of one hour",
            ylabel="edge workers that train",
            title=words,
            among=SCHEMES,
            legend=False,
        )
        panel.set_ylim(-0.02, 1.02)
        panel.yaxis.set_major_formatter(PercentFormatter(1.0))
    for panel in drawn:
        panel.set_xlim(0, _SHOWN * frame["slots"].iat[0])
    handles = {
        label: handle
        for panel in drawn[1:3]
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    figure_of(drawn[0]).legend(
        list(handles.values()), list(handles), loc="outside lower left", ncols=5, frameon=False
    )
    return figure_of(drawn[0])


FIGURE_11 = Figure(
    name="jct-11",
    title="submissions and utilisation of the edge over time, five schemes",
    source="edge-cloud, Fig. 11",
    cells=_cells,
    run=_run,
    plot=_plot,
)

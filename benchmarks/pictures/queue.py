"""The queues of one server: what each job's chunks do on each worker, and who is displaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from benchmarks.pictures.style import describe, figure_of, legend_above, looks, ready

__all__ = ["plot_queue"]

_HEIGHT = 0.72
_THIN = 0.14
_BAND = "0.95"
_GREY = "0.45"
_MARKS: dict[str, dict[str, Any]] = {
    "data are uploaded": {"marker": "s", "linestyle": "", "markerfacecolor": "white"},
    "waits": {"linewidth": 2.0},
    "trains": {"marker": "s", "linestyle": "", "markersize": 9},
    "displaced": {"marker": "X", "linestyle": "", "markerfacecolor": "black"},
}


def plot_queue(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    jobs: Sequence[str] | None = None,
    title: str = "",
) -> Figure:
    """Draw one row for every job on every worker: uploaded, waiting, trained, displaced.

    A job with several chunks on one worker says how many behind its name.

    Parameters
    ----------
    frame : DataFrame
        One row per stretch: ``worker``, ``job`` (name), ``chunks`` (of the job on the worker),
        ``state`` ("uploads", "waits" or "trains"), ``start``, ``stop`` (slot after the last),
        ``preempted`` (ends before a chunk is done). Rows of the picture stand in the order in
        which they first come.
    jobs : sequence of str, optional
        Names of all jobs: pictures of the same jobs then give each the same colour.
    """
    lanes = list(dict.fromkeys(zip(frame["worker"], frame["job"], frame["chunks"], strict=True)))
    place = {(worker, job): row for row, (worker, job, _) in enumerate(lanes)}
    axes = ready(axes, 7.6, max(2.4, 1.5 + 0.24 * len(lanes)))
    styles = looks(jobs or list(dict.fromkeys(frame["job"])))
    workers = list(dict.fromkeys(frame["worker"]))
    for rank, worker in enumerate(workers):
        rows = [row for (other, _), row in place.items() if other == worker]
        if rank % 2 == 0:
            axes.axhspan(rows[0] - 0.5, rows[-1] + 0.5, color=_BAND, linewidth=0, zorder=0)
        axes.annotate(
            f"worker {worker}",
            (1.01, (rows[0] + rows[-1]) / 2),
            xycoords=axes.get_yaxis_transform(),
            va="center",
            fontsize="small",
            annotation_clip=False,
        )
    for row in frame.itertuples():
        lane, colour = place[row.worker, row.job], styles[row.job].colour
        # Slot t stands around t, as in the other pictures.
        span = [(row.start - 0.5, row.stop - row.start)]
        if row.state == "trains":
            axes.broken_barh(span, (lane - _HEIGHT / 2, _HEIGHT), facecolor=colour, zorder=2)
        else:
            what = colour if row.state == "waits" else _GREY
            dotted = row.state == "uploads"
            axes.broken_barh(
                span,
                (lane - _THIN / 2, _THIN),
                facecolor="white" if dotted else what,
                edgecolor=what,
                linewidth=0.7,
                zorder=2,
            )
    ends = frame[frame["preempted"].astype(bool)]
    axes.scatter(
        ends["stop"] - 0.5,
        [place[key] for key in zip(ends["worker"], ends["job"], strict=True)],
        marker="X",
        s=34,
        color="black",
        edgecolors="white",
        linewidths=0.6,
        zorder=3,
    )
    axes.set_ylim(max(1, len(lanes)) - 0.5, -0.5)
    axes.set_xlim(-0.5, max(1, int(frame["stop"].max()) if len(frame) else 1) - 0.5)
    labels = [job if chunks == 1 else f"{job} (x{chunks})" for _, job, chunks in lanes]
    axes.set_yticks(range(len(lanes)), labels, fontsize="x-small")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    describe(axes, x="slot", y="job", title=title, grid="x")
    for label, look in _MARKS.items():
        axes.plot([], [], color=_GREY, label=label, **look)
    legend_above(axes, columns=len(_MARKS))
    return figure_of(axes)

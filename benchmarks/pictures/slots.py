"""One run: jobs on servers and in queues, capacity in use, prices, decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator, PercentFormatter

from benchmarks.pictures.style import finish, looks, ready, series_of

_HATCHES = ("", "////", "....", "xxxx")
_ROW = 0.86  # height of a server
_BAND, _GREY = "0.95", "0.45"
_THICK, _THIN = 0.72, 0.14
_MARKS: dict[str, dict[str, Any]] = {
    "data are uploaded": {"marker": "s", "linestyle": "", "markerfacecolor": "white"},
    "waits": {"linewidth": 2.0},
    "trains": {"marker": "s", "linestyle": "", "markersize": 9},
    "displaced": {"marker": "X", "linestyle": "", "markerfacecolor": "black"},
}


def plot_gantt(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    servers: int,
    slots: int,
    jobs: Sequence[str] | None = None,
    ylabel: str = "server",
    title: str = "",
) -> Figure:
    """Draw what each server does in each slot, also those where nothing runs.

    A row is a server, as high as the server is large: a block takes the share of the
    server's scarcest resource that the job uses there, so a full row is a full server. The
    number in a block counts the job's copies (workers or parameter servers).

    The frame has one row per block: ``job`` (name), ``server``, ``start``, ``stop`` (slot after the
    last), ``count``, ``share`` (0 to 1).
    """
    axes = ready(axes, 7.6, max(2.4, 1.4 + 0.42 * min(servers, 20)))
    axes.barh(range(servers), slots, _ROW, left=-0.5, color=_BAND, zorder=0)
    slot = [range(start, stop) for start, stop in zip(frame["start"], frame["stop"], strict=True)]
    cells = frame.assign(slot=slot).explode("slot", ignore_index=True).astype({"share": float})
    top = cells.groupby(["server", "slot"])["share"].cumsum()
    below = (top - cells["share"]).clip(upper=1.0)
    cells["height"] = _ROW * (top.clip(upper=1.0) - below)
    cells["bottom"] = cells["server"] + _ROW * (0.5 - below) - cells["height"]
    block: dict[str, Any] = {"width": 1.0, "alpha": 0.75, "edgecolor": "white", "linewidth": 0.6}
    text: dict[str, Any] = {"fontsize": "x-small", "label_type": "center"}
    text["path_effects"] = [withStroke(linewidth=2, foreground="white")]
    for place, (job, look) in enumerate(looks(jobs or frame["job"].unique()).items()):
        own = cells[cells["job"] == job]
        if own.empty:
            continue
        block |= {"facecolor": look["color"], "hatch": _HATCHES[place // 9 % len(_HATCHES)]}
        bars = axes.bar(own["slot"], own["height"], bottom=own["bottom"], label=str(job), **block)
        if slots <= 40:
            axes.bar_label(bars, own["count"].astype(str).where(own["height"] > 0.2, ""), **text)
    axes.set_xlim(-0.5, slots - 0.5)
    axes.set_ylim(servers - 0.5, -0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=20))
    how: dict[str, Any] = {"grid": "", "legend_title": "job", "beside": True}
    return finish(axes, xlabel="slot", ylabel=ylabel, title=title, **how)


def plot_queue(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    jobs: Sequence[str] | None = None,
    title: str = "",
) -> Figure:
    """Draw one row for every job on every worker: uploaded, waiting, trained, displaced.

    A job with several chunks on one worker says how many behind its name.

    The frame has one row per stretch: ``worker``, ``job`` (name), ``chunks`` (of the job on the
    worker), ``state`` ("uploads", "waits" or "trains"), ``start``, ``stop`` (slot after the last),
    ``preempted`` (ends before a chunk is done). Jobs stand in the order in which they first come.
    """
    frame = frame.assign(lane=frame.groupby(["worker", "job"], sort=False).ngroup())
    lanes = frame.drop_duplicates("lane")
    axes = ready(axes, 7.6, max(2.4, 1.5 + 0.24 * len(lanes)))
    beside: dict[str, Any] = {"va": "center", "fontsize": "small", "annotation_clip": False}
    for rank, (worker, own) in enumerate(lanes.groupby("worker", sort=False)["lane"]):
        ends = own.min() - 0.5, own.max() + 0.5
        if rank % 2 == 0:
            axes.axhspan(*ends, color=_BAND, linewidth=0, zorder=0)
        place = (1.01, sum(ends) / 2)
        axes.annotate(f"worker {worker}", place, xycoords=axes.get_yaxis_transform(), **beside)
    look_of = looks(jobs or frame["job"].unique())
    colour = frame["job"].map({job: look["color"] for job, look in look_of.items()})
    uploads, trains = (frame["state"] == state for state in ("uploads", "trains"))
    axes.barh(
        frame["lane"],
        frame["stop"] - frame["start"],
        np.where(trains, _THICK, _THIN),
        left=frame["start"] - 0.5,  # slot t stands around t, as in the other pictures
        color=colour.mask(uploads, "white"),
        edgecolor=colour.mask(uploads, _GREY),
        linewidth=0.7,
        zorder=2,
    )
    ends = frame[frame["preempted"].astype(bool)]
    cross: dict[str, Any] = {"marker": "X", "s": 34, "color": "black", "edgecolors": "white"}
    axes.scatter(ends["stop"] - 0.5, ends["lane"], linewidths=0.6, zorder=3, **cross)
    axes.set_ylim(max(1, len(lanes)) - 0.5, -0.5)
    axes.set_xlim(-0.5, max([1, *frame["stop"]]) - 0.5)
    several = (" (x" + lanes["chunks"].astype(str) + ")").where(lanes["chunks"] > 1, "")
    axes.set_yticks(lanes["lane"], lanes["job"] + several, fontsize="x-small")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    for label, look in _MARKS.items():
        axes.plot([], [], color=_GREY, label=label, **look)
    return finish(axes, xlabel="slot", ylabel="job", title=title, grid="x")


def plot_utilisation(frame: pd.DataFrame, axes: Axes | None = None, *, title: str = "") -> Figure:
    """Draw the ``share`` (0 to 1, of all servers) of each ``resource`` in use in each ``slot``."""
    axes = ready(axes, 6.4, 3.2)
    for look, rows in series_of(frame, "resource"):
        steps = {**look, "marker": None, "linewidth": 1.5}
        axes.step(rows["slot"], rows["share"], where="mid", **steps)
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish(axes, xlabel="slot", ylabel="capacity in use", title=title)


def plot_heatmap(
    table: pd.DataFrame,
    axes: Axes | None = None,
    *,
    label: str,
    ylabel: str,
    xlabel: str = "slot",
    title: str = "",
    log: bool = False,
) -> Figure:
    """Draw a table of nonnegative numbers, whose columns are slots: white is 0, darker is more.

    ``label`` says what a colour means, with its unit. Colours may be logarithmic (``log``, ignored
    where positive entries do not differ).
    """
    axes = ready(axes, 6.4, max(2.6, 1.2 + 0.22 * min(len(table), 24)))
    shown = table.where(table > 0).astype(float)  # NaN is drawn as background
    low, high = shown.min(axis=None), shown.max(axis=None)
    logarithmic = log and low < high
    first, step = int(table.columns[0]), -(-len(table) // 24)  # at most 24 names
    norm = LogNorm(low, high) if logarithmic else Normalize(0.0, 1.0 if pd.isna(high) else high)
    extent = (first - 0.5, first + len(table.columns) - 0.5, len(table) - 0.5, -0.5)
    how: dict[str, Any] = {"cmap": "viridis_r", "aspect": "auto", "interpolation": "nearest"}
    image = axes.imshow(shown, norm=norm, extent=extent, **how)
    axes.set_yticks(range(0, len(table), step), [str(name) for name in table.index[::step]])
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure = finish(axes, xlabel=xlabel, ylabel=ylabel, title=title, grid="")
    figure.colorbar(image, ax=axes, label=label, pad=0.02)
    return figure


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

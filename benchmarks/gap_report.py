"""What :mod:`benchmarks.gap` shows: a table of gaps, and two pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator

from benchmarks.pictures.lines import plot_costs, plot_medians
from benchmarks.pictures.style import caption, panels
from benchmarks.tables import PLAIN, Column, Layout, cell, render
from solvers.result import OPTIMAL_GAP

COUNTS_AS_ALL = "no schedule or no bound counts as a gap of 100 %"


def plot_gap(frame: pd.DataFrame) -> Figure:
    """Gap against the time limit: a panel for every size, a line for every method."""
    sizes = list(frame["size"].unique())
    axes = panels(None, len(sizes), max(6.4, 3.0 * len(sizes)), 3.8)
    shown = frame.assign(gap=frame["gap"].clip(lower=OPTIMAL_GAP))
    draw = partial(plot_medians, x="time_limit", y="gap", series="method", xlabel="time limit (s)")
    for panel, size in zip(axes, sizes, strict=True):
        first = panel is axes[0]
        label = "|bound - objective| / bound" if first else ""
        draw(shown[shown["size"] == size], panel, ylabel=label, title=size, legend=first)
        panel.set_ylim(0.7 * OPTIMAL_GAP, 1.4)
        panel.yaxis.set_major_locator(LogLocator())
        panel.yaxis.set_major_formatter(FuncFormatter(lambda gap, _: f"{100 * gap:g} %"))
    return caption(
        axes[0],
        f"jobs x slots x servers\n{COUNTS_AS_ALL}; "
        f"proven optima (up to {OPTIMAL_GAP:.2%}) stand at {OPTIMAL_GAP:.2%}",
    )


def plot_growth(frame: pd.DataFrame) -> Figure:
    """Seconds taken and peak memory against size, at the longest time limit."""
    limit = frame["time_limit"].max()
    note = f"time limit {limit:g} s (dotted)"
    note += "\nmemory: of the process, its children and all libraries"
    costs = {"seconds": "seconds", "memory": "memory_mb", "series": "method"}
    return plot_costs(frame[frame["time_limit"] == limit], note=note, level=limit, **costs)


def columns_of(limits: Sequence[float]) -> list[Column]:
    """Columns of the table, one of them for each limit."""
    return [
        Column("size", "size", left=True),
        Column("load", "load", rank=2),
        Column("method", "method", left=True),
        *(Column(f"{limit:g}", f"{limit:g} s") for limit in limits),
        Column("taken", "s taken", rank=1),
        Column("memory", "peak MB", rank=3),
        Column("proven", "proven"),
    ]


def format_gaps(frame: pd.DataFrame, layout: Layout = PLAIN) -> str:
    """Table: per size and method the median and worst gap at every time limit.

    With the mean load; and at the longest limit the median of the seconds taken and the number of
    proven optima; and the peak memory of all runs. Of methods that look for no schedule, whose
    rows have no gap, the median bound instead.
    """
    limits = sorted(frame["time_limit"].unique())
    lines = []
    for (size, method), rows in frame.groupby(["size", "method"], sort=False):
        longest, bound_only = rows[rows["time_limit"] == limits[-1]], rows["gap"].isna().all()
        proven = f"{(longest['gap'] <= OPTIMAL_GAP).sum()} of {len(longest)}"
        costs = f"{longest['seconds'].median():.1f}", cell(rows["memory_mb"].max(), ".0f")
        tell = _bound if bound_only else _gap
        found = (tell(rows[rows["time_limit"] == limit]) for limit in limits)
        about = str(size), cell(rows["load"].mean(), ".3g"), str(method)
        lines.append([*about, *found, *costs, "-" if bound_only else proven])
    return render(columns_of(limits), lines, layout)


def _gap(rows: pd.DataFrame) -> str:
    ends = rows["gap"].median(), rows["gap"].max()
    return " / ".join(f"{gap:.2%}" if gap < 0.1 else f"{gap:.0%}" for gap in ends)


def _bound(rows: pd.DataFrame) -> str:
    known = rows["bound"].dropna()
    few = f" ({len(known)} of {len(rows)})" if len(known) < len(rows) else ""
    return f"bound {known.median():.6g}{few}" if len(known) else "no bound"


def format_overruns(frame: pd.DataFrame) -> str:
    """How far each method went over its time limit at worst, and where."""
    parts = []
    for row in frame.loc[frame.groupby("method", sort=False)["overrun"].idxmax()].itertuples():
        where = f"{row.size}, seed {row.seed}, limit {row.time_limit:g} s, {row.status}"
        over = f"{row.overrun:+.1f} s ({where})" if row.overrun > 0 else "none"
        parts.append(f"{row.method} {over}")
    return "largest overrun of a time limit: " + "; ".join(parts)

"""What :mod:`benchmarks.gap` shows of its rows: two pictures and a table."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator

from benchmarks.pictures.lines import plot_costs, plot_medians, seeds_in_words
from benchmarks.pictures.style import caption, panels
from benchmarks.tables import PLAIN, Column, Layout, render
from solvers.result import OPTIMAL_GAP

__all__ = ["COUNTS_AS_ALL", "format_gaps", "format_overruns", "plot_gap", "plot_growth"]

COUNTS_AS_ALL = "no schedule or no bound counts as a gap of 100 %"


def plot_gap(frame: pd.DataFrame) -> Figure:
    """Gap against the time limit: a panel for every size, a line for every method."""
    sizes = list(dict.fromkeys(frame["size"]))
    axes = panels(None, len(sizes), max(6.4, 3.0 * len(sizes)), 3.8)
    shown = frame.assign(gap=frame["gap"].clip(lower=OPTIMAL_GAP))
    for place, (panel, size) in enumerate(zip(axes, sizes, strict=True)):
        plot_medians(
            shown[shown["size"] == size],
            panel,
            x="time_limit",
            y="gap",
            series="method",
            xlabel="time limit (s)",
            ylabel="" if place else "|bound - objective| / bound",
            title=size,
            legend=place == 0,
        )
        panel.set_ylim(0.7 * OPTIMAL_GAP, 1.4)
        panel.yaxis.set_major_locator(LogLocator())
        panel.yaxis.set_major_formatter(FuncFormatter(lambda gap, _: f"{100 * gap:g} %"))
    return caption(
        axes[0],
        f"jobs x slots x servers; {seeds_in_words(frame)}\n{COUNTS_AS_ALL}; "
        f"proven optima (up to {OPTIMAL_GAP:.2%}) stand at {OPTIMAL_GAP:.2%}",
    )


def plot_growth(frame: pd.DataFrame) -> Figure:
    """Seconds taken and peak memory against size, at the longest time limit."""
    limit = frame["time_limit"].max()
    return plot_costs(
        frame[frame["time_limit"] == limit],
        seconds="seconds",
        memory="memory_mb",
        series="method",
        note=f"time limit {limit:g} s (dotted); {seeds_in_words(frame)}\n"
        "memory: of the process, its children and all libraries",
        level=limit,
    )


def format_gaps(
    frame: pd.DataFrame, bound_only: Collection[str] = (), layout: Layout = PLAIN
) -> str:
    """Table: per size and method the median and worst gap at every time limit.

    With the mean load; and at the longest limit the median of the seconds taken and the number of
    proven optima; and the peak memory of all runs. Of methods that look for no schedule the
    median bound instead of gaps.
    """
    limits = sorted(frame["time_limit"].unique())
    columns = [
        Column("size", "size", left=True),
        Column("load", "load", rank=2),
        Column("method", "method", left=True),
        *(Column(f"{limit:g}", f"{limit:g} s") for limit in limits),
        Column("taken", "s taken", rank=1),
        Column("memory", "peak MB", rank=3),
        Column("proven", "proven"),
    ]
    lines = []
    for (size, method), rows in frame.groupby(["size", "method"], sort=False):
        cells = []
        for limit in limits:
            at = rows[rows["time_limit"] == limit]
            if method in bound_only:
                known = at["bound"].dropna()
                few = f" ({len(known)} of {len(at)})" if len(known) < len(at) else ""
                cells.append(f"bound {known.median():.6g}{few}" if len(known) else "no bound")
            else:
                cells.append(f"{_percent(at['gap'].median())} / {_percent(at['gap'].max())}")
        longest = rows[rows["time_limit"] == limits[-1]]
        memory = rows["memory_mb"].max()
        proven = f"{int((longest['gap'] <= OPTIMAL_GAP).sum())} of {len(longest)}"
        if method in bound_only:
            proven = "-"
        peak = "-" if pd.isna(memory) else f"{memory:.0f}"
        taken = f"{longest['seconds'].median():.1f}"
        load = "-" if rows["load"].isna().all() else f"{rows['load'].mean():.3g}"
        lines.append([str(size), load, str(method), *cells, taken, peak, proven])
    return render(columns, lines, layout)


def format_overruns(frame: pd.DataFrame) -> str:
    """How far each method went over its time limit at worst, and where."""
    worst = frame.loc[frame.groupby("method", sort=False)["overrun"].idxmax()]
    parts = [
        f"{row.method} {row.overrun:+.1f} s ({row.size}, seed {row.seed}, limit "
        f"{row.time_limit:g} s, {row.status})"
        if row.overrun > 0
        else f"{row.method} none"
        for row in worst.itertuples(index=False)
    ]
    return "largest overrun of a time limit: " + "; ".join(parts)


def _percent(gap: float) -> str:
    return f"{gap:.2%}" if gap < 0.1 else f"{gap:.0%}"

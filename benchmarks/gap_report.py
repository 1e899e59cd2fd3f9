"""What :mod:`benchmarks.gap` shows: a table of gaps, and two pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator
from scipy.special import bdtr

from benchmarks.pictures.lines import plot_costs, plot_medians
from benchmarks.pictures.style import caption, panels
from benchmarks.study.statistics import t_interval
from benchmarks.tables import PLAIN, Column, Layout, cell, render, wrap
from models.problem import problem
from solvers.result import OPTIMAL_GAP

_ENDS = ("gap", "bound", "objective")
COUNTS_AS_ALL = "no schedule or no bound counts as a gap of 100 %"


def plot_gap(frame: pd.DataFrame, loads: int = 1) -> Figure:
    """Gap against the time limit: a panel for every size, a line for every method.

    Where each size stands for several loads, one after the other, they are below each other.
    """
    sizes = list(frame["size"].unique())
    columns = len(sizes) // loads
    axes = panels(None, columns, max(6.4, 3.0 * columns), 0.8 + 3.0 * loads, loads)
    axes = [axes[row * columns + column] for column in range(columns) for row in range(loads)]
    shown = frame.assign(gap=frame["gap"].clip(lower=OPTIMAL_GAP))
    draw = partial(plot_medians, x="time_limit", y="gap", series="method", xlabel="time limit (s)")
    for panel, size in zip(axes, sizes, strict=True):
        first = panel is axes[0]
        label = "|bound - objective| / bound" if panel in axes[:loads] else ""
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


def columns_of(limits: Sequence[float], unit: str = "s") -> list[Column]:
    """Columns of the table, one of them for each limit."""
    return [
        Column("size", "size", left=True),
        Column("load", "load", rank=2),
        Column("method", "method", left=True),
        *(Column(f"{limit:g}", f"{limit:g} {unit}") for limit in limits),
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
    by, unit = ("work_limit", "units") if "work_limit" in frame else ("time_limit", "s")
    limits = sorted(frame[by].unique())
    lines = []
    for (size, method), rows in frame.groupby(["size", "method"], sort=False):
        longest, bound_only = rows[rows[by] == limits[-1]], rows["gap"].isna().all()
        proven = f"{(longest['gap'] <= OPTIMAL_GAP).sum()} of {len(longest)}"
        costs = f"{longest['seconds'].median():.1f}", cell(rows["memory_mb"].max(), ".0f")
        tell = _bound if bound_only else _gap
        found = (tell(rows[rows[by] == limit]) for limit in limits)
        about = str(size), cell(rows["load"].mean(), ".3g"), str(method)
        lines.append([*about, *found, *costs, "-" if bound_only else proven])
    return render(columns_of(limits, unit), lines, layout)


def _gap(rows: pd.DataFrame) -> str:
    ends = rows["gap"].median(), rows["gap"].max()
    return " / ".join(f"{gap:.2%}" if gap < 0.1 else f"{gap:.0%}" for gap in ends)


def _bound(rows: pd.DataFrame) -> str:
    known = rows["bound"].dropna()
    few = f" ({len(known)} of {len(rows)})" if len(known) < len(rows) else ""
    return f"bound {known.median():.6g}{few}" if len(known) else "no bound"


def compare_methods(frame: pd.DataFrame) -> pd.DataFrame:
    """Hold each method of :func:`format_gaps` against the first one, on the same instances.

    Returns
    -------
    DataFrame
        A row ``of`` the ``gap``, the ``bound`` and the ``objective`` for each size, limit of work
        and other method. ``median`` is that of method - first, in percent: of the gap in points, of
        the others relative to the first one's bound. ``low`` and ``high`` are the 95 % t-interval
        of its mean. ``wins``, ``ties`` (apart by no more than proofs leave open) and ``losses`` are
        of the method, and ``p`` is the two-sided sign test's. A gap is 1 where there is no bound or
        schedule; bounds and objectives are compared on the ``pairs`` of instances that have both.
    """
    first, *others = dict.fromkeys(frame["method"])
    tie = 100.0 * OPTIMAL_GAP
    up = 1.0 if problem(frame["problem"].iloc[0]).sense == "max" else -1.0
    records = []
    for (size, limit), rows in frame.groupby(["size", "work_limit"], sort=False):
        rows = rows.astype(dict.fromkeys(_ENDS, float)).fillna({"gap": 1.0})
        for method in others:
            mine, its = (rows[rows["method"] == name].set_index("seed") for name in (method, first))
            for of, sign in {"gap": -1.0, "bound": -up, "objective": up}.items():
                apart = 100.0 * (mine[of] - its[of])
                if of != "gap":
                    apart /= its["bound"].abs()
                apart = apart.dropna()
                wins, losses = (int((side * apart > tie).sum()) for side in (sign, -sign))
                low, high = t_interval(apart)
                record = {"size": size, "work_limit": limit, "method": method, "of": of}
                record |= {"pairs": len(apart), "median": apart.median(), "low": low, "high": high}
                record |= {"wins": wins, "ties": len(apart) - wins - losses, "losses": losses}
                p = min(1.0, 2.0 * float(bdtr(min(wins, losses), wins + losses, 0.5)))
                records.append({**record, "p": p if wins + losses else 1.0})
    return pd.DataFrame(records)


def format_comparison(compared: pd.DataFrame, layout: Layout = PLAIN) -> str:
    """Rows of :func:`compare_methods` as a table with what they mean."""
    lines = []
    for row in compared.itertuples():
        interval = "-" if pd.isna(row.low) else f"{row.low:+.2f} to {row.high:+.2f}"
        told = (
            f"{row.pairs}",
            f"{row.median:+.2f}",
            interval,
            f"{row.wins}/{row.ties}/{row.losses}",
            f"{row.p:.2g}",
        )
        lines.append((row.size, f"{row.work_limit:g}", row.method, row.of, *told))
    names = ["size", "units", "method", "of", "pairs", "median", "95 % interval"]
    names += ["wins/ties/losses", "p"]
    columns = [Column(name, name, left=name in ("size", "method", "of")) for name in names]
    note = (
        "differences from the first method, seed by seed, in percent: of the gap in points, of "
        "bound and objective relative to its bound. interval: Student's, of the mean. wins: seeds "
        f"on which the method is better by more than {OPTIMAL_GAP:.2%}. p: sign test, two-sided, "
        "of this row alone: of many rows some come out low by chance. pairs: of seeds with a bound "
        "or an objective of both; a gap is 100 % without."
    )
    return f"{render(columns, lines, replace(layout, columns=None))}\n\n{wrap([note], layout)}"


def format_overruns(frame: pd.DataFrame) -> str:
    """How far each method went over its time limit at worst, and where."""
    parts = []
    for row in frame.loc[frame.groupby("method", sort=False)["overrun"].idxmax()].itertuples():
        where = f"{row.size}, seed {row.seed}, limit {row.time_limit:g} s, {row.status}"
        over = f"{row.overrun:+.1f} s ({where})" if row.overrun > 0 else "none"
        parts.append(f"{row.method} {over}")
    return "largest overrun of a time limit: " + "; ".join(parts)

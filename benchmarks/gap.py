"""Measure gaps, |bound - objective| / bound, after a time limit, on instances of growing size.

An exact program handed whole to HiGHS, and the toolkit's own interval. No schedule or no bound
counts as a gap of 100 %. Every run has a process of its own, which is killed a minute after its
limit; loading and compiling do not count. Writes rows (csv, jsonl) and two pictures (with csv): gap
against time limit, which is left out where all methods look for bounds only; and seconds and memory
against size.

Examples
--------
python -m benchmarks.gap
    the default: four sizes, limits of 5, 15 and 45 s, 2 seeds; up to half an hour
python -m benchmarks.gap --quick
    two small sizes, limits of 1 and 2 s, 1 seed; less than a minute
python -m benchmarks.gap --sizes 50x50x20+20 --times 120 --seeds 5 --methods toolkit --threads 2
    50 jobs, 50 slots, 20+20 servers; seeds 0 to 4, bound and schedules side by side
python -m benchmarks.gap --methods bound --sizes 25x50x20+20,100x50x20+20 --times 120 --out jobs
    how the time of the column generation grows with the jobs alone
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from functools import partial

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator

from benchmarks.cli import Parser, engine_of, parse_list, parse_positive, run_command
from benchmarks.contract import experiments_of, gap_methods, with_part
from benchmarks.instances import add_set_argument
from benchmarks.pictures.lines import plot_costs, plot_medians
from benchmarks.pictures.style import caption, panels, save_picture
from benchmarks.runs import Runs
from benchmarks.study.gap import Gap
from benchmarks.study.instances import instance_of
from benchmarks.study.ratio import source_of
from benchmarks.study.rows import records_of
from benchmarks.study.store import Store
from benchmarks.study.study import Trial, frames_of
from benchmarks.tables import (
    PLAIN,
    Column,
    Layout,
    add_table_arguments,
    cell,
    layout_of,
    print_rows,
    render,
    wrap,
)
from models.errors import InputError
from solvers.result import OPTIMAL_GAP

_COUNTS_AS_ALL = "no schedule or no bound counts as a gap of 100 %"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, draw and print the table; returns the exit code, 1 if a run has failed."""
    args = _parser().parse_args(argv)
    part, workload = gap_methods(args.problem), experiments_of(args.problem).workload
    methods = tuple(dict.fromkeys(args.methods or part.default))
    for name in methods:
        if name not in part.methods:
            raise InputError(f"unknown method '{name}': want some of {', '.join(part.methods)}")
    limits = sorted(set(args.times or ((1.0, 2.0) if args.quick else (5.0, 15.0, 45.0))))
    layout = layout_of(args, _columns(limits))
    seeds = args.seeds or range(1 if args.quick else 2)
    settings = workload.with_usual(workload.parse_set(args.set))
    trials = []
    sizes = tuple(dict.fromkeys(args.sizes or part.sizes["quick" if args.quick else "default"]))
    for text in sizes:
        size = workload.parse_size(text)
        point = {"jobs": size.jobs, "slots": size.slots, "servers": size.servers, **settings}
        trials += [Trial(args.problem, point, seed) for seed in seeds]
        # What is bad shows before anything is measured.
        instance_of(source_of(trials[-1], point))
    asked = {"problem": args.problem, "sizes": sizes, "seeds": list(seeds), "settings": settings}
    asked |= {"methods": methods, "time_limits": limits, "threads": args.threads}
    runs = Runs(args.out or f"results/gap-{args.problem}", asked, args.run)
    measure, words = Gap(methods, tuple(limits), args.threads), f"{args.problem}-gap"
    with engine_of(args, threads=args.threads) as engine:
        store = Store(runs.path / "cells")
        (frame,) = frames_of([(measure, trials)], store=store, engine=engine, progress=words)
    with_gap = frame[frame["gap"].notna()]
    paths = save_picture(plot_gap(with_gap), with_gap, runs.folder / "gap") if len(with_gap) else []
    paths += save_picture(plot_growth(frame), frame, runs.folder / "growth")
    runs.finish(records_of(frame))
    explained = "; ".join(f"{name}: {part.methods[name].words}" for name in methods)
    threads = "1 thread" if args.threads == 1 else f"{args.threads} threads"
    threads += f", {args.workers} runs side by side" if args.workers > 1 else ""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {threads}"
    head = [f"{' '.join([args.problem, *args.set])}, {machine}; {explained}"]
    many = "1 seed" if len(seeds) == 1 else f"{len(seeds)} seeds"
    if len(with_gap):
        head.append(f"gap, median / worst of {many}, at each time limit; {_COUNTS_AS_ALL}")
    if len(with_gap) < len(frame):
        head.append(f"bound, median of {many}, of what looks for no schedule")
    written = f"{runs.words}; pictures: {', '.join(map(str, paths))}"
    notes = wrap([format_overruns(frame), written], layout)
    print_rows(records_of(frame), layout, wrap(head, layout), format_gaps(frame, layout), notes)
    return int((frame["status"] == "failed").any())


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
        f"jobs x slots x servers\n{_COUNTS_AS_ALL}; "
        f"proven optima (up to {OPTIMAL_GAP:.2%}) stand at {OPTIMAL_GAP:.2%}",
    )


def plot_growth(frame: pd.DataFrame) -> Figure:
    """Seconds taken and peak memory against size, at the longest time limit."""
    limit = frame["time_limit"].max()
    note = f"time limit {limit:g} s (dotted)"
    note += "\nmemory: of the process, its children and all libraries"
    costs = {"seconds": "seconds", "memory": "memory_mb", "series": "method"}
    return plot_costs(frame[frame["time_limit"] == limit], note=note, level=limit, **costs)


def _columns(limits: Sequence[float]) -> list[Column]:
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
    return render(_columns(limits), lines, layout)


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


def _parser() -> Parser:
    parser = Parser("benchmarks.gap", __doc__)
    add, parts = parser.add_argument, {name: gap_methods(name) for name in with_part("gap")}
    add("--problem", default="utility", help=f"one of {', '.join(parts)} (default: utility)")
    sizes = "jobs x slots x servers, e.g. 10x10x5+5,20x20x10+10"
    add("--sizes", type=parse_list(str), metavar="JxTxS,...", help=sizes)
    add_set_argument(parser)
    limits = "time limits in seconds (default: 5,15,45)"
    add("--times", type=parse_list(parse_positive), metavar="S,...", help=limits)
    parser.add_seeds()
    known = "; ".join(
        f"for {name}: {', '.join(f'{key} ({one.words})' for key, one in part.methods.items())}; "
        f"by default {', '.join(part.default)}"
        for name, part in parts.items()
    )
    add("--methods", type=parse_list(str), metavar="NAME,...", help=known)
    parser.add_threads("of a run (default: 1)")
    parser.add_engine(timed=True, guarded=True)
    add("--quick", action="store_true", help="small sizes, short limits, 1 seed")
    add_table_arguments(parser)
    parser.add_out("results/gap-PROBLEM", runs=True)
    return parser


if __name__ == "__main__":
    run_command(main)

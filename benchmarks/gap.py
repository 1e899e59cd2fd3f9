"""``python -m benchmarks.gap``: gap against time and size, ours and plain HiGHS, in one run."""

from __future__ import annotations

import json
import math
import os
import platform
from argparse import ArgumentTypeError
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.cli import Parser, parse_range, parse_words, run_command
from benchmarks.figure import Cell, CellStore, Figure, compute
from benchmarks.fingerprint import versions
from benchmarks.gap_report import (
    COUNTS_AS_ALL,
    format_gaps,
    format_overruns,
    plot_gap,
    plot_growth,
)
from benchmarks.gap_run import run_cell
from benchmarks.instances import add_set_argument, parse_set, parse_size
from benchmarks.pictures.save import save_picture
from benchmarks.study.rows import to_json_lines
from benchmarks.workload.contract import Size, Workload
from models.errors import InputError
from models.files import write_atomic
from models.problem import has_sub_package, problem_names, sub_package

__all__ = ["main"]

_EXAMPLES = """
  python -m benchmarks.gap
      the default: four sizes, limits of 5, 15 and 45 s, 2 seeds; up to half an hour
  python -m benchmarks.gap --quick
      two small sizes, limits of 1 and 2 s, 1 seed; less than a minute
  python -m benchmarks.gap --sizes 50x50x20+20 --times 120 --seeds 5 --methods toolkit --threads 2
      50 jobs, 50 slots, 20+20 servers; seeds 0 to 4, bound and schedules side by side
  python -m benchmarks.gap --methods bound --sizes 25x50x20+20,50x50x20+20,100x50x20+20 \\
      --times 120 --out results/jobs
      how the time of the column generation grows with the jobs alone
"""

_TIMES = {"default": (5.0, 15.0, 45.0), "quick": (1.0, 2.0)}
_SEEDS = {"default": range(2), "quick": range(1)}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, draw and print the table; returns the exit code, 1 if a run has failed."""
    args = _parser().parse_args(argv)
    extent = "quick" if args.quick else "default"
    part = sub_package("benchmarks", args.problem, "gap")
    methods = _chosen(args.methods or part.DEFAULT_METHODS, part.METHODS)
    times = sorted(set(args.times or _TIMES[extent]))
    seeds = args.seeds or _SEEDS[extent]
    workload: Workload = sub_package("benchmarks", args.problem).WORKLOAD
    texts = dict.fromkeys(args.sizes or part.SIZES[extent])
    sizes = [parse_size(workload, text) for text in texts]
    settings = parse_set(workload, args.set)
    for size in sizes:  # what cannot be drawn is found before anything is measured
        for seed in seeds:
            _draw(workload, size, seed, settings)
    cells = [
        {
            "problem": args.problem,
            "jobs": size.jobs,
            "slots": size.slots,
            "servers": workload.show_servers(size.servers),
            "seed": seed,
            "method": method,
            "time_limit": limit,
            "threads": args.threads,
            **({"set": args.set} if args.set else {}),
        }
        for size in sizes
        for seed in seeds
        for method in methods
        for limit in times
    ]
    out = Path(args.out or Path("results") / f"gap-{args.problem}")
    frame = _measure(args.problem, cells, out, part.BOUND_ONLY)
    paths = save_picture(plot_growth(frame), frame, out / "growth")
    with_gap = frame[~frame["method"].isin(part.BOUND_ONLY)]
    if len(with_gap):
        paths = [*save_picture(plot_gap(with_gap), with_gap, out / "gap"), *paths]
    else:
        for ending in (".pdf", ".png", ".csv"):  # of other methods, measured before
            (out / "gap").with_suffix(ending).unlink(missing_ok=True)
    explained = "; ".join(f"{name}: {part.METHODS[name][0]}" for name in methods)
    what = " ".join([args.problem, *args.set])
    used = "1 thread" if args.threads == 1 else f"{args.threads} threads"
    print(f"{what}, {platform.machine()}, {os.cpu_count()} cores, {used}; {explained}")
    many = "1 seed" if len(seeds) == 1 else f"{len(seeds)} seeds"
    if len(with_gap):
        print(f"gap, median / worst of {many}, at each time limit; {COUNTS_AS_ALL}")
    if len(with_gap) < len(frame):
        print(f"bound, median of {many}, of what looks for no schedule")
    print(f"\n{format_gaps(frame, part.BOUND_ONLY)}")
    print(f"\n{format_overruns(frame)}")
    print(f"rows: {out / 'rows.jsonl'}; pictures: {', '.join(map(str, paths))}")
    failed = frame[frame["status"] == "failed"]
    for row in failed.itertuples(index=False):
        print(f"failed: {row.method}, {row.size}, seed {row.seed}: {row.message}")
    return 1 if len(failed) else 0


def _measure(
    problem_name: str, cells: list[Cell], out: Path, bound_only: Collection[str]
) -> pd.DataFrame:
    """Rows of all cells, which are kept as they are finished; writes the tables.

    Methods that look for no schedule have no gap.
    """
    figure = Figure(
        name=f"{problem_name}-gap",
        title="gap against time limit and size",
        source="ours",
        cells=lambda size, seeds: cells,
        run=run_cell,
        plot=lambda frame, axes: plot_gap(frame),
    )
    frame = compute(figure, "default", store=CellStore(out / "cells"), progress=True)
    size = frame["jobs"].astype(str) + "x" + frame["slots"].astype(str) + "x" + frame["servers"]
    frame.insert(1, "size", size)
    frame["gap"] = frame["gap"].mask(frame["method"].isin(bound_only))
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    settings = {
        "versions": versions(),
        "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
    }
    write_atomic(out / "settings.json", (json.dumps(settings, indent=1) + "\n").encode())
    write_atomic(out / "rows.jsonl", to_json_lines(records).encode())
    return frame


def _chosen(names: Sequence[str], known: Mapping[str, Any]) -> list[str]:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"unknown method '{unknown[0]}': want some of {', '.join(known)}")
    return list(dict.fromkeys(names))


def _known_methods() -> str:
    parts = {
        name: sub_package("benchmarks", name, "gap")
        for name in problem_names()
        if has_sub_package("benchmarks", name, "gap")
    }
    return "; ".join(
        f"for {name}: "
        + ", ".join(f"{method} ({what})" for method, (what, _) in part.METHODS.items())
        + f"; by default {', '.join(part.DEFAULT_METHODS)}"
        for name, part in parts.items()
    )


def _draw(workload: Workload, size: Size, seed: int, settings: Mapping[str, Any]) -> None:
    workload.draw(
        jobs=size.jobs,
        slots=size.slots,
        servers=size.servers,
        seed=seed,
        trace=None,
        **settings,
    )


def _seconds(text: str) -> list[float]:
    try:
        times = [float(word) for word in text.split(",")]
    except ValueError:
        times = [0.0]
    if not all(0 < limit < math.inf for limit in times):
        raise ArgumentTypeError(f"'{text}' are not positive numbers of seconds, e.g. 5,15,45")
    return times


def _parser() -> Parser:
    parser = Parser(
        "benchmarks.gap",
        "Measure how far bound and schedule are apart, |bound - objective| / bound, after a time "
        "limit, on instances of growing size: an exact program handed whole to HiGHS, and the "
        f"toolkit's own interval. In this measure {COUNTS_AS_ALL}. Every run has a process of its "
        "own, which is killed a minute after its limit; loading and compiling do not count. "
        "Writes rows (csv, jsonl) and two pictures: gap against time limit, seconds and memory "
        "against size. The first is left out where all methods look for bounds only.",
        _EXAMPLES,
    )
    parser.add_argument(
        "--problem", default="utility", help=f"one of {', '.join(problem_names())} (default)"
    )
    parser.add_argument(
        "--sizes",
        type=parse_words,
        metavar="JxTxS,...",
        help="jobs x slots x servers, e.g. 10x10x5+5,20x20x10+10",
    )
    add_set_argument(parser)
    parser.add_argument(
        "--times", type=_seconds, metavar="S,...", help="time limits in seconds (default: 5,15,45)"
    )
    parser.add_argument(
        "--seeds", type=parse_range, metavar="N|FIRST:LAST", help="seeds 0..N-1, or a range"
    )
    parser.add_argument(
        "--methods",
        type=parse_words,
        metavar="NAME,...",
        help=_known_methods(),
    )
    parser.add_argument(
        "--threads", type=int, choices=(1, 2, 4, 8), default=1, help="of a run (default: 1)"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, short limits, 1 seed")
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="results folder (default: results/gap-PROBLEM); runs finished there with the same "
        "settings and code are not repeated",
    )
    return parser


if __name__ == "__main__":
    run_command(main)

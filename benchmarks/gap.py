"""``python -m benchmarks.gap``: gap against time and size, ours and plain HiGHS, in one run."""

from __future__ import annotations

import json
import math
import os
import platform
import sys
from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cli import Parser, parse_words, run_command
from benchmarks.contract import experiments_of, gap_methods, with_part
from benchmarks.engines import add_engine_arguments, engine_of
from benchmarks.gap_report import (
    COUNTS_AS_ALL,
    format_gaps,
    format_overruns,
    plot_gap,
    plot_growth,
)
from benchmarks.instances import add_set_argument
from benchmarks.pictures.save import save_picture
from benchmarks.study.closure import versions_and_machine
from benchmarks.study.gap import GRACE, Gap
from benchmarks.study.grid import Grid
from benchmarks.study.instances import instance_of
from benchmarks.study.ratio import source_of
from benchmarks.study.rows import records_of, to_json_lines
from benchmarks.study.store import Store
from benchmarks.study.study import Study
from benchmarks.workload.contract import Workload
from models.errors import InputError
from models.files import write_atomic

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
    part = gap_methods(args.problem)
    methods = _chosen(args.methods or part.default, part.methods)
    limits = tuple(sorted(set(args.times or _TIMES[extent])))
    seeds = args.seeds or _SEEDS[extent]
    workload = experiments_of(args.problem).workload
    settings = workload.parse_set(args.set)
    study = Study(
        name=f"{args.problem}-gap",
        problem=args.problem,
        measure=Gap(methods, limits, args.threads),
        grids={extent: _grid(workload, args.sizes or part.sizes[extent], settings)},
        seeds={extent: len(seeds)},
    )
    for trial in study.trials(extent, seeds):
        instance_of(source_of(trial, trial.point))  # what is bad shows before anything is measured
    out = Path(args.out or Path("results") / f"gap-{args.problem}")
    engine = engine_of(args, threads=args.threads)
    store = Store(out / "cells")
    frame = study.frame(extent, seeds, store=store, engine=engine, progress=True)
    settings_text = json.dumps(versions_and_machine(), indent=1) + "\n"
    write_atomic(out / "settings.json", settings_text.encode())
    write_atomic(out / "rows.jsonl", to_json_lines(records_of(frame)).encode())
    bound_only = {name for name in methods if part.methods[name].bound_only}
    paths = save_picture(plot_growth(frame), frame, out / "growth")
    with_gap = frame[~frame["method"].isin(bound_only)]
    if len(with_gap):
        paths = [*save_picture(plot_gap(with_gap), with_gap, out / "gap"), *paths]
    else:
        for ending in (".pdf", ".png", ".csv"):  # of other methods, measured before
            (out / "gap").with_suffix(ending).unlink(missing_ok=True)
    explained = "; ".join(f"{name}: {part.methods[name].words}" for name in methods)
    what = " ".join([args.problem, *args.set])
    used = "1 thread" if args.threads == 1 else f"{args.threads} threads"
    side = f", {args.workers} runs side by side" if args.workers > 1 else ""
    print(f"{what}, {platform.machine()}, {os.cpu_count()} cores, {used}{side}; {explained}")
    many = "1 seed" if len(seeds) == 1 else f"{len(seeds)} seeds"
    if len(with_gap):
        print(f"gap, median / worst of {many}, at each time limit; {COUNTS_AS_ALL}")
    if len(with_gap) < len(frame):
        print(f"bound, median of {many}, of what looks for no schedule")
    print(f"\n{format_gaps(frame, bound_only)}")
    print(f"\n{format_overruns(frame)}")
    print(f"rows: {out / 'rows.jsonl'}; pictures: {', '.join(map(str, paths))}")
    failed = frame[frame["status"] == "failed"]
    for row in failed.itertuples(index=False):
        print(f"failed: {row.method}, {row.size}, seed {row.seed}: {row.message}", file=sys.stderr)
    return 1 if len(failed) else 0


def _grid(workload: Workload, sizes: Sequence[str], settings: Mapping[str, Any]) -> Grid:
    """Points of all sizes."""
    found = [workload.parse_size(text) for text in dict.fromkeys(sizes)]
    return Grid(
        tuple({"jobs": s.jobs, "slots": s.slots, "servers": s.servers, **settings} for s in found)
    )


def _chosen(names: Sequence[str], known: Mapping[str, Any]) -> tuple[str, ...]:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"unknown method '{unknown[0]}': want some of {', '.join(known)}")
    return tuple(dict.fromkeys(names))


def _known_methods() -> str:
    parts = {name: gap_methods(name) for name in with_part("gap")}
    return "; ".join(
        f"for {name}: "
        + ", ".join(f"{method} ({one.words})" for method, one in part.methods.items())
        + f"; by default {', '.join(part.default)}"
        for name, part in parts.items()
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
        f"own, which is killed {GRACE:g} s after its limit; loading and compiling do not count. "
        "Writes rows (csv, jsonl) and two pictures: gap against time limit, seconds and memory "
        "against size. The first is left out where all methods look for bounds only.",
        _EXAMPLES,
    )
    known = ", ".join(with_part("gap"))
    parser.add_argument("--problem", default="utility", help=f"one of {known} (default: utility)")
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
    parser.add_seeds()
    parser.add_argument("--methods", type=parse_words, metavar="NAME,...", help=_known_methods())
    parser.add_threads("of a run (default: 1)")
    add_engine_arguments(parser, timed=True, guarded=True)
    parser.add_argument("--quick", action="store_true", help="small sizes, short limits, 1 seed")
    parser.add_out("results/gap-PROBLEM")
    return parser


if __name__ == "__main__":
    run_command(main)

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

from benchmarks.cli import Parser, engine_of, parse_list, parse_positive, run_command
from benchmarks.contract import experiments_of, gap_methods, with_part
from benchmarks.instances import add_set_argument
from benchmarks.study.instances import instance_of
from benchmarks.tables import add_table_arguments, layout_of, print_rows, wrap
from models.errors import InputError


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, draw and print the table; returns the exit code, 1 if a run has failed."""
    args = _parser().parse_args(argv)
    # What is heavy is imported once the options are known to be right.
    from benchmarks.gap_report import (
        COUNTS_AS_ALL,
        columns_of,
        format_gaps,
        format_overruns,
        plot_gap,
        plot_growth,
    )
    from benchmarks.pictures.style import save_picture
    from benchmarks.runs import Runs
    from benchmarks.study.gap import Gap
    from benchmarks.study.ratio import source_of
    from benchmarks.study.rows import records_of
    from benchmarks.study.store import Store
    from benchmarks.study.study import Trial, frames_of

    part, workload = gap_methods(args.problem), experiments_of(args.problem).workload
    methods = tuple(dict.fromkeys(args.methods or part.default))
    for name in methods:
        if name not in part.methods:
            words = "; ".join(f"{key}: {one.words}" for key, one in part.methods.items())
            known = f"{', '.join(part.methods)} ({words})"
            raise InputError(f"unknown method '{name}': want some of {known}")
    limits = sorted(set(args.times or ((1.0, 2.0) if args.quick else (5.0, 15.0, 45.0))))
    layout = layout_of(args, columns_of(limits))
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
        head.append(f"gap, median / worst of {many}, at each time limit; {COUNTS_AS_ALL}")
    if len(with_gap) < len(frame):
        head.append(f"bound, median of {many}, of what looks for no schedule")
    written = f"{runs.words}; pictures: {', '.join(map(str, paths))}"
    notes = wrap([format_overruns(frame), written], layout)
    print_rows(records_of(frame), layout, wrap(head, layout), format_gaps(frame, layout), notes)
    return int((frame["status"] == "failed").any())


def _parser() -> Parser:
    parser = Parser("benchmarks.gap", __doc__)
    add, known = parser.add_argument, with_part("gap")
    add("--problem", default="utility", help=f"one of {', '.join(known)} (default: utility)")
    sizes = "jobs x slots x servers, e.g. 10x10x5+5,20x20x10+10"
    add("--sizes", type=parse_list(str), metavar="JxTxS,...", help=sizes)
    add_set_argument(parser, *known)
    limits = "time limits in seconds (default: 5,15,45)"
    add("--times", type=parse_list(parse_positive), metavar="S,...", help=limits)
    parser.add_seeds()
    methods = "what is compared, by names of the problem's own; a wrong one is told the right ones"
    add("--methods", type=parse_list(str), metavar="NAME,...", help=methods)
    parser.add_threads("of a run (default: 1)")
    parser.add_engine(timed=True, guarded=True)
    add("--quick", action="store_true", help="small sizes, short limits, 1 seed")
    add_table_arguments(parser)
    parser.add_out("results/gap-PROBLEM", runs=True)
    return parser


if __name__ == "__main__":
    run_command(main)

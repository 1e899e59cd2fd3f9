"""Measure gaps, |bound - objective| / bound, after a time limit, on instances of growing size.

An exact program handed whole to HiGHS, and the toolkit's own interval. No schedule or no bound
counts as a gap of 100 %. Every run has a process of its own, which is killed a minute after its
limit; loading and compiling do not count. Writes rows (csv, jsonl) and two pictures (with csv): gap
against time limit, which is left out where all methods look for bounds only; and seconds and memory
against size. With limits of work, instead of seconds, a machine gives the same in every run: no
pictures then, but each method held against the first one, seed by seed.

Examples
--------
python -m benchmarks.gap
    the default: four sizes, limits of 5, 15 and 45 s, 2 seeds; up to half an hour
python -m benchmarks.gap --quick
    two small sizes, limits of 1 and 2 s, 1 seed; less than a minute
python -m benchmarks.gap --sizes 50x50x20+20 --times 120 --seeds 5 --methods toolkit --threads 2
    50 jobs, 50 slots, 20+20 servers; seeds 0 to 4, bound and schedules side by side
python -m benchmarks.gap --methods compact,scip,cp-sat,toolkit --loads 1,2.5
    what other solvers make of the compact ILP, at two loads; needs the extra 'check'
python -m benchmarks.gap --methods bound --sizes 25x50x20+20,100x50x20+20 --times 120 --out jobs
    how the time of the column generation grows with the jobs alone
python -m benchmarks.gap --work 30 --sizes 30x30x10+10 --seeds 10 --set load=none --out ablation
    what each refinement of the search brings (docs/ablation.md): hours; it can be taken up again
"""

from __future__ import annotations

import itertools
import os
import platform
from argparse import Namespace
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cli import Parser, engine_of, parse_list, parse_positive, run_command
from benchmarks.contract import GapMethods, experiments_of, gap_methods, with_part
from benchmarks.instances import add_set_argument
from benchmarks.study.instances import instance_of
from benchmarks.tables import add_table_arguments, layout_of, print_rows, wrap
from models.errors import InputError

if TYPE_CHECKING:
    from benchmarks.study.study import Trial


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, draw and print the table; returns the exit code, 1 if a run has failed."""
    args = _parser().parse_args(argv)
    # What is heavy is imported once the options are known to be right.
    from benchmarks.gap_report import (
        COUNTS_AS_ALL,
        columns_of,
        compare_methods,
        format_comparison,
        format_gaps,
        format_overruns,
        plot_gap,
        plot_growth,
    )
    from benchmarks.pictures.style import save_picture
    from benchmarks.runs import Runs
    from benchmarks.study.gap import Gap
    from benchmarks.study.rows import records_of
    from benchmarks.study.store import Store
    from benchmarks.study.study import frames_of

    part = gap_methods(args.problem)
    methods = _methods_of(args, part)
    usual = (1.0, 2.0) if args.quick else (5.0, 15.0, 45.0)
    limits = sorted(set(args.work or args.times or usual))
    by = "work_limit" if args.work else "time_limit"
    layout = layout_of(args, columns_of(limits, "units" if args.work else "s"))
    sizes = tuple(dict.fromkeys(args.sizes or part.sizes["quick" if args.quick else "default"]))
    seeds = args.seeds or range(1 if args.quick else 2)
    settings, trials = _trials_of(args, sizes, seeds)
    asked = {"problem": args.problem, "sizes": sizes, "seeds": list(seeds), "settings": settings[0]}
    asked |= {"methods": methods, f"{by}s": limits, "threads": args.threads}
    asked |= {"loads": args.loads} if args.loads else {}
    runs = Runs(args.out or f"results/gap-{args.problem}", asked, args.run)
    measure = Gap(methods, tuple(limits), args.threads, by, by_load=args.loads is not None)
    words = f"{args.problem}-gap"
    with engine_of(args, threads=args.threads) as engine:
        store = Store(runs.path / "cells")
        (frame,) = frames_of([(measure, trials)], store=store, engine=engine, progress=words)
    with_gap = frame[frame["gap"].notna()]
    paths: list[Path] = []
    if len(with_gap) and not args.work:
        paths += save_picture(plot_gap(with_gap, len(settings)), with_gap, runs.folder / "gap")
    if not args.work:
        paths += save_picture(plot_growth(frame), frame, runs.folder / "growth")
    runs.finish(records_of(frame))
    explained = "; ".join(f"{name}: {part.methods[name].words}" for name in methods)
    threads = "1 thread" if args.threads == 1 else f"{args.threads} threads"
    threads += f", {args.workers} runs side by side" if args.workers > 1 else ""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {threads}"
    head = [f"{' '.join([args.problem, *args.set])}, {machine}; {explained}"]
    many = "1 seed" if len(seeds) == 1 else f"{len(seeds)} seeds"
    if len(with_gap):
        each = "limit of work" if args.work else "time limit"
        head.append(f"gap, median / worst of {many}, at each {each}; {COUNTS_AS_ALL}")
    if len(with_gap) < len(frame):
        head.append(f"bound, median of {many}, of what looks for no schedule")
    if args.work:
        parts = [wrap([runs.words], layout)]
        if len(methods) > 1:
            parts.insert(0, format_comparison(compare_methods(frame), layout))
        notes = "\n\n".join(parts)
    else:
        written = f"{runs.words}; pictures: {', '.join(map(str, paths))}"
        notes = wrap([format_overruns(frame), written], layout)
    print_rows(records_of(frame), layout, wrap(head, layout), format_gaps(frame, layout), notes)
    return int((frame["status"] == "failed").any())


def _methods_of(args: Namespace, part: GapMethods) -> tuple[str, ...]:
    """What is compared; raises InputError if any of it cannot be run as asked."""
    able = [name for name, method in part.methods.items() if method.by_work]
    methods = tuple(dict.fromkeys(args.methods or (able if args.work else part.default)))
    for name in methods:
        if name not in part.methods:
            words = "; ".join(f"{key}: {one.words}" for key, one in part.methods.items())
            known = f"{', '.join(part.methods)} ({words})"
            raise InputError(f"unknown method '{name}': want some of {known}")
        package = part.methods[name].package
        if package and find_spec(package) is None:
            raise InputError(
                f"method '{name}' needs {package}: pip install -c constraints.txt -e '.[check]'"
            )
    if args.work and args.threads > 1:
        raise InputError("--work: want --threads 1; when a second thread ends is up to the clock")
    if args.work and not able:
        raise InputError(f"--work: no method of {args.problem} can have a limit of work")
    if args.work and (unable := [name for name in methods if name not in able]):
        told = f"{', '.join(unable)} cannot have a limit of work, only {', '.join(able)} can"
        raise InputError(f"--work: {told}")
    return methods


def _trials_of(
    args: Namespace, sizes: Sequence[str], seeds: Sequence[int]
) -> tuple[list[dict[str, Any]], list[Trial]]:
    """The settings of the workload, one for each load; and an instance of each size and seed."""
    from benchmarks.study.ratio import source_of
    from benchmarks.study.study import Trial

    workload = experiments_of(args.problem).workload
    with_loads = [[*args.set, f"load={load}"] for load in dict.fromkeys(args.loads or ())] or [
        args.set
    ]
    settings = [workload.with_usual(workload.parse_set(given)) for given in with_loads]
    trials = []
    for text, given in itertools.product(sizes, settings):
        size = workload.parse_size(text)
        point = {"jobs": size.jobs, "slots": size.slots, "servers": size.servers, **given}
        trials += [Trial(args.problem, point, seed) for seed in seeds]
        # What is bad shows before anything is measured.
        instance_of(source_of(trials[-1], point))
    return settings, trials


def _parser() -> Parser:
    parser = Parser("benchmarks.gap", __doc__)
    add, known = parser.add_argument, with_part("gap")
    add("--problem", default="utility", help=f"one of {', '.join(known)} (default: utility)")
    sizes = "jobs x slots x servers, e.g. 10x10x5+5,20x20x10+10"
    add("--sizes", type=parse_list(str), metavar="JxTxS,...", help=sizes)
    add_set_argument(parser, *known)
    loads = "every size at each of these loads, as --set load=... takes them; none: as drawn"
    add("--loads", type=parse_list(str), metavar="LOAD,...", help=loads)
    effort, positive = parser.add_mutually_exclusive_group(), parse_list(parse_positive)
    limits = "time limits in seconds (default: 5,15,45)"
    effort.add_argument("--times", type=positive, metavar="S,...", help=limits)
    limits = "limits of work instead, for methods that have one (default: all that do)"
    effort.add_argument("--work", type=positive, metavar="UNITS,...", help=limits)
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

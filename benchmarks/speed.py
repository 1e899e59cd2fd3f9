"""Time policies decision by decision, and how memory peaks above what the instance takes.

A first run of each on a small instance compiles what is compiled and is not counted. Where a
problem has plain versions of its policies, they run as well.

Examples
--------
python -m benchmarks.speed --jobs 300 --slots 300 --servers 50+50 --seeds 1
    every policy at the papers' full scale, and plain versions of them if there are any
python -m benchmarks.speed --quick --policy oasis --format csv
python -m benchmarks.speed --problem jct --sizes 30x100x10,100x100x30,300x100x100 --out results
    how time grows; writes speed-jct.csv, .pdf and .png
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cli import Parser, engine_of, parse_list, parse_path, run_command
from benchmarks.contract import experiments_of
from benchmarks.instances import add_instance_arguments, settle_problem, sources_from
from benchmarks.study.cell import Needs
from benchmarks.study.scheme import Scheme, default_policies, schemes_of
from benchmarks.tables import Column, add_table_arguments, cell, layout_of, print_rows, render, wrap
from models.errors import InputError

if TYPE_CHECKING:
    from benchmarks.study.study import Trial


def main(argv: Sequence[str] | None = None) -> int:
    """Print one line per policy; returns the exit code."""
    parser = Parser("benchmarks.speed", __doc__)
    add_instance_arguments(parser)
    sizes = "several sizes, jobs x slots x servers, instead of --jobs, --slots and --servers"
    parser.add_argument("--sizes", type=parse_list(str), metavar="JxTxS,...", help=sizes)
    folder = "write the rows (csv) and a picture, seconds against the sizes, there"
    parser.add_argument("--out", type=parse_path, metavar="DIR", help=folder)
    add_table_arguments(parser)
    parser.add_engine(timed=True)
    args = parser.parse_args(argv)
    settle_problem(args)
    # What is heavy is imported once the options are known to be right.
    from benchmarks.study.rows import records_of
    from benchmarks.study.speed import Speed
    from benchmarks.study.study import frames_of, succeeded

    experiments = experiments_of(args.problem)
    columns = _columns(experiments.workload.words.events, sized=args.sizes is not None)
    layout = layout_of(args, columns)
    names = [*(args.policy or default_policies(args.problem)), *experiments.plain_versions]
    trials, data = _asked(args, schemes_of(args.problem, names))
    speed = Speed(data, Needs(alone=args.workers == 1))
    with engine_of(args) as engine:
        words = f"speed of {args.problem}"
        (frame,) = frames_of([(speed, trials)], engine=engine, progress=words)
    cores = f"{os.cpu_count()} cores"
    if args.out is not None:
        from benchmarks.pictures.lines import plot_costs
        from benchmarks.pictures.style import save_picture

        # Not memory: what one run frees the next one takes, so the rise depends on their order.
        found = succeeded(frame)
        note = f"a run, scored; {platform.machine()}, {cores}"
        picture = plot_costs(found, seconds="run_s", series="policy", note=note)
        save_picture(picture, frame, Path(args.out) / f"speed-{args.problem}")
    shown = frame.reindex(columns=[column.name for column in columns])
    lines = shown.map(lambda value: cell(value, ".3f" * isinstance(value, float))).to_numpy()
    machine = f"{platform.processor() or platform.machine()}, {cores}"
    table = render(columns, lines.tolist(), layout)
    print_rows(records_of(frame), layout, wrap([machine], layout), table)
    return int(bool(engine.failed))


def _asked(
    args: argparse.Namespace, schemes: Sequence[Scheme]
) -> tuple[list[Trial], Mapping[str, Mapping[str, bytes]]]:
    """Trials of all instances, and the data of those given as files; raises InputError."""
    from benchmarks.study.study import trial_on

    if args.sizes is None:
        if args.out is not None:
            raise InputError("--out needs --sizes: it draws how time grows")
        sources = sources_from(args)
        return [trial_on(one, schemes) for one in sources.instances], sources.data
    for name in ("jobs", "slots", "servers", "instance"):
        if getattr(args, name):
            raise InputError(f"--{name} does not go with --sizes")
    workload, trials = experiments_of(args.problem).workload, []
    for text in args.sizes:
        size = workload.parse_size(text)
        args.jobs, args.slots = size.jobs, size.slots
        args.servers = workload.show_servers(size.servers)
        for one in sources_from(args).instances:
            trials.append(trial_on(one, schemes, size=text, seed=one["seed"]))
    return trials, {}


def _columns(events: Sequence[str], *, sized: bool) -> list[Column]:
    """Those of the rows; with sizes there are two more."""
    ranks = {"size": 0, "seed": 0} if sized else {}
    ranks |= {"instance": 3, "policy": 0, "policy_s": 1, "run_s": 4, "peak_mb": 5}
    for kind in events:
        ranks |= {f"{kind}s": 6, f"{kind}_median_ms": 0, f"{kind}_worst_ms": 2}
    names = ("size", "instance", "policy")
    return [Column(name, name, name in names, rank) for name, rank in ranks.items()]


if __name__ == "__main__":
    run_command(main)

"""``python -m benchmarks.speed``: how long policies take to decide, in one run on one machine."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from benchmarks.cli import Parser, parse_words, run_command
from benchmarks.contract import experiments_of
from benchmarks.engines import add_engine_arguments, engine_of
from benchmarks.instances import Sources, add_instance_arguments, parse_size, sources_from
from benchmarks.pictures.lines import plot_costs, seeds_in_words
from benchmarks.pictures.save import save_picture
from benchmarks.ratio import add_policy_argument
from benchmarks.study.cell import Needs
from benchmarks.study.rows import records_of
from benchmarks.study.scheme import default_policies, schemes_of
from benchmarks.study.speed import Speed
from benchmarks.study.study import Entry, Trial, frame_of, succeeded
from benchmarks.tables import (
    Column,
    add_table_arguments,
    format_records,
    layout_of,
    render,
    wrap,
)
from benchmarks.workload.contract import Workload
from models.errors import InputError

__all__ = ["main"]

_EXAMPLES = """
  python -m benchmarks.speed --jobs 300 --slots 300 --servers 50+50 --seeds 1
      every policy at the papers' full scale; oasis's arrivals are calls of the oracle
  python -m benchmarks.speed --quick --policy oasis --format csv
  python -m benchmarks.speed --problem reward --slots 8000 --seeds 1
      and beside the policies a plain NumPy version of OGASched
  python -m benchmarks.speed --problem jct --sizes 30x100x10,100x100x30,300x100x100 --out results
      how time grows; writes speed-jct.csv, .pdf and .png
  python -m benchmarks.speed --problem reward --jobs 100 --servers 1024 --slots 10000 --seeds 1 \\
      --set density=25 --set most_ports=25
      the large instance
"""


_COSTS = {"policy_s": 1, "run_s": 4, "peak_mb": 5}  # with ranks


def main(argv: Sequence[str] | None = None) -> int:
    """Print one line per policy; returns the exit code."""
    parser = Parser(
        "benchmarks.speed",
        "Time policies decision by decision, and measure the peak of memory above what the "
        "instance takes. A first run of each on a small instance compiles what is compiled and is "
        "not counted. Where a problem has plain versions of its policies, they run as well.",
        _EXAMPLES,
    )
    add_instance_arguments(parser)
    add_policy_argument(parser)
    parser.add_argument(
        "--sizes",
        type=parse_words,
        metavar="JxTxS,...",
        help="several sizes, jobs x slots x servers, instead of --jobs, --slots and --servers",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="write the rows (csv) and a picture, seconds against the sizes, there",
    )
    add_table_arguments(parser)
    add_engine_arguments(parser, timed=True)
    args = parser.parse_args(argv)
    columns = _columns(experiments_of(args.problem).workload, args.sizes is not None)
    layout = layout_of(args, columns)
    names = args.policy or default_policies(args.problem)
    plain = experiments_of(args.problem).plain_versions
    schemes = schemes_of(args.problem, [*names, *plain])
    asked = _asked(args)
    trials = [
        Trial(args.problem, point, 0, tuple(Entry(scheme, "", source) for scheme in schemes))
        for sources, points in asked
        for source, point in zip(sources.instances, points, strict=True)
    ]
    engine = engine_of(args)
    speed = Speed(asked[0][0].data, Needs(alone=args.workers == 1))
    frame = frame_of(speed, trials, engine=engine, progress=f"speed of {args.problem}")
    if args.out is not None:
        save_picture(_plot(succeeded(frame)), frame, Path(args.out) / f"speed-{args.problem}")
    if args.format in ("csv", "json"):
        sys.stdout.write(format_records(records_of(frame), args.format))
    else:
        machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"
        names = [column.name for column in columns]
        lines = [[_text(value) for value in row] for row in frame[names].itertuples(index=False)]
        print(f"{wrap([machine], layout)}\n\n{render(columns, lines, layout)}")
    return engine.end()


def _columns(workload: Workload, sizes: bool) -> list[Column]:
    """Those of the rows; with sizes there are two more."""
    named = [Column("size", "size", left=True), Column("seed", "seed")] if sizes else []
    named += [
        Column("instance", "instance", left=True, rank=3),
        Column("policy", "policy", left=True),
        *(Column(name, name, rank=rank) for name, rank in _COSTS.items()),
    ]
    for kind in workload.words.events:
        ranks = {f"{kind}s": 6, f"{kind}_median_ms": 0, f"{kind}_worst_ms": 2}
        named += [Column(name, name, rank=rank) for name, rank in ranks.items()]
    return named


def _text(value: Any) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _asked(args: argparse.Namespace) -> list[tuple[Sources, list[dict[str, Any]]]]:
    """Instances, and what rows say of each besides its name; raises InputError."""
    if args.sizes is None:
        if args.out is not None:
            raise InputError("--out needs --sizes: it draws how time grows")
        sources = sources_from(args)
        return [(sources, [{} for _ in sources.instances])]
    for name in ("jobs", "slots", "servers", "instance"):
        if getattr(args, name):
            raise InputError(f"--{name} does not go with --sizes")
    workload = experiments_of(args.problem).workload
    found = []
    for text in args.sizes:
        size = parse_size(workload, text)
        servers = workload.show_servers(size.servers)
        given = {"jobs": size.jobs, "slots": size.slots, "servers": servers}
        sources = sources_from(argparse.Namespace(**{**vars(args), **given}))
        found.append((sources, [{"size": text, "seed": one["seed"]} for one in sources.instances]))
    return found


def _plot(frame: pd.DataFrame) -> Figure:
    # Not memory: what one run frees the next one takes, so the rise depends on their order.
    note = f"a run, scored; {platform.machine()}, {os.cpu_count()} cores\n{seeds_in_words(frame)}"
    return plot_costs(frame, seconds="run_s", series="policy", note=note)


if __name__ == "__main__":
    run_command(main)

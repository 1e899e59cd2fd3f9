"""``python -m benchmarks.speed``: how long policies take to decide, in one run on one machine."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from tqdm import tqdm

from benchmarks.cli import Parser, parse_words, run_command
from benchmarks.evaluate import run_policy
from benchmarks.instances import (
    add_instance_arguments,
    instances_from,
    parse_size,
)
from benchmarks.memory import PeakMemory
from benchmarks.pictures.costs import plot_costs, seeds_in_words
from benchmarks.pictures.save import save_picture
from benchmarks.ratio import add_policy_argument, find_policies
from benchmarks.tables import (
    Column,
    add_table_arguments,
    format_records,
    layout_of,
    render,
    wrap,
)
from benchmarks.warm import warm_up
from benchmarks.workload.contract import Size, Workload
from models.errors import InputError
from models.problem import has_sub_package, sub_package
from online.run import Trace

__all__ = ["main", "measure_speed"]

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
    args = parser.parse_args(argv)
    workload: Workload = sub_package("benchmarks", args.problem).WORKLOAD
    columns = _columns(workload, args.sizes is not None)
    layout = layout_of(args, columns)
    policies = find_policies(args.problem, args.policy)
    sizes = _sizes(args)
    instances = [] if sizes else instances_from(args)
    if has_sub_package("benchmarks", args.problem, "references"):
        policies += sub_package("benchmarks", args.problem, "references").REFERENCES
    warm_up(args.problem, policies)
    if sizes:
        frame = _measure_sizes(args, sizes, policies)
    else:
        frame = measure_speed(instances, policies)
    if args.out is not None:
        save_picture(_plot(frame), frame, Path(args.out) / f"speed-{args.problem}")
    if args.format in ("csv", "json"):
        records = frame.astype(object).where(frame.notna(), None).to_dict("records")
        sys.stdout.write(format_records(records, args.format))
    else:
        machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"
        lines = [[_text(value) for value in row] for row in frame.itertuples(index=False)]
        print(f"{wrap([machine], layout)}\n\n{render(columns, lines, layout)}")
    return 0


def _columns(workload: Workload, sizes: bool) -> list[Column]:
    """Those of :func:`measure_speed`; with sizes those of :func:`_measure_sizes`."""
    named = [Column("size", "size", left=True), Column("seed", "seed")] if sizes else []
    named += [
        Column("instance", "instance", left=True, rank=3),
        Column("policy", "policy", left=True),
        Column("policy_s", "policy_s", rank=1),
        Column("run_s", "run_s", rank=4),
        Column("peak_mb", "peak_mb", rank=5),
    ]
    for kind in workload.words.events:
        named += [
            Column(f"{kind}s", f"{kind}s", rank=6),
            Column(f"{kind}_median_ms", f"{kind}_median_ms"),
            Column(f"{kind}_worst_ms", f"{kind}_worst_ms", rank=2),
        ]
    return named


def _text(value: Any) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _sizes(args: argparse.Namespace) -> dict[str, Size]:
    """Sizes by their texts; raises InputError."""
    if args.sizes is None:
        if args.out is not None:
            raise InputError("--out needs --sizes: it draws how time grows")
        return {}
    for name in ("jobs", "slots", "servers", "instance"):
        if getattr(args, name):
            raise InputError(f"--{name} does not go with --sizes")
    workload: Workload = sub_package("benchmarks", args.problem).WORKLOAD
    return {text: parse_size(workload, text) for text in args.sizes}


def _measure_sizes(
    args: argparse.Namespace, sizes: Mapping[str, Size], policies: Sequence[Any]
) -> pd.DataFrame:
    """:func:`measure_speed` of one size after the other, so that one is in memory at a time."""
    frames = []
    for text, size in sizes.items():
        servers = text.rpartition("x")[2]
        given = {"jobs": size.jobs, "slots": size.slots, "servers": servers}
        instances = instances_from(argparse.Namespace(**{**vars(args), **given}))
        frame = measure_speed(instances, policies)
        frame.insert(0, "size", text)
        frame.insert(1, "seed", np.repeat([one.seed for one in instances], len(policies)))
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _plot(frame: pd.DataFrame) -> Figure:
    # Not memory: what one run frees the next one takes, so the rise depends on their order.
    return plot_costs(
        frame,
        seconds="run_s",
        series="policy",
        note=f"a run, scored; {platform.machine()}, {os.cpu_count()} cores\n"
        f"{seeds_in_words(frame)}",
    )


def measure_speed(instances: Sequence[Any], policies: Sequence[Any]) -> pd.DataFrame:
    """Time every policy on every instance.

    Returns
    -------
    DataFrame
        Per instance and policy: ``policy_s`` (time inside the policy's reset and decisions),
        ``run_s`` (with its construction, the runner and the scorer), ``peak_mb`` (rise of the
        process's memory meanwhile, with the schedule that is kept, beyond what earlier runs have
        left free; None where the system does not tell); per kind of event (of ``utility``: arrival
        of a job, start of a slot) their number, median and worst time. OASiS decides at arrivals,
        by one call of the oracle; FIFO, DRF, RRH and Dorm at the start of slots, and so do the
        policies of ``jct``; OGASched learns after a slot's arrivals are revealed, when the
        heuristics of ``reward`` decide.
    """
    rows = []
    with tqdm(total=len(instances) * len(policies), disable=None, file=sys.stderr) as progress:
        for instance in instances:
            workload: Workload = sub_package("benchmarks", instance.problem).WORKLOAD
            events = workload.words.events
            for policy in policies:
                progress.set_postfix_str(f"{instance.name} {policy.name}")
                memory = PeakMemory()
                begin = time.perf_counter()
                run = run_policy(instance, policy)
                whole = time.perf_counter() - begin
                risen = memory.risen
                rows.append(
                    {
                        "instance": instance.name,
                        "policy": policy.name,
                        "policy_s": float(run.trace.seconds.sum()),
                        "run_s": whole,
                        "peak_mb": None if risen is None else risen / 1e6,
                        **_per_event(run.trace, events),
                    }
                )
                progress.update()
    return pd.DataFrame(rows)


def _per_event(trace: Trace, events: Sequence[str]) -> dict[str, float]:
    milliseconds = 1e3 * trace.seconds[1:]  # the first is the reset
    kinds = np.array([row["event"] for row in trace.decisions])
    found: dict[str, float] = {}
    for kind in events:
        times = milliseconds[kinds == kind] if len(kinds) else milliseconds
        found[f"{kind}s"] = len(times)
        found[f"{kind}_median_ms"] = float(np.median(times)) if len(times) else 0.0
        found[f"{kind}_worst_ms"] = float(np.max(times, initial=0.0))
    return found


if __name__ == "__main__":
    run_command(main)

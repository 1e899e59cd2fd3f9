"""``python -m benchmarks.ratio``: competitive ratios of online policies, measured."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from benchmarks.cli import Parser, parse_positive, parse_words, run_command
from benchmarks.engines import add_engine_arguments, engine_of
from benchmarks.instances import Sources, add_instance_arguments, sources_from
from benchmarks.runs import Runs
from benchmarks.study.cell import Effort
from benchmarks.study.compute import compute
from benchmarks.study.engine import Engine
from benchmarks.study.ratio import Ratio
from benchmarks.study.rows import Row, Timing, join
from benchmarks.study.scheme import Scheme, default_policies, schemes_of
from benchmarks.study.study import Entry, Trial, faults
from benchmarks.table import COLUMNS, common_origin, format_table, loads_of, summarise
from benchmarks.tables import add_table_arguments, format_records, layout_of, wrap
from models.problem import all_offered
from online.contract import OnlineSide

__all__ = ["add_policy_argument", "main"]

_EXAMPLES = """
  python -m benchmarks.ratio
      the default: every policy of `utility` on the synthetic workload
  python -m benchmarks.ratio --jobs 20 --slots 20 --servers 10+10 --seeds 20
      larger instances, seeds 0 to 19
  python -m benchmarks.ratio --seeds 7:8 --policy oasis,my_file.py:MyPolicy
      one seed; a registered policy against one from my_file.py in this folder
  python -m benchmarks.ratio --trace google:PATH --seeds 5
      arrivals from a real trace
  python -m benchmarks.ratio --problem reward --slots 500 --set arrivals=drifting
      another problem, and a setting of its workload
  python -m benchmarks.ratio --problem jct --set scale=testbed --jobs 30 --servers 8
  python -m benchmarks.ratio --instance one.json two.json.gz --format csv
      your own instances; a table for pandas
  python -m benchmarks.ratio --instance one.json --policy oasis --out one
      the schedules are one/instances/*/schedules/oasis.json.gz and, the best one known,
      one/instances/*/offline.json.gz; those of `reward` end in .npz
  python -m benchmarks.ratio --seeds 0:50 --out both --run first
  python -m benchmarks.ratio --seeds 50:100 --out both --run second
      two runs in one folder, at the same time or one after the other: both/all.csv has the
      rows of both
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line and print the table; returns the exit code."""
    args = _parser().parse_args(argv)
    layout = layout_of(args, COLUMNS)
    sources = sources_from(args)
    schemes = schemes_of(args.problem, args.policy or default_policies(args.problem))
    asked = {
        **sources.asked,
        "policies": {scheme.name: scheme.policy for scheme in schemes},
        "time_limit": args.time_limit,
        "threads": args.threads,
    }
    runs = Runs(args.out or Path("results") / f"ratio-{args.problem}", asked, args.run)
    engine = engine_of(args, threads=args.threads)
    effort = Effort(args.time_limit, args.threads)
    rows, timings, instances = _measure(args.problem, sources, schemes, effort, runs, engine)
    records = join(rows, timings)
    if args.format in ("csv", "json"):
        sys.stdout.write(format_records(records, args.format))
    else:
        frame = pd.DataFrame(records)
        many = "1 instance" if len(instances) == 1 else f"{len(instances)} instances"
        title = f"{args.problem}: {many}, {loads_of(frame)}: {common_origin(instances)}"
        print(f"{wrap([title], layout)}\n\n{format_table(summarise(frame), frame, layout)}")
        written = (
            f"rows: {runs.path}, of all runs in it: {runs.path / 'all.csv'}, this one is "
            f"{runs.name}; schedules: {runs.path / 'instances'}/*/schedules"
        )
        print(f"\n{wrap([written], layout)}")
    code = engine.end()
    return max(code, 1 if any(row.error for row in rows) else 0)


class Named(NamedTuple):
    """What the table says of an instance."""

    name: str
    origin: str


def _measure(
    problem_name: str,
    sources: Sources,
    schemes: Sequence[Scheme],
    effort: Effort,
    runs: Runs,
    engine: Engine,
) -> tuple[list[Row], list[Timing], list[Named]]:
    """Run every policy on every instance, and solve it offline, apart from what is stored."""
    ratio = Ratio(effort, source=lambda trial, settings: settings, data=sources.data)
    trials = [
        Trial(problem_name, {}, 0, tuple(Entry(scheme, "", source) for scheme in schemes))
        for source in sources.instances
    ]
    parts = [ratio.cells(trial) for trial in trials]
    cells = [cell for part in parts for cell in part]
    store = runs.open_store()
    try:
        ended = compute(cells, store=store, engine=engine, progress=f"ratio of {problem_name}")
    finally:
        store.discard_empty()
    outcomes = iter(ended)
    rows: list[Row] = []
    timings: list[Timing] = []
    instances = []
    for trial, part in zip(trials, parts, strict=True):
        own = [next(outcomes) for _ in part]
        ((_, joined),) = ratio.join(trial, own)
        runs.keep_instance(store, part, joined)
        rows += joined.rows
        timings += joined.timings
        for line in faults([asdict(row) for row in joined.rows], own):
            print(line, file=sys.stderr)
        origins = [outcome.result.value["origin"] for outcome in own if outcome.result]
        instances.append(Named(joined.rows[0].instance, origins[0] if origins else ""))
    runs.finish(rows, timings)
    return rows, timings, instances


def add_policy_argument(parser: Parser) -> None:
    """Option that chooses the policies: a list of references."""
    sides = all_offered("online", "ONLINE", OnlineSide)
    known = "; ".join(f"{name}: {', '.join(side.policies)}" for name, side in sides.items())
    parser.add_argument(
        "--policy",
        action="extend",
        type=parse_words,
        default=[],
        metavar="NAME,...",
        help=f"registered policies ({known}), module:Class or file.py:Class; several joined by "
        "commas, or in several --policy (default: all registered; jct: those of the paper)",
    )


def _parser() -> Parser:
    parser = Parser(
        "benchmarks.ratio",
        "Solve instances offline, run online policies on the same instances, score all by one "
        "scorer, and print the competitive ratios with what is proven about them.",
        _EXAMPLES,
    )
    add_instance_arguments(parser)
    add_policy_argument(parser)
    parser.add_argument(
        "--time-limit",
        type=parse_positive,
        default=30.0,
        metavar="SECONDS",
        help="for the offline solve of one instance (default: 30); what is not proven by then "
        "is reported as an interval",
    )
    parser.add_threads("of the offline solver")
    add_engine_arguments(parser)
    add_table_arguments(parser)
    parser.add_out("results/ratio-PROBLEM")
    parser.add_argument(
        "--run",
        metavar="NAME",
        help="name of this run in the folder (default: a hash of what is asked for)",
    )
    return parser


if __name__ == "__main__":
    run_command(main)

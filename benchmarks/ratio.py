"""``python -m benchmarks.ratio``: competitive ratios of online policies, measured."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from benchmarks.cli import Parser, parse_positive, parse_words, run_command
from benchmarks.evaluate import evaluate
from benchmarks.instances import add_instance_arguments, instances_from
from benchmarks.results import ResultsFolder
from benchmarks.rows import Row, Timing, join
from benchmarks.table import COLUMNS, common_origin, format_table, loads_of, summarise
from benchmarks.tables import (
    add_table_arguments,
    format_records,
    layout_of,
    wrap,
)
from benchmarks.warm import warm_up
from benchmarks.workload.contract import Workload
from models.errors import InputError
from models.problem import has_sub_package, problem_names, sub_package
from online.policy import Policy
from online.registry import find_policy, policy_names
from online.run import InfeasibleDecision

__all__ = ["add_policy_argument", "find_policies", "main", "measure"]

_EXAMPLES = """
  python -m benchmarks.ratio
      the default: every policy of `utility` on the synthetic workload
  python -m benchmarks.ratio --jobs 20 --slots 20 --servers 10+10 --seeds 20
      larger instances, seeds 0 to 19
  python -m benchmarks.ratio --seeds 7:8 --policy oasis,my_file:MyPolicy
      one seed; a registered policy against one from my_file.py in this folder
  python -m benchmarks.ratio --trace google:PATH --seeds 5
      arrivals from a real trace
  python -m benchmarks.ratio --problem reward --slots 500 --set arrivals=drifting
      another problem, and a setting of its workload
  python -m benchmarks.ratio --problem jct --set scale=testbed --jobs 30 --servers 8
  python -m benchmarks.ratio --instance one.json two.json.gz --format csv
      your own instances; a table for pandas
  python -m benchmarks.ratio --instance one.json --policy oasis --out one
      the schedules are one/cells/*/schedules/oasis.json.gz and, the best one known,
      one/cells/*/offline.json.gz; those of `reward` end in .npz
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line and print the table; returns the exit code."""
    args = _parser().parse_args(argv)
    layout = layout_of(args, COLUMNS)
    policies = find_policies(args.problem, args.policy)
    instances = instances_from(args)
    settings = {
        "problem": args.problem,
        "time_limit": args.time_limit,
        "threads": args.threads,
    }
    out = Path(args.out or Path("results") / f"ratio-{args.problem}")
    rows, timings = measure(
        instances, policies, ResultsFolder(out, settings, policies), args.time_limit, args.threads
    )
    records = join(rows, timings)
    if args.format in ("csv", "json"):
        sys.stdout.write(format_records(records, args.format))
    else:
        frame = pd.DataFrame(records)
        many = "1 instance" if len(instances) == 1 else f"{len(instances)} instances"
        title = f"{args.problem}: {many}, {loads_of(frame)}: {common_origin(instances)}"
        print(f"{wrap([title], layout)}\n\n{format_table(summarise(frame), frame, layout)}")
        print(f"\n{wrap([f'rows: {out}; schedules: {out}/cells/*/schedules'], layout)}")
    return 0


def measure(
    instances: Sequence[Any],
    policies: Sequence[type[Policy]],
    folder: ResultsFolder,
    time_limit: float | None,
    threads: int = 1,
) -> tuple[list[Row], list[Timing]]:
    """Evaluate every policy on every instance, keeping each instance as it is finished.

    Instances that ``folder`` already holds, with the same settings and code, are not run
    again. Before the first that is, kernels are compiled, so that no timing contains it.
    An error leaves the instances finished before it, and no empty folder.
    """
    rows: list[Row] = []
    timings: list[Timing] = []
    warm, ready = False, 0
    try:
        with tqdm(instances, desc="instances", disable=None, file=sys.stderr) as progress:
            for instance in progress:
                progress.set_postfix_str(instance.name)
                known = folder.load(instance)
                if known is None:
                    if not warm:
                        warm_up(instance.problem)
                        warm = True
                    cell = evaluate(instance, policies, time_limit=time_limit, threads=threads)
                    folder.save(instance, cell)
                    known = list(cell.rows), list(cell.timings)
                else:
                    ready += 1
                rows.extend(known[0])
                timings.extend(known[1])
    except BaseException as error:
        folder.discard_empty()
        if isinstance(error, InfeasibleDecision) and len(policies) > 1:
            error.add_note("to leave a policy out, name the others, each by --policy NAME")
        raise
    folder.finish(rows, timings)
    if ready:
        print(f"{ready} of {len(instances)} instances: as run before", file=sys.stderr)
    return rows, timings


def find_policies(problem_name: str, names: Sequence[str]) -> list[type[Policy]]:
    """Policies asked for on the command line, those of the workload if none is.

    Raises
    ------
    InputError
        If one is unknown, or two have the same name.
    """
    if not names:
        workload: Workload = sub_package("benchmarks", problem_name).WORKLOAD
        names = workload.policies or policy_names(problem_name)
    policies = [find_policy(problem_name, name) for name in names]
    seen: set[str] = set()
    for policy in policies:
        if policy.name in seen:
            raise InputError(f"two policies are named '{policy.name}'")
        seen.add(policy.name)
    return policies


def add_policy_argument(parser: Parser) -> None:
    """Option that chooses the policies, for :func:`find_policies`."""
    built = [name for name in problem_names() if has_sub_package("online", name)]
    known = "; ".join(f"{name}: {', '.join(policy_names(name))}" for name in built)
    parser.add_argument(
        "--policy",
        action="extend",
        type=parse_words,
        default=[],
        metavar="NAME,...",
        help=f"registered policies ({known}) or module:Class, joined by commas or in several "
        "--policy (default: all registered; jct: those of the paper)",
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
    parser.add_argument(
        "--threads", type=int, choices=(1, 2, 4, 8), default=1, help="of the offline solver"
    )
    add_table_arguments(parser)
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="results folder (default: results/ratio-PROBLEM); instances finished there with "
        "the same settings and code are not run again, unless a policy is from outside",
    )
    return parser


if __name__ == "__main__":
    run_command(main)

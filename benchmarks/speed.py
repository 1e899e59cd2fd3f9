"""``python -m benchmarks.speed``: how long policies take to decide, in one run on one machine."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from benchmarks.cli import Parser, run_command
from benchmarks.evaluate import run_policy
from benchmarks.instances import add_instance_arguments, instances_from
from benchmarks.ratio import add_policy_argument, find_policies
from benchmarks.warm import warm_up
from online.run import Trace

__all__ = ["main", "measure_speed"]

_EXAMPLES = """
  python -m benchmarks.speed --jobs 300 --slots 300 --servers 50+50 --seeds 1
      every policy at the papers' full scale; oasis's arrivals are calls of the oracle
  python -m benchmarks.speed --quick --policy oasis --format csv
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Print one line per policy; returns the exit code."""
    parser = Parser(
        "benchmarks.speed",
        "Time policies decision by decision. A first run of each on a small instance compiles "
        "what is compiled and is not counted.",
        _EXAMPLES,
    )
    add_instance_arguments(parser)
    add_policy_argument(parser)
    parser.add_argument("--format", choices=("table", "csv"), default="table")
    args = parser.parse_args(argv)
    policies = find_policies(args.problem, args.policy)
    instances = instances_from(args)
    warm_up(args.problem, policies)
    frame = measure_speed(instances, policies)
    if args.format == "csv":
        frame.to_csv(sys.stdout, index=False)
    else:
        print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores")
        print(frame.to_string(index=False, float_format="%.3f"))
    return 0


def measure_speed(instances: Sequence[Any], policies: Sequence[Any]) -> pd.DataFrame:
    """Time every policy on every instance.

    Returns
    -------
    DataFrame
        Per instance and policy: ``policy_s`` (time inside the policy's reset and decisions),
        ``run_s`` (with its construction, the runner and the scorer); per kind of event (arrival
        of a job, start of a slot) their number, median and worst time. OASiS decides at
        arrivals, by one call of the oracle; FIFO, DRF, RRH and Dorm at the start of slots.
    """
    rows = []
    with tqdm(total=len(instances) * len(policies), disable=None, file=sys.stderr) as progress:
        for instance in instances:
            for policy in policies:
                progress.set_postfix_str(f"{instance.name} {policy.name}")
                begin = time.perf_counter()
                run = run_policy(instance, policy)
                whole = time.perf_counter() - begin
                rows.append(
                    {
                        "instance": instance.name,
                        "policy": policy.name,
                        "policy_s": float(run.trace.seconds.sum()),
                        "run_s": whole,
                        **_per_event(run.trace),
                    }
                )
                progress.update()
    return pd.DataFrame(rows)


def _per_event(trace: Trace) -> dict[str, float]:
    milliseconds = 1e3 * trace.seconds[1:]  # the first is the reset
    kinds = np.array([row["event"] for row in trace.decisions])
    found: dict[str, float] = {}
    for kind in ("arrival", "slot"):
        times = milliseconds[kinds == kind] if len(kinds) else milliseconds
        found[f"{kind}s"] = len(times)
        found[f"{kind}_median_ms"] = float(np.median(times)) if len(times) else 0.0
        found[f"{kind}_worst_ms"] = float(np.max(times, initial=0.0))
    return found


if __name__ == "__main__":
    run_command(main)

"""Audit a cluster trace: what is in it, and how it becomes an instance.

Rows, dropped rows and why, span, arrival rates, demands. A row that cannot be read is an error.

Examples
--------
python -m benchmarks.trace audit google:../shared/data/google-2011
    all tables of a folder
python -m benchmarks.trace audit google:job_submit_events_29d.csv.gz
    one table: job_events, task_events and machine_events are told apart by their columns
python -m benchmarks.trace audit philly:philly.csv.gz --format json
    the derived csv, or the original JSON (cluster_job_log), or the folder of either
python -m benchmarks.trace audit csv:jobs.csv --problem colocated
    a table of your own; docs/instances.md says which columns it needs
python -m benchmarks.trace audit edge-cloud:../shared/data --problem jct
    jobs, arrivals and nodes of three traces, and what `jct` takes from them
python -m benchmarks.trace audit pai-machines:pai_machine_spec.csv
    (its .header file has to stand beside it)
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from benchmarks.cli import Parser, run_command
from benchmarks.contract import experiments_of
from benchmarks.traces import KINDS, read_trace
from benchmarks.traces.audit import audit, format_audit


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line and print the audit; returns the exit code."""
    parser = Parser("benchmarks.trace", __doc__)
    parser.add_argument("action", choices=["audit"])
    kinds = f"KIND is one of {', '.join(KINDS)}; PATH may be gzip-ed"
    parser.add_argument("trace", metavar="KIND:PATH", help=kinds)
    told = "print the mapping to this problem (default: utility)"
    parser.add_argument("--problem", default="utility", help=told)
    parser.add_argument("--format", choices=("table", "json"), default="table")
    args = parser.parse_args(argv)
    workload = experiments_of(args.problem).workload
    trace = read_trace(args.trace)
    record = audit(trace, {args.problem: workload.describe_mapping(trace.kind)})
    print(json.dumps(record, indent=1) if args.format == "json" else format_audit(record))
    return 0


if __name__ == "__main__":
    run_command(main)

"""Damage files of all problems, and try instances at the edges of their ranges.

Instances, schedules and certificates are damaged in many ways, certificates sealed anew. Each file
has to be refused in one line or to be what it says; no exception is raised but InputError, and no
warning by the toolkit's own code. Trees of certificates are also tampered with so that most of them
can still be read: these count as accepted, and what is recomputed from them has to be a bound. Of
each failure the seed is printed. Exit code: 1 if there is any.

Examples
--------
python -m tests.fuzz --cases 100000
    damaged files, as many of each problem and kind
python -m tests.fuzz --kind edges --cases 1000
    every policy and the offline solver on valid instances at the edges of the ranges
python -m tests.fuzz --problem jct --kind schedules --seed 4711 --cases 1
    one case again
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from tqdm import tqdm

from benchmarks.cli import Parser, parse_count, run_command
from models.errors import InputError
from models.problem import problem_names
from tests.fuzz.attempts import Outcome, Task, attempt
from tests.fuzz.cases import KINDS, damaged_files
from tests.highs_here import solve_here

_BATCH = 50


def main(argv: Sequence[str] | None = None) -> int:
    """Print how many files were tried and accepted, and each failure; 1 if there is any."""
    parser = Parser("tests.fuzz", __doc__)
    parser.add_argument("--cases", type=parse_count, default=1000, metavar="N", help="in all")
    parser.add_argument("--problem", choices=problem_names(), help="default: all problems")
    parser.add_argument("--kind", choices=KINDS, help="default: all but edges")
    parser.add_argument("--seed", type=int, default=0, help="of the first case of each kind")
    parser.add_argument("--workers", type=parse_count, default=1, metavar="N", help="processes")
    args = parser.parse_args(argv)
    tasks = _tasks(args)
    tried, accepted, faults = Counter[str](), Counter[str](), Counter[str]()
    for outcome in tqdm(_outcomes(tasks, args.workers), total=len(tasks), mininterval=1.0):
        task = outcome.task
        tried[f"{task.problem} {task.kind}"] += 1
        accepted[f"{task.problem} {task.kind}"] += outcome.accepted
        if outcome.fault:
            faults[outcome.what] += 1
            again = f"--problem {task.problem} --kind {task.kind} --seed {task.seed} --cases 1"
            tqdm.write(f"{outcome.what}: {again}: {outcome.fault}", file=sys.stdout)
    for name, count in tried.items():
        print(f"{name}: {count} tried, {accepted[name]} accepted")
    kinds = ("traceback", "warning", "falsehood")
    print(f"{len(tasks)} cases: " + ", ".join(f"{faults[what]} {what}s" for what in kinds))
    return 1 if faults else 0


def _tasks(args: argparse.Namespace) -> list[Task]:
    names = [args.problem] if args.problem else problem_names()
    pairs = [(name, "edges") for name in names] if args.kind == "edges" else damaged_files(names)
    pairs = [pair for pair in pairs if args.kind in (None, pair[1])]
    if not pairs:
        raise InputError(f"--kind {args.kind}: {args.problem} has none")
    each = -(-args.cases // len(pairs))
    return [Task(*pair, args.seed + n) for pair in pairs for n in range(each)][: args.cases]


def _outcomes(tasks: list[Task], workers: int) -> Iterator[Outcome]:
    if workers == 1:
        yield from (outcome for task in tasks for outcome in attempt([task]))
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=solve_here) as pool:
        batches = [tasks[n : n + _BATCH] for n in range(0, len(tasks), _BATCH)]
        for outcomes in pool.map(attempt, batches):
            yield from outcomes


if __name__ == "__main__":
    solve_here()
    run_command(main)

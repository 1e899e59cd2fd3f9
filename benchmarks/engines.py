"""Options of all commands that run cells: where they run, and what they may take at most."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from contextlib import closing

from benchmarks.cli import Parser, parse_count, parse_positive
from benchmarks.study.cell import Needs
from benchmarks.study.cluster import Cluster
from benchmarks.study.engine import Ended, Engine, InProcess, Processes, Task, default_workers

_LIMIT = 3600.0  # seconds


def add_engine_arguments(parser: Parser, *, timed: bool = False, guarded: bool = False) -> None:
    """Options that say where cells run, for :func:`engine_of`.

    ``timed``: times are what the command measures, so that cells run one by one unless it is told
    otherwise. ``guarded``: each cell says itself that it needs a process of its own, and its limit.
    """
    usual = "1, since times are measured" if timed else "as many as the processors allow"
    unguarded = "" if guarded else "; 1: in this process, where nothing is stopped that hangs"
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers",
        type=parse_count,
        default=1 if timed else None,
        metavar="N",
        help=f"cells that run at the same time (default: {usual}){unguarded}",
    )
    where.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="the workers of a Dask scheduler instead, e.g. tcp://10.0.0.1:8786 (needs the extra "
        "'cluster'; docs/studies.md)",
    )
    parser.set_defaults(limit=None)
    if not guarded:
        parser.add_argument(
            "--limit",
            type=parse_positive,
            metavar="SECONDS",
            help=f"a cell that runs for so long, apart from what its solver is given, counts as "
            f"hanging and is stopped (default: {_LIMIT:g})",
        )
    parser.add_argument(
        "--memory",
        type=parse_positive,
        metavar="MB",
        help="a cell that holds more is stopped (Linux; default: no limit)",
    )


def engine_of(args: argparse.Namespace, *, threads: int = 1) -> NotingEngine:
    """The engine that the options of :func:`add_engine_arguments` ask for; it notes what fails.

    By default it has as many workers as there are processors for so many threads each. InputError
    if the cluster cannot be used.
    """
    return NotingEngine(plain_engine_of(args, threads=threads))


def plain_engine_of(args: argparse.Namespace, *, threads: int = 1) -> Engine:
    """The same engine, for commands that say themselves what fails."""
    limits = Needs(limit=args.limit or _LIMIT, memory_mb=args.memory)
    if args.cluster is not None:
        return Cluster(args.cluster, limits)
    workers = args.workers or default_workers(threads)
    if workers == 1 and args.limit is None and args.memory is None:
        return InProcess()
    return Processes(workers, limits)


class NotingEngine(Engine):
    """The engine of a command: at its end, also by an error, it is closed and says what failed.

    Attributes
    ----------
    workers : int
        How many cells it runs at the same time.
    code : int
        Exit code of the command so far: 1 if a cell failed, else 0.
    """

    def __init__(self, engine: Engine) -> None:
        self.code = 0
        self._engine = engine
        self.workers = engine.workers
        self._failed: list[str] = []

    def __enter__(self) -> NotingEngine:
        return self

    def __exit__(self, *error: object) -> None:
        self._engine.__exit__(*error)
        for line in self._failed:
            print(line, file=sys.stderr)

    def map(self, tasks: Iterable[Task]) -> Ended:
        """Run tasks."""
        with closing(self._engine.map(tasks)) as running:
            for task, outcome in running:
                if outcome.status != "done":
                    self._failed.append(f"{outcome.status}: {task.cell}: {outcome.message}")
                    self.code = 1
                yield task, outcome

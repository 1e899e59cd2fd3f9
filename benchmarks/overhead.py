"""Measure what running cells costs beyond the cells themselves.

Runs cells of 50 ms through each engine and a store: the time per cell beyond the ideal, the start,
and how this process grows from 100 to 5,000 cells. Then runs a policy with and without a process of
its own.

Examples
--------
python -m benchmarks.overhead
    in this process, and in as many local processes as the processors allow
python -m benchmarks.overhead --workers 8 --cells 1000 --cluster tcp://10.0.0.1:8786
"""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from statistics import median

from benchmarks.cli import Parser, parse_count, run_command
from benchmarks.instances import USUAL
from benchmarks.study.cell import Cell, Result
from benchmarks.study.closure import processor
from benchmarks.study.cluster import Cluster
from benchmarks.study.compute import compute
from benchmarks.study.engine import Engine, InProcess, Processes, default_workers
from benchmarks.study.scheme import Isolation, policy_of
from benchmarks.study.store import Store
from online.process_tree import PeakMemory

_SECONDS = 0.05  # of a cell
_FEW, _MANY = 100, 5000  # cells between which memory grows
_RUNS = 5
_ISOLATED = Isolation(True).of("fifo")
_SCHEDULE = bytes(10_000)  # about what a run cell keeps
_UNITS = {"start": "{:.2f} s", "a cell": "{:.2f} ms", "overhead": "{:.1f} %", "growth": "{:.1f} MB"}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print a table; returns the exit code."""
    parser = Parser("benchmarks.overhead", __doc__)
    parser.add_argument("--workers", type=parse_count, default=default_workers(1), metavar="N")
    parser.add_argument("--cells", type=parse_count, default=400, metavar="N")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler to measure, too")
    args = parser.parse_args(argv)
    import pandas as pd

    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{processor()['cpu']}, {os.cpu_count()} cores, Python {platform.python_version()}{load}")
    engines: dict[str, Engine] = {"in process": InProcess(), "processes": Processes(args.workers)}
    with ExitStack() as stack:
        if args.cluster is not None:
            engines["cluster"] = stack.enter_context(Cluster(args.cluster))
        frame = pd.DataFrame([_measure(name, one, args.cells) for name, one in engines.items()])
    shown = {name: unit.format for name, unit in _UNITS.items()}
    print(frame.to_string(index=False, formatters=shown, na_rep="unknown"))
    start, decision = (
        there - here for here, there in zip(_times("fifo"), _times(_ISOLATED), strict=True)
    )
    more = f"{start:.2f} s a run and {1e3 * decision:.2f} ms a decision more"
    print(f"a policy with a process of its own: {more}")
    return 0


def _times(reference: str) -> tuple[float, float]:
    """Seconds of a run of a policy on a small instance, and of a decision of it: medians."""
    from benchmarks.study.run import run_policy, small_instance

    instance, policy = small_instance(USUAL), policy_of(USUAL, reference)
    run_policy(instance, policy)  # which compiles what it needs
    whole, each = list[float](), list[float]()
    for _ in range(_RUNS):
        begin = time.perf_counter()
        trace = run_policy(instance, policy).trace
        whole.append(time.perf_counter() - begin)
        each += trace.seconds[1:].tolist()
    return median(whole), median(each)


def _measure(name: str, engine: Engine, count: int) -> dict[str, object]:
    """Line of an engine: seconds until every worker has run a cell, and for each one more."""
    first, _ = _run(engine, engine.workers, _SECONDS)
    each = (_run(engine, engine.workers + count, _SECONDS)[0] - first) / count
    few, many = (_run(engine, number, 0.0)[1] for number in (_FEW, _MANY))
    return {
        "engine": name,
        "workers": engine.workers,
        "start": first - _SECONDS,
        "a cell": 1e3 * each,
        "overhead": 100 * (each * engine.workers / _SECONDS - 1),
        "growth": None if few is None or many is None else (many - few) / 1e6,
    }


def _run(engine: Engine, count: int, seconds: float) -> tuple[float, int | None]:
    """Have so many cells run: the time that takes, and bytes by which this process grows."""
    name = f"{__spec__.name if __spec__ else __name__}:work"
    cells = [Cell(name, {"number": number, "seconds": seconds}) for number in range(count)]
    memory, begin = PeakMemory(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        compute(cells, store=Store(folder), engine=engine)
        return time.perf_counter() - begin, memory.risen


def work(*, number: int, seconds: float) -> Callable[[], Result]:
    """A cell that keeps a processor busy for so long, and finds about as much as a run does."""

    def measure() -> Result:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            pass
        value = {f"number {key}": key / 7 for key in range(number, number + 20)}
        return Result(value, {"schedule": _SCHEDULE})

    return measure


if __name__ == "__main__":
    run_command(main)

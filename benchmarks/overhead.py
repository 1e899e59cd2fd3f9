"""``python -m benchmarks.overhead``: what running cells costs beyond the cells themselves."""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Sequence

from benchmarks.cli import Parser, parse_count, run_command
from benchmarks.study.cell import Cell, Outcome, Result
from benchmarks.study.closure import processor
from benchmarks.study.cluster import Cluster
from benchmarks.study.compute import compute
from benchmarks.study.engine import Engine, InProcess, Processes, Task, Watch, default_workers
from benchmarks.study.memory import PeakMemory
from benchmarks.study.store import Store

__all__ = ["main", "work"]

_EXAMPLES = """
  python -m benchmarks.overhead
      in this process, and in as many local processes as the processors allow
  python -m benchmarks.overhead --workers 8 --cells 1000 --cluster tcp://10.0.0.1:8786
"""
_SECONDS = 0.05  # of a cell
_FEW, _MANY = 100, 5000  # cells between which memory grows
_SCHEDULE = bytes(10_000)  # about what a run cell keeps


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print a table; returns the exit code."""
    parser = Parser(
        "benchmarks.overhead",
        f"Run cells of {1000 * _SECONDS:g} ms through each engine and a store: the time per cell "
        f"beyond the ideal, the start, and how this process grows from {_FEW} to {_MANY} cells.",
        _EXAMPLES,
    )
    parser.add_argument("--workers", type=parse_count, default=default_workers(1), metavar="N")
    parser.add_argument("--cells", type=parse_count, default=400, metavar="N")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler to measure, too")
    args = parser.parse_args(argv)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{processor()['cpu']}, {os.cpu_count()} cores, Python {platform.python_version()}{load}")
    print(f"{'engine':12}{'workers':>8}{'start':>9}{'a cell':>11}{'overhead':>10}{'growth':>10}")
    engines: list[tuple[str, Engine]] = [
        ("in process", InProcess()),
        ("processes", Processes(args.workers)),
    ]
    if args.cluster is None:
        _measure(engines, args.cells)
    else:
        with Cluster(args.cluster) as cluster:
            _measure([*engines, ("cluster", cluster)], args.cells)
    return 0


def _measure(engines: Sequence[tuple[str, Engine]], count: int) -> None:
    for name, engine in engines:
        start, each = _times(engine, count + engine.workers)
        ideal = _SECONDS / engine.workers
        few, many = (_growth(engine, number) for number in (_FEW, _MANY))
        growth = "unknown" if few is None or many is None else f"{(many - few) / 1e6:.1f} MB"
        print(
            f"{name:12}{engine.workers:8}{start:7.2f} s{1e3 * each:8.2f} ms"
            f"{100 * (each / ideal - 1):8.1f} %{growth:>10}",
            flush=True,
        )


def _times(engine: Engine, count: int) -> tuple[float, float]:
    """Seconds until every worker has run a cell, and then for each one more."""
    clock = _Clock(engine)
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        compute(_cells(count, _SECONDS), store=Store(folder), engine=clock)
    first = clock.ended[engine.workers - 1]
    return first - begin - _SECONDS, (clock.ended[-1] - first) / (count - engine.workers)


def _growth(engine: Engine, count: int) -> int | None:
    """Bytes that this process holds at most while it has so many cells run."""
    memory = PeakMemory()
    with tempfile.TemporaryDirectory() as folder:
        compute(_cells(count, 0.0), store=Store(folder), engine=engine)
    return memory.risen


def _cells(count: int, seconds: float) -> list[Cell]:
    name = f"{__spec__.name if __spec__ else __name__}:work"
    return [Cell(name, {"number": number, "seconds": seconds}) for number in range(count)]


class _Clock:
    """An engine that notes when cells end."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.workers = engine.workers
        self.ended: list[float] = []

    def map(
        self, tasks: Iterable[Task], began: Watch
    ) -> Generator[tuple[Task, Outcome], None, None]:
        """Run tasks."""
        for done in self._engine.map(tasks, began):
            yield done
            self.ended.append(time.perf_counter())


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

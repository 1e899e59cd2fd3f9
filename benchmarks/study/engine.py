"""Where cells run: in this process, in local processes, or on a cluster."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Protocol

from benchmarks.study.cell import Cell, Outcome, Result
from benchmarks.study.guard import Guard
from benchmarks.study.worker import outcome_of

__all__ = [
    "Engine",
    "InProcess",
    "Limits",
    "Processes",
    "Task",
    "Watch",
    "cores",
    "default_workers",
]


_AHEAD = 2  # cells handed out for each worker, so that none waits for this process


@dataclass(frozen=True)
class Task:
    """A cell to run.

    Parameters
    ----------
    index : int
        Of the cell in its plan.
    known : Result or None
        What an earlier run with less effort found.
    """

    index: int
    cell: Cell
    known: Result | None = None


Watch = Callable[[Cell], None]
"""Is told when a cell begins, for a progress line."""


class Engine(Protocol):
    """Runs cells, in any order, a few at a time."""

    @property
    def workers(self) -> int:
        """How many cells it runs at the same time."""

    def map(
        self, tasks: Iterable[Task], began: Watch
    ) -> Generator[tuple[Task, Outcome], None, None]:
        """Run tasks, taken one by one when there is room for them, and hand out how they ended.

        Closing the generator ends whatever still runs.
        """


class InProcess:
    """One cell after the other in this process, which can also run a class that only it has.

    Nothing is stopped that hangs. Only cells that need a fresh process have one, behind a guard.
    An error that is no fault of a cell alone (an interrupt, say) goes through.
    """

    workers = 1

    def map(
        self, tasks: Iterable[Task], began: Watch
    ) -> Generator[tuple[Task, Outcome], None, None]:
        """Run tasks in order."""
        for task in tasks:
            began(task.cell)
            if task.cell.needs.fresh:
                with Guard() as guard:
                    yield task, guard.run(task.cell, task.known)
            else:
                with redirect_stdout(sys.stderr):  # what a policy prints is no part of a table
                    outcome = Outcome(*outcome_of(task.cell, task.known, lambda: None))
                yield task, outcome


@dataclass(frozen=True)
class Limits:
    """What a cell may take at most, unless it says so itself.

    Parameters
    ----------
    seconds : float, optional
        As the limit of :class:`benchmarks.study.cell.Needs`; not for cells with an effort.
    """

    seconds: float | None = None
    memory_mb: float | None = None

    def of(self, cell: Cell) -> Cell:
        """The cell with limits."""
        needs = cell.needs
        if needs.limit is None and cell.effort is None:
            needs = replace(needs, limit=self.seconds)
        if needs.memory_mb is None:
            needs = replace(needs, memory_mb=self.memory_mb)
        return replace(cell, needs=needs)


class Processes:
    """Local processes, each behind a guard, which a thread of a pool waits for.

    Cells that must be alone wait until nothing else runs.

    Parameters
    ----------
    workers : int
        At most so many cells at the same time, however many threads each has.
    limits : Limits
        Of cells that have none.
    """

    def __init__(self, workers: int, limits: Limits = Limits()) -> None:
        self.workers = workers
        self._limits = limits

    def map(
        self, tasks: Iterable[Task], began: Watch
    ) -> Generator[tuple[Task, Outcome], None, None]:
        """Run tasks, those that must be alone last."""
        guards = _Guards(self._limits)
        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="guard")
        running: dict[Future[Outcome], Task] = {}
        alone: list[Task] = []

        def finished() -> Iterator[tuple[Task, Outcome]]:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()

        def start(task: Task) -> None:
            running[pool.submit(guards.run, task, began)] = task

        try:
            for task in tasks:
                if task.cell.needs.alone:
                    alone.append(task)
                    continue
                start(task)
                if len(running) >= _AHEAD * self.workers:
                    yield from finished()
            while running:
                yield from finished()
            for task in alone:
                start(task)
                yield from finished()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            guards.close()
            pool.shutdown()


class _Guards:
    """A guard for each thread."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._own = threading.local()
        self._all: list[Guard] = []
        self._lock = threading.Lock()  # of the list, and of whether it is closed
        self._closed = False

    def run(self, task: Task, began: Watch) -> Outcome:
        """Run a task behind this thread's guard."""
        if not hasattr(self._own, "guard"):
            self._own.guard = Guard()
            with self._lock:
                self._all.append(self._own.guard)
                if self._closed:  # between the pool's start of this thread and now
                    self._own.guard.end()
        began(task.cell)
        outcome: Outcome = self._own.guard.run(self._limits.of(task.cell), task.known)
        return outcome

    def close(self) -> None:
        """End all children; none is started any more."""
        with self._lock:
            self._closed = True
            for guard in self._all:
                guard.end()


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_workers(threads: int) -> int:
    """As many workers as fit on this machine's processors, with so many threads each."""
    return max(1, cores() // threads)

"""Where cells run: in this process, in local processes, or on a cluster."""

from __future__ import annotations

import os
import sys
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from dataclasses import dataclass, replace

from benchmarks.study.cell import Cell, Needs, Outcome, Result
from benchmarks.study.guard import Guard, outcome_of

_LOOK = 5.0  # seconds without an outcome, after which an engine looks whether one may come
_AHEAD = 2  # cells handed out for each worker, so that none waits for this process


@dataclass(frozen=True)
class Task:
    """A cell to run, and its index in its plan; the rest is that of ``outcome_of`` (guard.py)."""

    index: int
    cell: Cell
    known: Result | None = None
    code: str = ""


Ended = Generator[tuple[Task, Outcome], None, None]
"""Tasks, as they end."""


class Engine(AbstractContextManager["Engine"]):
    """Runs cells, in any order, so many ``workers`` at a time; a context manager.

    ``failed`` has a line for each cell, and each row, that failed; for the end of a command.
    """

    workers: int

    def __init__(self) -> None:
        self.failed: list[str] = []

    def __exit__(self, *error: object) -> None:
        """Let go of what it holds: of nothing, unless it says so."""

    @abstractmethod
    def map(self, tasks: Iterable[Task]) -> Ended:
        """Run tasks, taken one by one when there is room for them, and hand out how they ended.

        Closing the generator ends whatever still runs.
        """


class InProcess(Engine):
    """One cell after the other in this process, which can also run a class that only it has.

    Nothing is stopped that hangs. Only cells that need a fresh process have one, behind a guard.
    An error that is no fault of a cell alone (an interrupt, say) goes through.
    """

    workers = 1

    def map(self, tasks: Iterable[Task]) -> Ended:
        """Run tasks in order."""
        for task in tasks:
            if task.cell.needs.fresh:
                with Guard() as guard:
                    yield task, guard.run(task.cell, task.known, task.code)
            else:
                with redirect_stdout(sys.stderr):  # what a policy prints is no part of a table
                    outcome = outcome_of(task.cell, task.known, task.code)
                yield task, outcome


def limited(cell: Cell, limits: Needs) -> Cell:
    """A cell with a time limit, unless it has one or an effort, and with one of memory likewise."""
    needs = cell.needs
    if needs.limit is None and cell.effort is None:
        needs = replace(needs, limit=limits.limit)
    if needs.memory_mb is None:
        needs = replace(needs, memory_mb=limits.memory_mb)
    return replace(cell, needs=needs)


Submit = Callable[[Task], Future[Outcome]]


class Pooled(Engine):
    """Cells behind guards, which an executor waits for, a few handed out ahead.

    There are at most so many workers, however many threads each has. Limits of time and memory are
    those of cells that have none (:func:`limited`).
    """

    def __init__(self, workers: int, limits: Needs = Needs()) -> None:
        super().__init__()
        self.workers = workers
        self._limits = limits

    @abstractmethod
    def _opened(self) -> AbstractContextManager[Submit]:
        """What hands out a task; leaving it ends all that still runs."""

    def map(self, tasks: Iterable[Task]) -> Ended:
        """Run tasks; whatever must be alone waits for those before it, and the next ones for it."""
        running: dict[Future[Outcome], Task] = {}

        def finished() -> Iterator[tuple[Task, Outcome]]:
            while not (done := wait(running, _LOOK, return_when=FIRST_COMPLETED).done):
                self._look()
            for future in done:
                yield running.pop(future), self._outcome(future)

        with self._opened() as submit:
            for task in tasks:
                alone = task.cell.needs.alone
                while alone and running:
                    yield from finished()
                running[submit(replace(task, cell=limited(task.cell, self._limits)))] = task
                while len(running) >= (1 if alone else _AHEAD * self.workers):
                    yield from finished()
            while running:
                yield from finished()

    def _look(self) -> None:
        """Raise InputError if nothing that runs can end any more; by default, all ends."""

    def _outcome(self, future: Future[Outcome]) -> Outcome:
        return future.result()


class Processes(Pooled):
    """Local processes, which threads wait for."""

    @contextmanager
    def _opened(self) -> Iterator[Submit]:
        guards = Guards(self.workers)
        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="guard")
        try:
            yield lambda task: pool.submit(guards.run, task)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            guards.end()
            pool.shutdown()


class Guards:
    """As many guards as threads; those that have a child already are used first."""

    def __init__(self, count: int) -> None:
        self._all = [Guard() for _ in range(count)]
        self._free = list(self._all)

    def run(self, task: Task) -> Outcome:
        """Run a task behind a guard that is free."""
        guard = self._free.pop()
        try:
            return guard.run(task.cell, task.known, task.code)
        finally:
            self._free.append(guard)

    def end(self) -> None:
        """End all children; none is started any more."""
        for guard in self._all:
            guard.end()


def default_workers(threads: int) -> int:
    """As many workers as fit on the processors of this process, with so many threads each."""
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return max(1, cores // threads)

"""Where cells run: in this process, in local processes, or on a cluster."""

from __future__ import annotations

import os
import sys
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from dataclasses import dataclass, replace

from benchmarks.study.cell import Cell, Outcome, Result
from benchmarks.study.guard import Guard
from benchmarks.study.worker import outcome_of

_AHEAD = 2  # cells handed out for each worker, so that none waits for this process


@dataclass(frozen=True)
class Task:
    """A cell to run.

    Parameters
    ----------
    index : int
        Of the cell in its plan.
    known, code : Result or None, str
        As in :func:`benchmarks.study.worker.outcome_of`.
    """

    index: int
    cell: Cell
    known: Result | None = None
    code: str = ""


Watch = Callable[[Cell], None]
"""Is told when a cell begins, for a progress line."""

Ended = Generator[tuple[Task, Outcome], None, None]
"""Tasks, as they end."""


class Engine(AbstractContextManager["Engine"]):
    """Runs cells, in any order, a few at a time; a context manager.

    Attributes
    ----------
    workers : int
        How many cells it runs at the same time.
    failed : list of str
        A line for each cell, and each row, that failed; for the end of a command.
    """

    workers: int

    def __init__(self) -> None:
        self.failed: list[str] = []

    def __exit__(self, *error: object) -> None:
        """Let go of what it holds: of nothing, unless it says so."""

    @abstractmethod
    def map(self, tasks: Iterable[Task], began: Watch) -> Ended:
        """Run tasks, taken one by one when there is room for them, and hand out how they ended.

        Closing the generator ends whatever still runs.
        """


class InProcess(Engine):
    """One cell after the other in this process, which can also run a class that only it has.

    Nothing is stopped that hangs. Only cells that need a fresh process have one, behind a guard.
    An error that is no fault of a cell alone (an interrupt, say) goes through.
    """

    workers = 1

    def map(self, tasks: Iterable[Task], began: Watch) -> Ended:
        """Run tasks in order."""
        for task in tasks:
            began(task.cell)
            if task.cell.needs.fresh:
                with Guard() as guard:
                    yield task, guard.run(task.cell, task.known, task.code)
            else:
                with redirect_stdout(sys.stderr):  # what a policy prints is no part of a table
                    outcome = outcome_of(task.cell, task.known, task.code)
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


Submit = Callable[[Task, Watch], Future[Outcome]]


class Pooled(Engine):
    """Cells behind guards, which an executor waits for, a few handed out ahead.

    Parameters
    ----------
    workers : int
        At most so many cells at the same time, however many threads each has.
    limits : Limits
        Of cells that have none.
    """

    def __init__(self, workers: int, limits: Limits = Limits()) -> None:
        super().__init__()
        self.workers = workers
        self._limits = limits

    @abstractmethod
    def _opened(self) -> AbstractContextManager[Submit]:
        """What hands out a task; leaving it ends all that still runs."""

    def map(self, tasks: Iterable[Task], began: Watch) -> Ended:
        """Run tasks; those that must be alone last, one by one."""
        alone: list[Task] = []
        running: dict[Future[Outcome], Task] = {}

        def finished() -> Iterator[tuple[Task, Outcome]]:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), self._outcome(future)

        with self._opened() as submit:
            for task in tasks:
                if task.cell.needs.alone:
                    alone.append(task)
                    continue
                running[submit(self._limited(task), began)] = task
                if len(running) >= _AHEAD * self.workers:
                    yield from finished()
            while running:
                yield from finished()
            for task in alone:
                running[submit(self._limited(task), began)] = task
                yield from finished()

    def _limited(self, task: Task) -> Task:
        return replace(task, cell=self._limits.of(task.cell))

    def _outcome(self, future: Future[Outcome]) -> Outcome:
        return future.result()


class Processes(Pooled):
    """Local processes, which threads wait for."""

    @contextmanager
    def _opened(self) -> Iterator[Submit]:
        guards = Guards(self.workers)
        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="guard")

        def run(task: Task, began: Watch) -> Outcome:
            began(task.cell)
            return guards.run(task)

        try:
            yield lambda task, began: pool.submit(run, task, began)
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


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_workers(threads: int) -> int:
    """As many workers as fit on this machine's processors, with so many threads each."""
    return max(1, cores() // threads)

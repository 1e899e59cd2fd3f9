"""Cells on a cluster: a Dask scheduler hands them to its workers, each behind a guard there.

A cell that dies, hangs or takes all memory ends its guard's child, not the worker. A worker
that is lost has its cells run by others.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Generator, Iterable, Iterator
from types import TracebackType
from typing import Any

from benchmarks.study.cell import Cell, Outcome, Result
from benchmarks.study.closure import LAYERS, code_hash, processor, source_hashes, versions
from benchmarks.study.engine import Limits, Task, Watch
from benchmarks.study.guard import Guard
from models.errors import InputError

__all__ = ["Cluster"]

_PATIENCE = 10  # seconds to wait for the scheduler
_AHEAD = 2  # cells handed out for each place, so that none waits for this process


class Cluster:
    """The workers of a Dask scheduler; a context manager that leaves them as they were.

    Parameters
    ----------
    address : str
        Of the scheduler, e.g. ``tcp://10.0.0.1:8786``.
    limits : Limits
        Of cells that have none.

    Raises
    ------
    InputError
        If Dask is not installed, the scheduler cannot be reached or has no workers, or a worker
        has other code, libraries or another processor: its results would not be what their keys
        say.
    """

    def __init__(self, address: str, limits: Limits = Limits()) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise InputError(
                "--cluster needs Dask: install the extra, pip install 'schedgap[cluster]'"
            ) from None
        try:
            self._client = Client(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InputError(f"no Dask scheduler at {address}: {_short(error)}") from None
        self._limits = limits
        try:
            threads = self._client.nthreads()
            if not threads:
                raise InputError(f"the Dask scheduler at {address} has no workers")
            self.workers = sum(threads.values())
            self._refuse_others()
        except BaseException:
            self._client.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the scheduler."""
        self._client.close()

    def _refuse_others(self) -> None:
        """Refuse workers whose results would not be ours."""
        ours = _about()
        for worker, theirs in sorted(self._client.run(_about).items()):
            for what, mine in ours.items():
                if theirs[what] != mine:
                    hint = ""
                    if what == "processor":
                        hint = ": start all with NUMBA_CPU_NAME=generic"
                    raise InputError(
                        f"worker {worker} has another {what}: {_first(mine, theirs[what])}{hint}"
                    )

    def map(
        self, tasks: Iterable[Task], began: Watch
    ) -> Generator[tuple[Task, Outcome], None, None]:
        """Run tasks, each on some worker; those that must be alone last, one by one."""
        from distributed import wait

        run = uuid.uuid4().hex
        codes: dict[tuple[str, ...], str] = {}
        running: dict[Any, Task] = {}
        alone: list[Task] = []

        def start(task: Task) -> None:
            roots = task.cell.all_roots
            if roots not in codes:
                codes[roots] = code_hash(roots)
            began(task.cell)
            given = (self._limits.of(task.cell), task.known, codes[roots], run)
            key = f"{task.cell.name}-{task.index}-{run}"
            running[self._client.submit(_run_cell, *given, key=key, pure=False)] = task

        def finished() -> Iterator[tuple[Task, Outcome]]:
            with self._client.as_current():
                done = wait(list(running), return_when="FIRST_COMPLETED").done
            for future in done:
                task = running.pop(future)
                try:
                    outcome: Outcome = future.result()
                except Exception as error:  # every worker that had it was lost
                    outcome = Outcome("killed", message=_short(error))
                yield task, outcome

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
            self._client.cancel(list(running))
            self._client.run(_end_guards, run)


_own = threading.local()  # guards of a worker's thread, by run: clients may share a scheduler
_guards: dict[str, list[Guard]] = {}  # of all threads


def _run_cell(cell: Cell, known: Result | None, code: str, run: str) -> Outcome:
    """Run a cell on a worker, behind the guard of its thread; a new one in every run."""
    runs: dict[str, tuple[Guard, dict[tuple[str, ...], str]]] = _own.__dict__
    if run not in runs:
        runs[run] = Guard(), {}
        _guards.setdefault(run, []).append(runs[run][0])
    guard, codes = runs[run]
    roots = cell.all_roots
    if roots not in codes:
        try:
            codes[roots] = code_hash(roots)
        except (InputError, OSError) as error:
            return Outcome("failed", message=f"the worker does not have the code: {error}")
    if codes[roots] != code:
        return Outcome("failed", message="the worker has other code for this cell")
    return guard.run(cell, known)


def _end_guards(run: str) -> None:
    """End the guards of a run, and no others."""
    for guard in _guards.pop(run, []):
        guard.end()


def _about() -> dict[str, dict[str, str]]:
    """What the results of a machine depend on."""
    return {"code": source_hashes(LAYERS), "library": versions(), "processor": processor()}


def _first(ours: dict[str, str], theirs: dict[str, str]) -> str:
    """The first difference, in words."""
    name = next(n for n in sorted({*ours, *theirs}) if ours.get(n) != theirs.get(n))
    here, there = ours.get(name, "none"), theirs.get(name, "none")
    if len(here) == 64 or len(there) == 64:  # hashes say nothing to people
        return name
    return f"{name} {there} there, {here} here"


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]

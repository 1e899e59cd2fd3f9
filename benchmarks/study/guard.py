"""A child process that runs cells one after the other: watched, and killed in time.

A cell that dies, hangs or takes all memory is lost alone. The child is kept for the next cell,
since loading takes seconds. It leads a process group of its own, and everything it has started is
killed with it.

The child runs this module, too: ``python -m benchmarks.study.guard PIPE LIFE``, which are numbers
of file descriptors. Through PIPE come cells; for each go back ``None`` when it is prepared, from
where on its time counts, and how it ended. LIFE stays open as long as the parent lives: its end is
the end of the child and of all that it has started.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection, Pipe

from benchmarks.study.cell import Cell, Outcome, Result, Status, prepare
from benchmarks.study.closure import code_hash
from models.errors import InputError
from online.child_process import ChildProcess, end_with_parent
from online.process_tree import tree_memory
from solvers.interrupts import kernels_interruptible

_STARTUP = 600.0  # seconds to load, to compile what no earlier run has compiled, and to draw
_COMPILE = 120.0  # seconds that a cell with a limit has for this beyond the limit, at most
_GRACE = 60.0  # seconds past the time limit of a solver
_LOOK = 0.05  # seconds between two looks at the memory
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Guard(AbstractContextManager["Guard"]):
    """Runs cells in a child process; a context manager that leaves none behind.

    One thread runs cells; any thread may end it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # of starting and ending a child
        self._ended = False
        self._child: _Child | None = None

    def __exit__(self, *error: object) -> None:
        self.end()

    def run(self, cell: Cell, known: Result | None = None, code: str = "") -> Outcome:
        """Run one cell, as :func:`outcome_of` does; never raises for what the cell does."""
        child = self._child
        # The threads of libraries are set once, when they are loaded.
        if child is None or cell.needs.fresh or not child.lives_for(cell):
            child = self._replace(cell.needs.threads)
        outcome = None
        with suppress(EOFError, OSError, ValueError):  # the last of files that `end` has closed
            if child is not None:
                outcome = child.run(cell, known, code)
        if child is None or (outcome is None and self._ended):
            return Outcome("killed", message="interrupted")
        if outcome is None:
            outcome = Outcome("killed", message=child.last_words())
        if outcome.status not in ("done", "failed") or cell.needs.fresh:
            self._replace(None)
        return outcome

    def end(self) -> None:
        """End the child and everything it has started; no cell is run any more."""
        self._ended = True
        self._replace(None)

    def _replace(self, threads: int | None) -> _Child | None:
        """End the child, and start another one unless ``threads`` is None."""
        with self._lock:
            child, self._child = self._child, None
            if child is not None:
                child.end()
            if threads is not None and not self._ended:
                self._child = _Child(threads)
            return self._child


class _Child:
    """The process of a guard."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pipe, theirs = Pipe()
        environment = {name: str(threads) for name in _THREADS}
        self._process = ChildProcess("benchmarks.study.guard", [theirs.fileno()], environment)
        theirs.close()

    def lives_for(self, cell: Cell) -> bool:
        return self._process.lives and self._threads == cell.needs.threads

    def end(self) -> None:
        self._process.end()
        self._pipe.close()

    def last_words(self) -> str:
        return self._process.last_words()

    def run(self, cell: Cell, known: Result | None, code: str) -> Outcome:
        """Wait for two messages: that the cell is prepared, and its outcome.

        Raises EOFError or OSError if the process ends before.
        """
        self._process.forget_what_was_said()
        self._pipe.send((cell, known, code))
        limit, startup = cell.needs.limit, _STARTUP
        if limit is not None:
            startup = min(startup, limit + _COMPILE)
        if cell.effort is not None and cell.effort.seconds is not None:
            limit = cell.effort.seconds + _GRACE
        began, is_ready, peak = time.monotonic(), False, 0
        while True:
            has_message = self._pipe.poll(_LOOK)
            message: Outcome | None = self._pipe.recv() if has_message else None
            holds, highest = tree_memory(self._process.pid) or (0, 0)
            peak = max(peak, highest)
            if message is not None:
                return replace(message, memory_mb=peak / 1e6 or None)
            if has_message:
                began, is_ready = time.monotonic(), True
                continue
            if not self._process.lives and not self._pipe.poll():
                raise EOFError  # what it has started may hold the pipe
            self._process.keep_what_is_said_short()
            seconds, memory = time.monotonic() - began, cell.needs.memory_mb
            status: Status = "out of time"
            if memory is not None and holds > 1e6 * memory:
                status, why = "out of memory", f"holds more than {memory:g} MB"
            elif not is_ready and seconds > startup:
                why = f"not prepared after {startup:g} s"
            elif is_ready and limit is not None and seconds > limit:
                why = f"still running after {limit:g} s"
            else:
                continue
            return Outcome(status, None, why, seconds, None, peak / 1e6 or None)


def outcome_of(
    cell: Cell, known: Result | None, code: str, prepared: Callable[[], None] = lambda: None
) -> Outcome:
    """Run a cell here.

    ``known`` is what an earlier run with less effort found. ``code`` is the
    :func:`benchmarks.study.closure.code_hash` that its key was made with, without which it is
    refused: its result would not be what the key says; empty = any. ``prepared`` is called between
    preparation and measurement.
    """
    began, worked = time.perf_counter(), _processor_seconds()
    try:
        if code and code_hash(cell.all_roots) != code:
            raise InputError("its code here is not what it was when the run began")
        with kernels_interruptible():
            measure = prepare(cell, known)
            prepared()
            began, worked = time.perf_counter(), _processor_seconds()
            found = measure()
        # Through JSON even where nothing is stored: one kind of numbers, whatever the path.
        outcome = Outcome("done", replace(found, value=json.loads(json.dumps(found.value))))
    except (Exception, SystemExit) as error:  # a policy may call sys.exit
        outcome = Outcome("failed", message=one_line(error))
    seconds, worked = time.perf_counter() - began, _processor_seconds() - worked
    return replace(outcome, seconds=seconds, cpu_seconds=worked)


def one_line(error: BaseException) -> str:
    """An error with its notes, in one line; bad input speaks for itself."""
    words = " ".join(str(error).split())
    if not isinstance(error, InputError):
        words = f"{type(error).__name__}: {words}"
    return words + "".join(f" ({note})" for note in getattr(error, "__notes__", ()))


def _processor_seconds() -> float:
    """Of this process and the children it has waited for."""
    return sum(os.times()[:4])


def _serve(pipe: int, life: int) -> None:
    """Run cells until the pipe ends."""
    threading.Thread(target=end_with_parent, args=(life,), daemon=True).start()
    with Connection(pipe) as parent, suppress(EOFError):
        while True:
            cell, known, code = parent.recv()
            parent.send(outcome_of(cell, known, code, lambda: parent.send(None)))


if __name__ == "__main__":
    _serve(int(sys.argv[1]), int(sys.argv[2]))

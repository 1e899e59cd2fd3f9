"""A child process that runs cells one after the other: watched, and killed in time.

Every engine runs its cells through a guard, so a cell that dies, hangs or takes all memory is
lost alone. The child is kept for the next cell, since loading takes seconds. It leads a process
group of its own, and everything it has started is killed with it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from types import TracebackType
from typing import IO

from benchmarks.study.cell import Cell, Outcome, Result, Status
from benchmarks.study.memory import descendants, tree_peak, tree_resident

__all__ = ["Guard"]

_ROOT = str(Path(__file__).resolve().parents[2])
_STARTUP = 600.0  # seconds to load, to compile what no earlier run has compiled, and to draw
_COMPILE = 120.0  # seconds that a cell with a limit has for this beyond the limit, at most
_GRACE = 60.0  # seconds past the time limit of a solver
_LOOK = 0.05  # seconds between two looks at the memory
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Guard:
    """Runs cells in a child process; a context manager that leaves none behind.

    One thread runs cells; any thread may end it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # of starting and ending a child
        self._ended = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._life: Connection | None = None
        self._errors: IO[bytes] | None = None

    def __enter__(self) -> Guard:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def run(self, cell: Cell, known: Result | None = None) -> Outcome:
        """Run one cell; never raises for what the cell does.

        Parameters
        ----------
        cell : Cell
        known : Result, optional
            What an earlier run with less effort found.
        """
        if cell.needs.fresh or self._child is None or self._child.poll() is not None:
            self._replace(cell.needs.threads)
        child, pipe, errors = self._child, self._pipe, self._errors
        if self._ended.is_set():
            return Outcome("killed", message="interrupted")
        assert child is not None and pipe is not None and errors is not None
        before = errors.seek(0, os.SEEK_END)
        try:
            pipe.send((cell, known))
            outcome = _watch(child, pipe, cell)
        except (EOFError, OSError):
            if self._ended.is_set():
                return Outcome("killed", message="interrupted")
            try:
                code = child.wait(_GRACE)
            except subprocess.TimeoutExpired:  # it has closed the pipe and lives on
                child.kill()
                code = child.wait()
            outcome = Outcome("killed", message=_last_words(code, errors, before))
        if outcome.status not in ("done", "failed") or cell.needs.fresh:
            self._replace(None)
        return outcome

    def end(self) -> None:
        """End the child and everything it has started; no cell is run any more."""
        self._ended.set()
        self._replace(None)

    def _replace(self, threads: int | None) -> None:
        """End the child, and start another one unless ``threads`` is None."""
        with self._lock:
            self._stop()
            if threads is not None and not self._ended.is_set():
                self._start(threads)

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        orphans = descendants(child.pid)  # a child of the child may lead a group of its own
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        for pid in orphans:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        child.wait()
        for end in (self._pipe, self._life, self._errors):
            assert end is not None
            end.close()

    def _start(self, threads: int) -> None:
        ours, theirs = Pipe()
        life, watched = Pipe()
        self._errors = tempfile.TemporaryFile()
        environment = {
            **os.environ,
            **{name: os.environ.get(name, str(threads)) for name in _THREADS},
        }
        # The folder of the user comes first, as it does for this process: policies lie there.
        environment["PYTHONPATH"] = os.pathsep.join(
            [_ROOT, *(path for path in sys.path if path and path != _ROOT)]
        )
        command = [sys.executable, "-P", "-m", "benchmarks.study.worker"]
        self._child = subprocess.Popen(
            [*command, str(theirs.fileno()), str(watched.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=self._errors,
            stderr=self._errors,
            pass_fds=(theirs.fileno(), watched.fileno()),
            env=environment,
            start_new_session=True,  # a Ctrl-C on the terminal is for this process to handle
        )
        theirs.close()
        watched.close()
        self._pipe, self._life = ours, life


def _watch(child: subprocess.Popen[bytes], pipe: Connection, cell: Cell) -> Outcome:
    """Wait for the two messages of the child: that it is prepared, and the outcome."""
    began, ready, peak = time.monotonic(), None, 0
    limit, startup = cell.needs.limit, _STARTUP
    if limit is not None:  # a policy that hangs does so when it is warmed up
        startup = min(startup, limit + _COMPILE)
    if cell.effort is not None and cell.effort.seconds is not None:
        limit = cell.effort.seconds + _GRACE
    while True:
        if pipe.poll(_LOOK):
            message = pipe.recv()
            if message is not None:
                break
            ready = time.monotonic()
            continue
        if child.poll() is not None and not pipe.poll():  # what it has started may hold the pipe
            raise EOFError
        peak = max(peak, tree_peak(child.pid) or 0)
        seconds = time.monotonic() - (ready or began)
        memory = cell.needs.memory_mb
        stopped: tuple[Status, str] | None = None
        if memory is not None and (tree_resident(child.pid) or 0) > 1e6 * memory:
            stopped = "out of memory", f"holds more than {memory:g} MB"
        elif ready is None and seconds > startup:
            stopped = "out of time", f"not prepared after {startup:g} s"
        elif ready is not None and limit is not None and seconds > limit:
            stopped = "out of time", f"still running after {limit:g} s"
        if stopped is not None:
            return Outcome(stopped[0], None, stopped[1], seconds, None, peak / 1e6 or None)
    peak = max(peak, tree_peak(child.pid) or 0)
    status, result, words, seconds, processor = message
    return Outcome(status, result, words, seconds, processor, peak / 1e6 or None)


def _last_words(code: int, errors: IO[bytes], since: int) -> str:
    """How the child ended, and the last line that it printed meanwhile."""
    errors.seek(since)
    said = errors.read().decode(errors="replace").strip().splitlines()[-1:]
    how = f"its process ended with code {code}"
    if code < 0:
        with suppress(ValueError):
            how = f"its process was killed by {signal.Signals(-code).name}"
    return ": ".join([how, *said])

"""The parent's side of a solve in a child process: feed, listen, and kill in time.

A plain subprocess is used, and not `multiprocessing`, which would import the caller's main module:
notebooks and scripts without a main guard can solve.
"""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from solvers.highs.options import HighsOptions
from solvers.highs.outcome import Outcome, Tally
from solvers.highs.program import FloatArray, LinearProgram
from solvers.highs.worker import Request

# Run as a module, it would warn that it has been imported already: its last words, if it dies.
COMMAND = (sys.executable, "-c", "from solvers.highs.worker import main; main()")

#: Where the child finds the package `solvers`.
ROOT = Path(__file__).resolve().parents[2]

#: Seconds a child may take to load, and seconds past its time limit after which it is killed.
STARTUP = 60.0
GRACE = 1.0

#: Seconds between looks at whether to stop.
POLL = 0.1

OVERRUN = "time limit, overrun by HiGHS: child killed"
STOPPED = "stopped: child killed"


def environment() -> dict[str, str]:
    """Of a child that finds this package `solvers` before any other of that name."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {**os.environ, "PYTHONPATH": path}


def start_process(command: Sequence[str]) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """A child process that finds `solvers`, with pipes to and from it; and its standard error.

    Raises
    ------
    OSError
        If there is no memory, file or process left for it.
    """
    errors = tempfile.TemporaryFile()
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
            env=environment(),
            start_new_session=True,  # a Ctrl-C on the terminal is for the parent to handle
        )
    except OSError:
        errors.close()
        raise
    return child, errors


def last_words(errors: IO[bytes]) -> str:
    """The last line that a child wrote to its standard error."""
    errors.seek(0)
    said = errors.read().decode(errors="replace").strip().splitlines()
    return " ".join(said[-1:])


class StoppedOnExit(ABC):
    """A context manager that stops what it has begun, however its block ends."""

    @abstractmethod
    def stop(self) -> None:
        """Stop it, and wait until it has ended."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class _Listener(threading.Thread):
    """Reads the child's messages into the tally until the pipe ends."""

    def __init__(self, pipe: IO[bytes], tally: Tally) -> None:
        super().__init__(daemon=True)
        self._pipe, self._tally = pipe, tally
        self.running = threading.Event()
        self.finished = threading.Event()
        self.outcome: Outcome | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            # The child may end or be killed, perhaps within a message.
            with suppress(EOFError, pickle.UnpicklingError):
                while self.outcome is None:
                    self._take(*pickle.load(self._pipe))
        except Exception as error:  # a log stream that cannot be written, for one
            self.error = error
        finally:
            self.running.set()
            self.finished.set()

    def _take(self, kind: str, value: object) -> None:
        if kind == "running":
            self.running.set()
        elif kind == "outcome" and isinstance(value, Outcome):
            self.outcome = value
        else:
            getattr(self._tally, kind)(value)


def run_in_child(
    program: LinearProgram,
    options: HighsOptions,
    start: FloatArray | None,
    tally: Tally,
    *,
    want_log: bool,
    stop: threading.Event | None = None,
) -> Outcome:
    """Solve in a child process that does not outlive this call.

    The time limit runs from the moment the child has loaded. If HiGHS overruns it by more than
    `GRACE` seconds, the child is killed; what it had sent by then is in `tally`. An exception
    here, a KeyboardInterrupt among them, kills the child as well, and so do the end of this
    process and `stop`, once it is set.
    """
    request = pickle.dumps(
        Request(program=program, options=options, start=start, want_log=want_log),
        protocol=pickle.HIGHEST_PROTOCOL,
    )
    try:
        child, errors = start_process(COMMAND)
    except OSError as error:
        return Outcome(ended="failed", message=f"no child process: {error}", died=True)
    with errors:
        assert child.stdin is not None and child.stdout is not None
        listener = _Listener(child.stdout, tally)
        # Feeding takes until the child reads: a pipe holds little.
        feeder = threading.Thread(target=_feed, args=(child.stdin, request), daemon=True)
        try:
            listener.start()
            feeder.start()
            end = _wait(options.time_limit, listener, stop)
        except RuntimeError as error:  # there is no memory or process left for a thread
            end = f"child killed: {error}"
        finally:
            if listener.outcome is None:
                child.kill()
            child.wait()
            for thread in (listener, feeder):
                if thread.ident is not None:  # it was started
                    thread.join()
            child.stdout.close()
            _close(child.stdin)
        if listener.error is not None:
            raise listener.error
        if listener.outcome is not None:
            return listener.outcome
        if end is None:
            end = f"child ended early with code {child.returncode}: {last_words(errors)}"
    nothing = tally.x is None and tally.best_bound is None
    died = end not in (OVERRUN, STOPPED)
    return Outcome(ended="failed" if nothing and died else "stopped", message=end, died=died)


def _feed(pipe: IO[bytes], request: bytes) -> None:
    """Send the request to a child that may die; the end of its pipe tells the listener."""
    with suppress(BrokenPipeError):
        pipe.write(request)
        pipe.flush()


def _wait(limit: float | None, listener: _Listener, stop: threading.Event | None) -> str | None:
    """Wait for the end; say so if the child must be killed for it."""
    if not _came(listener.running, time.monotonic() + STARTUP, stop):
        return STOPPED if _is_set(stop) else f"child killed: not ready after {STARTUP:g} s"
    end = math.inf if limit is None else time.monotonic() + limit + GRACE
    if _came(listener.finished, end, stop):
        return None
    return STOPPED if _is_set(stop) else OVERRUN


def _came(event: threading.Event, end: float, stop: threading.Event | None) -> bool:
    """Wait for an event until a moment, or until it is to stop; whether the event came first."""
    while True:
        left = end - time.monotonic()
        wait = left if stop is None else min(left, POLL)
        if event.wait(None if wait == math.inf else max(0.0, wait)):
            return True
        if _is_set(stop) or time.monotonic() >= end:
            return False


def _is_set(stop: threading.Event | None) -> bool:
    return stop is not None and stop.is_set()


def _close(pipe: IO[bytes]) -> None:
    """Close a pipe whose reader may be gone."""
    try:
        pipe.close()
    except BrokenPipeError:
        pass

"""A call of a function in a child process, while this process goes on with something else."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Generic, TypeVar

from solvers.highs.child import ROOT, environment

__all__ = ["BackgroundCall", "ChildDied"]

T = TypeVar("T")


class ChildDied(Exception):
    """A child process ended without a result."""


class BackgroundCall(Generic[T]):
    """Calls a function in a child process from now on; a context manager that leaves none behind.

    As with a solve of HiGHS in a child (:mod:`solvers.highs.child`), the caller's main module is
    not imported, and the child ends with this process.

    Parameters
    ----------
    function : callable
        Of a module that a new process can import.
    *arguments
        Positional arguments; they are pickled, and so is what the function returns.

    Attributes
    ----------
    future : concurrent.futures.Future
        Holds the result, or the exception: the function's own, or `ChildDied`.
    """

    def __init__(self, function: Callable[..., T], *arguments: Any) -> None:
        self.future: Future[T] = Future()
        self._request = pickle.dumps((function, arguments), protocol=pickle.HIGHEST_PROTOCOL)
        self._errors = tempfile.TemporaryFile()
        self._child = subprocess.Popen(
            (sys.executable, "-m", "solvers.call_worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=ROOT,
            env=environment(),
            start_new_session=True,  # a Ctrl-C on the terminal is for the parent to handle
        )
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> BackgroundCall[T]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Kill the child if it is still at work, and wait until it has ended."""
        self._child.kill()
        self._thread.join()

    def _run(self) -> None:
        child = self._child
        assert child.stdin is not None and child.stdout is not None
        reply: tuple[Any, ...] | None = None
        try:
            # The child may die or be killed, perhaps within the request or the reply.
            with suppress(BrokenPipeError, EOFError, pickle.UnpicklingError):
                child.stdin.write(self._request)
                child.stdin.flush()
                reply = pickle.load(child.stdout)
        except Exception as error:  # what the child returned cannot be unpickled
            reply = "error", error
        child.kill()
        code = child.wait()
        with suppress(BrokenPipeError):
            child.stdin.close()
        child.stdout.close()
        with self._errors:
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip().splitlines()
        kind, value = reply or (
            "error",
            ChildDied(f"the child process ended with code {code}: {' '.join(said[-1:])}"),
        )
        if kind == "result":
            self.future.set_result(value)
        else:
            self.future.set_exception(value)

"""A call of a function in a child process, while this process goes on with something else."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Generic, TypeVar

from solvers import call_worker
from solvers.highs.child import StoppedOnExit, last_words, start_process

__all__ = ["BackgroundCall", "ChildDied", "Stopped"]

T = TypeVar("T")

_LEAVE = 5.0  # seconds that a child has to end after its reply


class Stopped(Exception):
    """A child process was stopped before it had a result."""


class ChildDied(Exception):
    """A child process ended without a result, though nobody stopped it; or could not be started."""


class BackgroundCall(StoppedOnExit, Generic[T]):
    """Calls a function in a child process from now on; a context manager that leaves none behind.

    As with a solve of HiGHS in a child (:mod:`solvers.highs.child`), the caller's main module is
    not imported, and the child ends with this process.

    Parameters
    ----------
    function : callable
        Takes no arguments: a partial one, say, of a function of a module that a new process can
        import. It is pickled, and so is what it returns.

    Attributes
    ----------
    future : concurrent.futures.Future
        Holds the result, or the exception: the function's own, `Stopped` or `ChildDied`.
    """

    def __init__(self, function: Callable[[], T]) -> None:
        self.future: Future[T] = Future()
        self._request = pickle.dumps(function, protocol=pickle.HIGHEST_PROTOCOL)
        self._stopped = False
        self._thread: threading.Thread | None = None
        try:
            command = sys.executable, "-m", call_worker.__name__
            self._child, self._errors = start_process(command)
        except OSError as error:
            self.future.set_exception(ChildDied(f"no child process: {error}"))
            return
        thread = threading.Thread(target=self._run, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # there is no memory or process left for a thread
            with self._child, self._errors:  # this closes the pipes, and waits
                self._child.kill()
            self.future.set_exception(ChildDied(f"no thread: {error}"))
            return
        self._thread = thread

    def stop(self) -> None:
        """Kill the child if it is still at work, and wait until it has ended.

        Processes of its own end soon after, if they watch their standard input.
        """
        if self._thread is None:
            return
        self._stopped = self._child.poll() is None
        self._child.kill()
        self._thread.join()

    def _run(self) -> None:
        try:
            kind, value = self._reply()
        except BaseException as error:  # for the one who asks for the result
            kind, value = "error", error
        if kind == "result":
            self.future.set_result(value)
        else:
            self.future.set_exception(value)

    def _reply(self) -> tuple[str, Any]:
        child = self._child
        assert child.stdin is not None and child.stdout is not None
        with self._errors:
            try:
                # The child may die or be killed, perhaps within the request or the reply.
                with suppress(BrokenPipeError, EOFError, pickle.UnpicklingError):
                    child.stdin.write(self._request)
                    child.stdin.flush()
                    reply: tuple[str, Any] = pickle.load(child.stdout)
                    return reply
            finally:
                code = _end(child)
                with suppress(BrokenPipeError):
                    child.stdin.close()
                child.stdout.close()
            if self._stopped:
                raise Stopped
            raise ChildDied(f"a child process ended with code {code}: {last_words(self._errors)}")


def _end(child: subprocess.Popen[bytes]) -> int:
    """Wait until a child that has closed its pipe ends by itself, or kill it; returns its code."""
    try:
        return child.wait(_LEAVE)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()

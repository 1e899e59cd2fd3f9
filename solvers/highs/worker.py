"""The child process that solves; :mod:`solvers.highs.child` starts it.

It reads one pickled `Request` from standard input and writes pickled ``(kind, value)`` pairs to
standard output: ("running", None), then any number of ("incumbent", x), ("bound", value) and
("log", text), and last ("outcome", Outcome). Standard input stays open as long as the parent
lives; its end is the child's end.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from dataclasses import dataclass
from typing import Any, BinaryIO

from solvers.highs.engine import run
from solvers.highs.options import HighsOptions
from solvers.highs.program import FloatArray, LinearProgram


@dataclass(frozen=True, eq=False, kw_only=True)
class Request:
    """The arguments of `engine.run` that travel."""

    program: LinearProgram
    options: HighsOptions
    start: FloatArray | None
    want_log: bool


class PipeProgress:
    """Send what happens to the parent."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe

    def send(self, kind: str, value: object) -> None:
        """Write one message, whole or not at all, and flush it, so that it survives a kill."""
        self._pipe.write(pickle.dumps((kind, value), protocol=pickle.HIGHEST_PROTOCOL))
        self._pipe.flush()

    def incumbent(self, x: FloatArray) -> None:
        """Send the point."""
        self.send("incumbent", x)

    def bound(self, value: float) -> None:
        """Send the bound."""
        self.send("bound", value)

    def log(self, text: str) -> None:
        """Send the text."""
        self.send("log", text)


def open_pipes() -> tuple[Any, PipeProgress]:
    """Read the request, and reserve standard output for messages."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up among the messages
    request = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    return request, PipeProgress(pipe)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> None:
    """Solve one request."""
    request, progress = open_pipes()
    progress.send("running", None)
    outcome = run(
        request.program, request.options, request.start, progress, want_log=request.want_log
    )
    progress.send("outcome", outcome)
    sys.stdout.flush()
    os._exit(0)  # the watching thread holds standard input's lock

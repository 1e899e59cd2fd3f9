"""The child's side of a guard: ``python -m benchmarks.study.worker PIPE LIFE``.

PIPE and LIFE are numbers of inherited file descriptors. Through PIPE come cells; for each go back
``None`` when it is prepared, from where on its time counts, and how it ended. LIFE stays open as
long as the parent lives: its end is the end of the process and of all that it has started.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection

from benchmarks.study.cell import Cell, Result, Status, prepare
from benchmarks.study.memory import descendants
from models.errors import InputError

__all__ = ["main", "outcome_of"]


def main(pipe: int, life: int) -> None:
    """Run cells until the pipe ends."""
    watch = threading.Thread(target=_end_with_parent, args=(life,), daemon=True)
    watch.start()
    with Connection(pipe) as parent:
        while True:
            try:
                cell, known = parent.recv()
            except EOFError:
                return
            parent.send(outcome_of(cell, known, lambda: parent.send(None)))


def outcome_of(
    cell: Cell, known: Result | None, prepared: Callable[[], None]
) -> tuple[Status, Result | None, str, float, float]:
    """Run a cell.

    ``prepared`` is called between preparation and measurement. Returned are status, result,
    message, and seconds and seconds of the processor since it was prepared.
    """
    began, worked = time.perf_counter(), _processor_seconds()
    result: Result | None = None
    status: Status = "failed"
    try:
        measure = prepare(cell, known)
        prepared()
        began, worked = time.perf_counter(), _processor_seconds()
        found = measure()
        # Through JSON even where nothing is stored: one kind of numbers, whatever the path.
        result = replace(found, value=json.loads(json.dumps(found.value)))
        status, message = "done", ""
    except (Exception, SystemExit) as error:  # a policy may call sys.exit
        message = one_line(error)
    return status, result, message, time.perf_counter() - began, _processor_seconds() - worked


def one_line(error: BaseException) -> str:
    """An error with its notes, in one line; bad input speaks for itself."""
    words = " ".join(str(error).split())
    if not isinstance(error, InputError):
        words = f"{type(error).__name__}: {words}"
    return words + "".join(f" ({note})" for note in getattr(error, "__notes__", ()))


def _processor_seconds() -> float:
    """Of this process and the children it has waited for."""
    return sum(os.times()[:4])


def _end_with_parent(life: int) -> None:
    while os.read(life, 1):
        pass
    for pid in descendants(os.getpid()):  # some may lead groups of their own
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

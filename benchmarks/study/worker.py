"""The child's side of a guard: ``python -m benchmarks.study.worker PIPE LIFE``.

PIPE and LIFE are numbers of inherited file descriptors. Through PIPE come cells; for each go back
``None`` when it is prepared, from where on its time counts, and how it ended. LIFE stays open as
long as the parent lives: its end is the end of the process and of all that it has started.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection

from benchmarks.study.cell import Cell, Outcome, Result, prepare
from benchmarks.study.closure import code_hash
from benchmarks.study.memory import end_tree
from models.errors import InputError


def main(pipe: int, life: int) -> None:
    """Run cells until the pipe ends."""
    threading.Thread(target=_end_with_parent, args=(life,), daemon=True).start()
    with Connection(pipe) as parent:
        while True:
            try:
                cell, known, code = parent.recv()
            except EOFError:
                return
            parent.send(outcome_of(cell, known, code, lambda: parent.send(None)))


def outcome_of(
    cell: Cell, known: Result | None, code: str, prepared: Callable[[], None] = lambda: None
) -> Outcome:
    """Run a cell.

    Parameters
    ----------
    known : Result or None
        What an earlier run with less effort found.
    code : str
        The :func:`benchmarks.study.closure.code_hash` that its key was made with, without which
        it is refused: its result would not be what the key says. Empty = any.
    prepared : callable
        Called between preparation and measurement.
    """
    began, worked = time.perf_counter(), _processor_seconds()
    try:
        if code and code_hash(cell.all_roots) != code:
            raise InputError("its code here is not what it was when the run began")
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


def _end_with_parent(life: int) -> None:
    while os.read(life, 1):
        pass
    end_tree(os.getpid())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

"""Cells for tests: small functions that prepare, and return what measures."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.study.cell import Cell, Effort, Needs, Result

__all__ = ["cell"]


def cell(
    name: str, needs: Needs = Needs(), effort: Effort | None = None, **parameters: Any
) -> Cell:
    """A cell with a function of this module."""
    return Cell(f"{__name__}:{name}", parameters, needs=needs, effort=effort)


def double(*, x: Any, log: str = "") -> Callable[[], Result]:
    """Doubles; leaves a line in a file, so that a test sees how often it ran."""

    def measure() -> Result:
        if log:
            with Path(log).open("a") as lines:
                lines.write(f"{x}\n")
        return Result(2 * x, {"x.txt": str(x).encode()}, times={"work": 0.25})

    return measure


def slowly(*, prepare: float, measure: float) -> Callable[[], Result]:
    """Takes its time."""
    time.sleep(prepare)

    def run() -> Result:
        time.sleep(measure)
        return Result("done")

    return run


def fail(*, words: str = "no") -> Callable[[], Result]:
    """Raises an error."""

    def measure() -> Result:
        raise ValueError(words)

    return measure


def interrupted_in_a_kernel() -> Callable[[], Result]:
    """Raises what Numba makes of Ctrl-C within a kernel."""

    def measure() -> Result:
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    return measure


def leave(*, code: int = 3) -> Callable[[], Result]:
    """Calls sys.exit."""
    return lambda: sys.exit(code)


def speak() -> Callable[[], Result]:
    """Print while it is prepared and while it runs."""
    print("getting ready")

    def measure() -> Result:
        print("at work")
        return Result(None)

    return measure


def die() -> Callable[[], Result]:
    """Is killed, after a last word."""

    def measure() -> Result:
        print("farewell", flush=True)
        os.kill(os.getpid(), 9)
        return Result(None)

    return measure


def die_with_heir() -> Callable[[], Result]:
    """Die while a child that was forked lives on, with all files that were open."""

    def measure() -> Result:
        if os.fork() == 0:
            time.sleep(20.0)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGKILL)
        return Result(None)

    return measure


def hang(*, marks: str) -> Callable[[], Result]:
    """Hangs, with a child in a session of its own that hangs too; notes both processes."""

    def measure() -> Result:
        script = "import subprocess, sys; subprocess.run(['sleep', '600'])"
        child = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
        Path(marks).write_text(f"{os.getpid()} {child.pid}")
        time.sleep(600)
        return Result(None)

    return measure


def hold(*, megabytes: int) -> Callable[[], Result]:
    """Takes memory, and keeps it."""

    def measure() -> Result:
        held = bytearray(megabytes * 1_000_000)
        held[::4096] = b"x" * len(held[::4096])
        time.sleep(60)
        return Result(len(held))

    return measure


def chatter(*, megabytes: int) -> Callable[[], Result]:
    """Prints much; tells how large the file is that it prints into."""

    def measure() -> Result:
        for _ in range(megabytes):
            print(1_000_000 * "x", flush=True)
            time.sleep(0.1)
        return Result(os.fstat(1).st_size)

    return measure


def library_threads(*, number: int) -> Callable[[], Result]:
    """Tells how many threads a linear algebra library is to use, and in which process."""
    return lambda: Result([os.environ["OPENBLAS_NUM_THREADS"], os.getpid()])


def process() -> Callable[[], Result]:
    """Tells in which process it runs."""
    return lambda: Result(os.getpid())


def strange() -> Callable[[], Result]:
    """Returns what JSON cannot say."""
    return lambda: Result({1, 2})


def climb(*, top: int, effort: Effort, known: Result | None) -> Callable[[], Result]:
    """Counts as far as the effort goes, from where it was stopped before."""

    def measure() -> Result:
        before = known.value["reached"] if known else 0
        assert effort.seconds is not None
        reached = min(top, before + int(effort.seconds))
        return Result({"reached": reached, "from": before}, proven=reached == top)

    return measure


def imported(*, function: str, parameters: Mapping[str, Any]) -> list[str]:
    """Modules of the toolkit that are loaded when a cell has run."""
    from benchmarks.study.cell import prepare

    more = {"effort": Effort(5.0)} if "starts" in parameters else {}
    prepare(Cell(function, parameters, **more), None)()  # type: ignore[arg-type]
    layers = {"models", "solvers", "online", "benchmarks"}
    return sorted(name for name in sys.modules if name.partition(".")[0] in layers)

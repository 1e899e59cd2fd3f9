"""HiGHS in the process that asks, where a child would be started."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import solvers.highs.adapter
from solvers.highs import HighsOptions, LinearProgram
from solvers.highs.engine import run
from solvers.highs.outcome import Outcome, Tally
from solvers.highs.program import FloatArray

__all__ = ["run_here", "solve_here"]


def run_here(
    program: LinearProgram,
    options: HighsOptions,
    start: FloatArray | None,
    tally: Tally,
    *,
    want_log: bool,
    stop: threading.Event | None = None,
) -> Outcome:
    """Solve a tiny program here: a child takes far longer to load."""
    assert stop is None, "a solve beside needs a process of its own"
    return run(program, replace(options, threads=1), start, tally, want_log=want_log)


def solve_here(
    patch: Callable[[Any, str, Any], None] = setattr,
) -> None:
    """From now on, in this process."""
    patch(solvers.highs.adapter, "run_in_child", run_here)

"""The one way to HiGHS: `solve`."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

import numpy as np

from models.errors import InputError
from solvers.highs.child import run_in_child
from solvers.highs.engine import run
from solvers.highs.feasibility import settle
from solvers.highs.matrix_result import MatrixResult, judge
from solvers.highs.options import HighsOptions
from solvers.highs.outcome import Tally
from solvers.highs.program import FloatArray, LinearProgram

#: Nonzeros up to which HiGHS is trusted to keep the time limit of an LP without a child process.
SMALL_LP = 20_000

#: The same of a MILP, for callers who would rather not wait until a child has loaded.
SMALL_MIP = 30_000

_DEFAULT = HighsOptions()


def solve(
    program: LinearProgram,
    options: HighsOptions = _DEFAULT,
    *,
    start: FloatArray | None = None,
    log: str | Path | TextIO | None = None,
    in_child: bool | None = None,
    stop: threading.Event | None = None,
) -> MatrixResult:
    """Solve a linear or mixed-integer program.

    Parameters
    ----------
    program : LinearProgram
        What to solve.
    options : HighsOptions
        Limits, gap, threads, seed.
    start : float array of shape [n], or None
        MIP start; NaN where HiGHS is to find a value. A complete one counts as an incumbent.
    log : path, text stream or None
        Where HiGHS's log goes; a file is overwritten.
    in_child : bool or None
        Whether to solve in a child process. By default a MILP or large LP with a time limit is,
        and everything with several threads: only a child can be killed when HiGHS overruns, and
        HiGHS cannot change its number of threads within a process.
    stop : threading.Event or None
        Ends the solve of a MILP early, once it is set; an LP only in a child process.

    Returns
    -------
    MatrixResult
        Always, unless an argument is wrong or the user interrupts.

    Raises
    ------
    InputError
        If an option does not fit the program, or the start is for an LP, of the wrong shape or
        infeasible.
    """
    began = time.perf_counter()
    options.check_for(is_mip=program.is_mip)
    if in_child is None:
        large = program.is_mip or program.matrix.nnz > SMALL_LP
        in_child = options.threads > 1 or (options.time_limit is not None and large)
    with ExitStack() as stack:
        stream = stack.enter_context(open(log, "w")) if isinstance(log, str | Path) else log
        tally = Tally(program, stream)
        if start is not None:
            start = checked_start(program, start, tally)
        runner = run_in_child if in_child else run
        outcome = runner(program, options, start, tally, want_log=stream is not None, stop=stop)
    return judge(program, options, outcome, tally, time.perf_counter() - began)


def checked_start(program: LinearProgram, start: FloatArray, tally: Tally) -> FloatArray:
    """Refuse a start that HiGHS would drop without a word; count a complete one as incumbent.

    Raises
    ------
    InputError
        If the start is for an LP, of the wrong shape or infeasible.
    """
    start = np.asarray(start, dtype=np.float64)
    if not program.is_mip:
        raise InputError("start: only a program with integer columns takes one")
    if start.shape != program.cost.shape:
        raise InputError(f"start: shape {start.shape}, expected {program.cost.shape}")
    if np.isnan(start).any():
        return start
    point, reason = settle(program, start)
    if point is None:
        raise InputError(f"start: {reason}")
    tally.incumbent(point)
    return point

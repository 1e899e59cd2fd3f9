"""What a user would pick instead: SCIP and CP-SAT on the program that HiGHS is handed.

Both are optional (extra ``check``) and imported when called. Nothing is taken on their word that
can be checked: points are held against the program's own arrays, as HiGHS's are, and a bound that
a point refutes is dropped. Of the options they take time limit, gap, seed and threads.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from typing import Literal

import numpy as np

from models.errors import InputError
from solvers import cp_sat_child
from solvers.errors import WrongSolution
from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs.child import ROOT, environment
from solvers.highs.matrix_result import judge
from solvers.highs.outcome import Outcome, Tally

__all__ = ["cp_sat", "scip"]

Ended = Literal["optimal", "infeasible", "unbounded", "stopped", "failed"]

#: What the solvers' own words mean; any other end is an error.
_SCIP: dict[str, Ended] = {
    "optimal": "optimal",
    "gaplimit": "optimal",
    "timelimit": "stopped",
    "memlimit": "stopped",
    "infeasible": "infeasible",
    "unbounded": "unbounded",
}
_CP_SAT: dict[str, Ended] = {
    "OPTIMAL": "optimal",
    "FEASIBLE": "stopped",
    "NOT_SOLVED": "stopped",
    "INFEASIBLE": "infeasible",
}

#: CP-SAT's ``mip_wanted_precision``, ``mip_max_activity_exponent`` and ``mip_max_bound``.
_PRECISION, _EXPONENT, _LARGEST = 1e-6, 53, 1e7

#: Seconds past its time limit, loading included, after which CP-SAT's process is killed.
_GRACE = 60.0


def scip(program: LinearProgram, options: HighsOptions) -> MatrixResult:
    """Solve a program by SCIP, in this process and in one thread, whatever is asked.

    Raises
    ------
    InputError
        If an option is HiGHS's alone.
    WrongSolution
        If SCIP ends in another way than by a proof or a limit.
    """
    import pyscipopt

    def limits(*names: str) -> list[list[float]]:
        # Numbers of this size are infinite to SCIP.
        return [np.clip(getattr(program, name), -1e20, 1e20).tolist() for name in names]

    def run(tally: Tally) -> Outcome:
        began = time.monotonic()
        model = pyscipopt.Model()
        model.hideOutput()
        model.setParams({"limits/gap": options.mip_rel_gap, "misc/catchctrlc": False})
        model.setParam("randomization/randomseedshift", options.seed)
        x = [
            model.addVar(vtype="I" if whole else "C", lb=low, ub=high, obj=cost)
            for whole, low, high, cost in zip(
                program.integer.tolist(), *limits("lower", "upper"), program.cost, strict=True
            )
        ]
        model.addObjoffset(program.offset)
        model.setMaximize() if program.sense == "max" else model.setMinimize()
        matrix = program.matrix
        for k, (low, high) in enumerate(zip(*limits("row_lower", "row_upper"), strict=True)):
            part = slice(matrix.indptr[k], matrix.indptr[k + 1])
            entries = zip(matrix.data[part].tolist(), matrix.indices[part].tolist(), strict=True)
            row = pyscipopt.quicksum(a * x[j] for a, j in entries)
            model.addCons((row <= high) >= low)
        if options.time_limit is not None:
            left = options.time_limit - (time.monotonic() - began)
            model.setParam("limits/time", max(0.0, left))
        model.optimize()
        status = model.getStatus()
        if status not in _SCIP:
            raise WrongSolution(f"SCIP ended as {status!r}")
        for point in model.getSols():
            tally.incumbent(np.array([model.getSolVal(point, column) for column in x]))
        bound = model.getDualbound()
        known = None if model.isInfinity(abs(bound)) else bound
        return Outcome(ended=_SCIP[status], message=status, bound=known)

    return _judged(f"SCIP {version('pyscipopt')}", program, options, run)


def cp_sat(program: LinearProgram, options: HighsOptions) -> MatrixResult:
    """Solve a program whose columns are all integer by CP-SAT, in a child process.

    CP-SAT rounds each row to whole coefficients, so finely that no point's row changes by more
    than 1e-6, and shifts its sides outward by so much. Hence no feasible point is lost, and the
    bound, though of a slightly larger set, holds. Where numbers are too large for that, there is
    no bound, and the message says so. The bound of the rounded objective is turned into one of the
    objective itself (``mip_compute_true_objective_bound``). There is none without a point.

    Raises
    ------
    InputError
        If a column is not integer or not bounded, which CP-SAT would cut without a word; or if an
        option is HiGHS's alone.
    WrongSolution
        If CP-SAT ends in another way than by a proof or a limit.
    """
    reach = np.maximum(np.abs(program.lower), np.abs(program.upper))
    if not program.integer.all() or reach.max(initial=0.0) >= _LARGEST:
        raise InputError(f"CP-SAT: only for integer columns that are bounded below {_LARGEST:g}")
    asked = cp_sat_child.Request(
        lower=program.lower,
        upper=program.upper,
        cost=program.cost,
        row_lower=program.row_lower,
        row_upper=program.row_upper,
        matrix=program.matrix,
        offset=program.offset,
        maximize=program.sense == "max",
        parameters={
            "num_workers": options.threads,
            # Alone, its first strategy often finds no point at all where all in turns do.
            "interleave_search": "true" if options.threads == 1 else "false",
            "random_seed": options.seed,
            "relative_gap_limit": options.mip_rel_gap,
            "absolute_gap_limit": 0.0,
            "mip_compute_true_objective_bound": "true",
            "mip_wanted_precision": _PRECISION,
            "mip_max_activity_exponent": _EXPONENT,
            "mip_max_bound": _LARGEST,
        },
        seconds=options.time_limit,
    )

    def run(tally: Tally) -> Outcome:
        limit = None if options.time_limit is None else options.time_limit + _GRACE
        try:
            done = subprocess.run(
                [sys.executable, "-m", cp_sat_child.__name__],
                input=pickle.dumps(asked),
                capture_output=True,
                cwd=ROOT,
                env=environment(),
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return Outcome(ended="stopped", message="time limit, overrun by CP-SAT: killed")
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise WrongSolution(f"CP-SAT ended with code {done.returncode}: {' '.join(said[-1:])}")
        reply: cp_sat_child.Reply = pickle.loads(done.stdout)
        status, message, bound = reply["status"], reply["status"], reply["bound"]
        if status not in _CP_SAT:
            raise WrongSolution(f"CP-SAT ended as {status}: {reply['words']}")
        if reply["x"] is not None:
            tally.incumbent(reply["x"])
        if bound is not None and not _keeps_points(program, reach):
            message, bound = f"{status}; no bound: too large numbers to be rounded finely", None
        return Outcome(ended=_CP_SAT[status], message=message, bound=bound)

    return _judged(f"CP-SAT {version('ortools')}", program, options, run)


def _keeps_points(program: LinearProgram, reach: np.ndarray) -> bool:
    """Whether rounding can change no row by CP-SAT's precision, at its largest scaling factors.

    A factor is a power of two with which the activity stays below 2^53, so at least half of the
    largest such number, and a rounded coefficient is off by a half at most.
    """
    size = abs(program.matrix)
    activity, spread = size @ reach, (size > 0) @ reach
    return bool((activity * spread < _PRECISION * 2.0**_EXPONENT).all())


def _judged(
    name: str,
    program: LinearProgram,
    options: HighsOptions,
    run: Callable[[Tally], Outcome],
) -> MatrixResult:
    """Run, and judge what is claimed as if it were HiGHS that claims it."""
    taken = HighsOptions(
        time_limit=options.time_limit,
        mip_rel_gap=options.mip_rel_gap,
        threads=options.threads,
        seed=options.seed,
    )
    if options != taken:
        raise InputError(f"{name} takes time_limit, mip_rel_gap, threads and seed alone")
    began, tally = time.monotonic(), Tally(program)
    outcome = run(tally)
    result = judge(program, options, outcome, tally, time.monotonic() - began)
    return replace(result, solver=name)

"""One run of HiGHS in this process, every return status looked at.

HiGHS goes on after errors (a model it has refused is then "Optimal" at 0), so each call is checked.
Its duals and bounds are in the model's own sense already, offset included, and need no change of
sign; the tests hold it to that.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import replace
from typing import Literal

import highspy
import numpy as np
from highspy import HighsModelStatus as ModelStatus
from highspy import HighsStatus, cb

from solvers.highs.options import HighsOptions
from solvers.highs.outcome import Outcome, Progress, Silence
from solvers.highs.program import FloatArray, LinearProgram

VERSION = ".".join(
    str(part)
    for part in (
        highspy.HIGHS_VERSION_MAJOR,
        highspy.HIGHS_VERSION_MINOR,
        highspy.HIGHS_VERSION_PATCH,
    )
)

_MOST_ITERATIONS = 2**31 - 1  # that HiGHS takes as a limit

#: Model statuses of a run that a limit or the user ended.
_STOPPED = {
    ModelStatus.kTimeLimit: "time limit",
    ModelStatus.kSolutionLimit: "limit on nodes or solutions",
    ModelStatus.kIterationLimit: "iteration limit",
    ModelStatus.kObjectiveBound: "bound on the objective reached",
    ModelStatus.kObjectiveTarget: "target of the objective reached",
    ModelStatus.kMemoryLimit: "memory limit",
    ModelStatus.kInterrupt: "limit on work",
}


class HighsError(Exception):
    """A call of HiGHS that did not return success."""


def run(
    program: LinearProgram,
    options: HighsOptions,
    start: FloatArray | None,
    progress: Progress,
    *,
    want_log: bool,
    stop: threading.Event | None = None,
) -> Outcome:
    """Solve, and settle "unbounded or infeasible" by further solves.

    Parameters
    ----------
    program, options : LinearProgram, HighsOptions
        What to solve and how. The time limit covers the further solves, too.
    start : float array of shape [n], or None
        MIP start; NaN where HiGHS is to find a value.
    progress : Progress
        Told of incumbents and bounds of a MILP, and of the log if `want_log`.
    want_log : bool
        Whether HiGHS writes a log at all.
    stop : threading.Event or None
        Ends the solve of a MILP early, once it is set.
    """
    began = time.monotonic()
    trivial = _without_highs(program)
    if trivial is not None:
        return trivial
    try:
        outcome = _attempt(program, options, start, progress, want_log=want_log, stop=stop)
        if outcome is None:
            end = math.inf if options.time_limit is None else began + options.time_limit
            outcome = _unbounded_or_infeasible(program, options, end, stop)
    except HighsError as error:
        return Outcome(ended="failed", message=str(error))
    return outcome


def _without_highs(program: LinearProgram) -> Outcome | None:
    """Decide the programs that HiGHS warns about or leaves undecided (no columns)."""
    crossing = program.crossing()
    if crossing is not None:
        return Outcome(ended="infeasible", message=crossing)
    if program.cost.size:
        return None
    broken = (program.row_lower > 0) | (program.row_upper < 0)
    if broken.any():
        name = program.row_name(int(np.argmax(broken)))
        return Outcome(ended="infeasible", message=f"{name} has no columns and excludes 0")
    return Outcome(
        ended="optimal",
        message="no columns",
        x=np.zeros(0),
        bound=program.offset,
        row_duals=np.zeros(program.row_lower.size),
        reduced_costs=np.zeros(0),
    )


def _attempt(
    program: LinearProgram,
    options: HighsOptions,
    start: FloatArray | None,
    progress: Progress,
    *,
    want_log: bool,
    stop: threading.Event | None = None,
) -> Outcome | None:
    """Run HiGHS once; None if it cannot tell infeasible from unbounded."""
    highs = highspy.Highs()
    _check("output_flag", highs.setOptionValue("output_flag", want_log))
    settings = options.highs_options()
    if options.work_limit is not None and not program.is_mip:
        settings["simplex_iteration_limit"] = min(100 * options.work_limit, _MOST_ITERATIONS)
    for name, value in settings.items():
        _check(f"option {name}={value!r}", highs.setOptionValue(name, value))
    _check("passModel", highs.passModel(highs_lp(program)))
    checks = _listen(highs, progress, options, stop, is_mip=program.is_mip, want_log=want_log)
    if start is not None:
        _set_start(highs, start)
    status = highs.run()
    if status == HighsStatus.kError and highs.getModelStatus() == ModelStatus.kNotset:
        # Another user of HiGHS in this process has set up its thread pool with another size.
        highspy.Highs.resetGlobalScheduler(True)
        status = highs.run()
    if status == HighsStatus.kError:
        raise HighsError(f"HiGHS failed: {highs.modelStatusToString(highs.getModelStatus())}")
    outcome = _read(highs, program)
    if outcome is None:
        return None
    if outcome.ended == "stopped" and stop is not None and stop.is_set():
        outcome = replace(outcome, message="stopped")
    iterations = max(highs.getInfo().simplex_iteration_count, 0)
    return replace(outcome, work=checks[0] if program.is_mip else math.ceil(iterations / 100))


def _check(what: str, status: HighsStatus) -> None:
    if status != HighsStatus.kOk:
        raise HighsError(f"HiGHS refused {what} ({status.name})")


def highs_lp(program: LinearProgram) -> highspy.HighsLp:
    """Return the program in HiGHS's own type."""
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = program.matrix.shape
    maximise = program.sense == "max"
    lp.sense_ = highspy.ObjSense.kMaximize if maximise else highspy.ObjSense.kMinimize
    lp.offset_ = program.offset
    lp.col_cost_ = program.cost
    lp.col_lower_, lp.col_upper_ = program.lower, program.upper
    lp.row_lower_, lp.row_upper_ = program.row_lower, program.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = program.matrix.indptr.astype(np.int32)
    lp.a_matrix_.index_ = program.matrix.indices.astype(np.int32)
    lp.a_matrix_.value_ = program.matrix.data
    if program.is_mip:
        kinds = np.array(
            [highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger], dtype=object
        )
        lp.integrality_ = kinds[program.integer.astype(int)].tolist()
    return lp


def _listen(
    highs: highspy.Highs,
    progress: Progress,
    options: HighsOptions,
    stop: threading.Event | None,
    *,
    is_mip: bool,
    want_log: bool,
) -> list[int]:
    """Pass HiGHS's callbacks on to `progress`; a counter of its looks at the limits of a MILP."""
    last_bound = np.nan
    most = math.inf if options.work_limit is None else options.work_limit
    checks = [0]

    def callback(
        kind: cb.HighsCallbackType,
        text: str,
        out: cb.HighsCallbackOutput,
        control: cb.HighsCallbackInput,
        _: object,
    ) -> None:
        nonlocal last_bound
        if int(kind) == int(cb.kCallbackLogging):
            progress.log(text)
            return
        if int(kind) == int(cb.kCallbackMipImprovingSolution):
            progress.incumbent(np.array(out.mip_solution))  # HiGHS reuses the memory
        else:
            checks[0] += 1
            control.user_interrupt = checks[0] >= most or (stop is not None and stop.is_set())
        if out.mip_dual_bound != last_bound:
            last_bound = out.mip_dual_bound
            progress.bound(last_bound)

    kinds = [cb.kCallbackLogging] if want_log else []
    if is_mip:
        # The interrupt callback is the only one called often enough to follow the bound. It also
        # lets Python see a Ctrl-C.
        kinds += [cb.kCallbackMipImprovingSolution, cb.kCallbackMipInterrupt]
    if kinds:
        _check("setCallback", highs.setCallback(callback, None))
    for kind in kinds:
        _check("startCallback", highs.startCallback(kind))
    return checks


def _set_start(highs: highspy.Highs, start: FloatArray) -> None:
    known = np.flatnonzero(~np.isnan(start))
    if known.size < start.size:
        status = highs.setSolution(known.size, known.astype(np.int32), start[known])
    else:
        solution = highspy.HighsSolution()
        solution.col_value = start.tolist()
        status = highs.setSolution(solution)
    _check("the MIP start", status)


def _read(highs: highspy.Highs, program: LinearProgram) -> Outcome | None:
    """Translate HiGHS's final state."""
    status, info, solution = highs.getModelStatus(), highs.getInfo(), highs.getSolution()
    named = highs.modelStatusToString(status)
    feasible = info.valid and info.primal_solution_status == highspy.kSolutionStatusFeasible
    x = np.array(solution.col_value) if feasible and solution.value_valid else None
    if program.is_mip:
        bound = info.mip_dual_bound if info.valid and np.isfinite(info.mip_dual_bound) else None
    else:
        bound = None  # the MIP fields mean nothing
    if status == ModelStatus.kInfeasible:
        return Outcome(ended="infeasible", message=named)
    if status == ModelStatus.kUnboundedOrInfeasible:
        return None
    if status == ModelStatus.kUnbounded:
        # Of a MILP this may tell of the relaxation only.
        return None if program.is_mip else Outcome(ended="unbounded", message=named)
    if status in _STOPPED:
        return Outcome(ended="stopped", message=_STOPPED[status], x=x, bound=bound)
    if status != ModelStatus.kOptimal:
        return Outcome(ended="failed", message=f"HiGHS ended with status {named!r}")
    if program.is_mip:
        return Outcome(ended="optimal", message=named, x=x, bound=bound)
    if info.dual_solution_status != highspy.kSolutionStatusFeasible or not solution.dual_valid:
        return Outcome(ended="failed", message="HiGHS calls an LP optimal but has no duals")
    return Outcome(
        ended="optimal",
        message=named,
        x=x,
        bound=info.objective_function_value,
        row_duals=np.array(solution.row_dual),
        reduced_costs=np.array(solution.col_dual),
    )


def _unbounded_or_infeasible(
    program: LinearProgram, options: HighsOptions, end: float, stop: threading.Event | None
) -> Outcome:
    """Find out which, by looking for a feasible point, then for a ray of the relaxation.

    A feasible MILP with rational data whose relaxation is unbounded is itself unbounded (Meyer,
    Mathematical Programming 7, 1974). All is over at ``end``, of ``time.monotonic()``.
    """
    work = 0

    def attempt(changed: LinearProgram) -> Outcome | None:
        nonlocal work
        limited = replace(options, presolve=False).until(end)
        answer = _attempt(changed, limited, None, Silence(), want_log=False, stop=stop)
        work += 0 if answer is None else answer.work
        return None if answer is None else replace(answer, work=work)

    answer = attempt(replace(program, cost=np.zeros(program.cost.size)))
    if answer is not None and answer.ended == "optimal":
        answer = attempt(program.relaxed())
        if answer is not None and answer.ended == "unbounded":
            return answer
    elif answer is not None and answer.ended == "infeasible":
        return answer
    ended: Literal["stopped", "failed"] = "failed"
    if answer is not None and answer.ended == "stopped":
        ended = "stopped"
    message = "unbounded or infeasible, and not settled which"
    return Outcome(ended=ended, message=message, work=work)

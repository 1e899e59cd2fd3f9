"""The optimum of small instances: the compact ILP, solved by HiGHS to a proven gap."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from models.utility.column import Resources
from models.utility.formulations import (
    compact,
    resource_prices,
    schedule_from_values,
    set_values,
)
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from models.utility.score import score
from solvers.highs import SOLVER, HighsOptions, MatrixResult
from solvers.pyomo_bridge import PyomoResult, solve_model
from solvers.result import OPTIMAL_GAP, SolveResult, Status, relative_gap
from solvers.utility.cuts import find_cuts

__all__ = ["WrongSolution", "relaxation", "solve"]

_CUT_SHARE = 0.25  # of the time limit, at most
_HEURISTIC_EFFORT = 0.2  # of the search; HiGHS's default is 0.05. Measured: docs/formulations.md
_ROUND_OFF = 1e-6

Result = SolveResult[UtilitySchedule]


class WrongSolution(RuntimeError):
    """The scorer refuses what the solver calls a solution: a fault of the code."""


def solve(
    instance: UtilityInstance,
    *,
    time_limit: float | None = None,
    node_limit: int | None = None,
    mip_rel_gap: float = OPTIMAL_GAP,
    threads: int = 1,
    seed: int = 0,
    start: UtilitySchedule | None = None,
    log: str | Path | TextIO | None = None,
) -> Result:
    """Best schedule in hindsight, and a bound that says how good it is.

    Solves the LP relaxation a few times, adding cuts (:mod:`solvers.utility.cuts`), then the
    ILP.

    Parameters
    ----------
    instance : UtilityInstance
    time_limit : float, optional
        Seconds for everything; the best schedule and bound so far are returned.
    node_limit : int, optional
        Branch-and-bound nodes: a stop that is the same on every machine.
    mip_rel_gap : float
        Relative gap at which the optimum counts as proven.
    threads, seed : int
        Of HiGHS.
    start : UtilitySchedule, optional
        A feasible schedule; the result is at least as good.
    log : path or text stream, optional
        Where HiGHS's log goes.

    Returns
    -------
    SolveResult
        ``objective`` is the scorer's value of ``schedule``; ``bound`` is HiGHS's word (source
        "milp"), in floating point and not certified. ``duals`` is None:
        see :func:`relaxation`.

    Raises
    ------
    InputError
        If an option is out of range, or the start is not a feasible schedule of the instance.
    WrongSolution
        If the scorer finds a violation, or a value above the bound.
    """
    began = time.perf_counter()
    options = HighsOptions(
        time_limit=time_limit,
        node_limit=node_limit,
        mip_rel_gap=mip_rel_gap,
        threads=threads,
        seed=seed,
        extra={"mip_heuristic_effort": _HEURISTIC_EFFORT},
    )
    share = None if time_limit is None else _CUT_SHARE * time_limit
    model = compact(instance, cuts=find_cuts(instance, time_limit=share))
    if start is not None:
        set_values(model, instance, start)
    if time_limit is not None:
        spent = time.perf_counter() - began
        options = replace(options, time_limit=max(time_limit - spent, 0.1 * time_limit))
    solved = solve_model(model, options, warm_start=start is not None, log=log)
    seconds = time.perf_counter() - began
    return replace(_judged(instance, solved, mip_rel_gap), seconds=seconds)


def relaxation(
    instance: UtilityInstance, *, time_limit: float | None = None
) -> SolveResult[UtilitySchedule]:
    """LP relaxation of the compact ILP, strengthened: a bound, and prices.

    Returns
    -------
    SolveResult
        Status "bounded" when solved; ``bound`` is its value, ``duals`` the
        :class:`models.utility.column.Resources` of ``p_h^r(t)`` and ``q_k^r(t)``, duals of
        (4) and (5): the gain in utility per unit of more capacity.
    """
    model = compact(instance, relaxed=True)
    solved = solve_model(model, HighsOptions(time_limit=time_limit))
    result = solved.result
    if not result.is_optimal:
        return _without_schedule(result)
    p, q = solved.duals(model.constraint_4), solved.duals(model.constraint_5)
    return _without_schedule(result, result.bound, resource_prices(instance, p, q))


def _judged(instance: UtilityInstance, solved: PyomoResult, mip_rel_gap: float) -> Result:
    """The result with a schedule that the scorer has judged."""
    result, model = solved.result, solved.model
    if result.x is None:
        return result.lift()
    last = instance.cluster.slots - 1
    done = solved.values(model.d)
    x = {i: done[i, last] for i in model.x}
    schedule = schedule_from_values(instance, x, solved.values(model.y), solved.values(model.z))
    judged = score(instance, schedule)
    if not judged.feasible:
        raise WrongSolution(f"{instance.name}: {judged.violations[0]}")
    bound = result.bound
    if bound is not None:
        if judged.objective > bound + _ROUND_OFF * max(1.0, bound):
            raise WrongSolution(f"{instance.name}: worth {judged.objective}, bound {bound}")
        bound = max(bound, judged.objective)
    gap = relative_gap("max", judged.objective, bound)
    proven = result.is_optimal and gap is not None and gap <= mip_rel_gap + _ROUND_OFF
    return replace(
        result.lift(),
        status="optimal" if proven else "feasible",
        objective=judged.objective,
        bound=bound,
        schedule=schedule,
    )


def _without_schedule(
    result: MatrixResult, bound: float | None = None, duals: Resources | None = None
) -> Result:
    """What the LP proves: no objective, for its point is no schedule."""
    stopped: Status = "failed" if result.status == "failed" else "interrupted"
    return SolveResult(
        status=stopped if bound is None else "bounded",
        objective=None,
        bound=bound,
        schedule=None,
        duals=duals,
        seconds=result.seconds,
        solver=SOLVER,
        options=result.options,
        message=result.message,
    )

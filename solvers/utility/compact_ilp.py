"""The paper's compact ILP, handed to a solver as a whole, and its LP relaxation.

It is far slower than :mod:`solvers.utility.exact`, which is checked against it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from models.errors import InputError
from models.scoring import Score
from models.tolerance import row_units
from models.utility.formulations import (
    compact,
    resource_prices,
    schedule_from_values,
    set_values,
)
from models.utility.instance import UtilityInstance
from models.utility.resources import Resources
from models.utility.schedule import UtilitySchedule
from models.utility.score import score
from solvers.errors import WrongSolution
from solvers.highs import SOLVER, HighsOptions, MatrixResult
from solvers.pyomo_bridge import Engine, PyomoResult, solve_model
from solvers.result import (
    HIGHS_ROUND_OFF,
    OPTIMAL_GAP,
    SolveResult,
    Status,
    reconciled,
    relative_gap,
)
from solvers.utility.scaling import scale_utilities

__all__ = ["relaxation", "solve"]

_STACK = 1e-5  # of a capacity: rows may miss it by 2e-6, whole numbers by 1e-6

Result = SolveResult[UtilitySchedule]


def solve(
    instance: UtilityInstance,
    *,
    time_limit: float | None = None,
    mip_rel_gap: float = OPTIMAL_GAP,
    threads: int = 1,
    seed: int = 0,
    start: UtilitySchedule | None = None,
    log: str | Path | TextIO | None = None,
    engine: Engine | None = None,
) -> Result:
    """Best schedule in hindsight, and a bound that says how good it is.

    Parameters
    ----------
    instance : UtilityInstance
    time_limit : float, optional
        Seconds for everything; the best schedule and bound so far are returned.
    mip_rel_gap : float
        Relative gap at which the optimum counts as proven.
    threads, seed : int
        Of the solver.
    start : UtilitySchedule, optional
        A feasible schedule; the result is at least as good.
    log : path or text stream, optional
        Where HiGHS's log goes.
    engine : callable, optional
        Takes the place of HiGHS (:mod:`solvers.reference`); it has neither start nor log.

    Returns
    -------
    SolveResult
        ``objective`` is the scorer's value of ``schedule``; ``bound`` is the solver's word (source
        "milp"), in floating point and not certified; where it lies below ``objective`` by
        1e-6 relative at most, the tolerance of all, it is set to it. ``duals`` is None: see
        :func:`relaxation`. A schedule that exceeds a capacity by HiGHS's tolerance on top of
        the scorer's is replaced by the start, or by none, and ``message`` says so.

    Raises
    ------
    InputError
        If an option is out of range, or the start is not a feasible schedule of the instance.
    WrongSolution
        If the scorer finds any other violation, or a value above the bound, if the model
        refuses the start, or if the solver says that there is no schedule at all.
    """
    began = time.perf_counter()
    options = HighsOptions(
        time_limit=time_limit,
        mip_rel_gap=mip_rel_gap,
        threads=threads,
        seed=seed,
    )
    scaled = scale_utilities(instance)
    model = compact(scaled.instance)
    if start is not None:
        set_values(model, instance, start)
    if time_limit is not None:
        spent = time.perf_counter() - began
        options = replace(options, time_limit=max(time_limit - spent, 0.1 * time_limit))
    try:
        has_start = start is not None and len(model.n) > 0
        solved = solve_model(model, options, warm_start=has_start, log=log, engine=engine)
    except InputError as error:  # of options and start that have passed their checks
        raise WrongSolution(f"{instance.name}: {error}") from error
    result = _judged(instance, solved, scaled.factor, mip_rel_gap, start)
    return replace(result, seconds=time.perf_counter() - began)


def relaxation(
    instance: UtilityInstance, *, time_limit: float | None = None
) -> SolveResult[UtilitySchedule]:
    """LP relaxation of the compact ILP, strengthened: a bound, and prices.

    Returns
    -------
    SolveResult
        Status "bounded" when solved; ``bound`` is its value, ``duals`` the
        :class:`models.utility.resources.Resources` of ``p_h^r(t)`` and ``q_k^r(t)``, duals of
        (4) and (5): the gain in utility per unit of more capacity.
    """
    scaled = scale_utilities(instance)
    model = compact(scaled.instance, relaxed=True)
    solved = solve_model(model, HighsOptions(time_limit=time_limit))
    result = solved.result
    if not result.is_optimal:
        return _without_schedule(result)
    assert result.bound is not None
    cluster = instance.cluster.tolerant
    p = _per_unit(solved.duals(model.constraint_4), cluster.worker_servers, scaled.factor)
    q = _per_unit(solved.duals(model.constraint_5), cluster.ps_servers, scaled.factor)
    return _without_schedule(result, result.bound / scaled.factor, resource_prices(instance, p, q))


def _per_unit(duals: Mapping[Any, float], capacity: np.ndarray, factor: float) -> dict[Any, float]:
    """Duals of scaled rows, by (server, slot, resource), as prices in the instance's units."""
    units = row_units(capacity) * factor
    return {(s, t, r): dual / float(units[s, r]) for (s, t, r), dual in duals.items()}


def _judged(
    instance: UtilityInstance,
    solved: PyomoResult,
    factor: float,
    mip_rel_gap: float,
    start: UtilitySchedule | None,
) -> Result:
    """The result in the instance's own utilities, with a schedule that the scorer has judged."""
    lifted = solved.result.lift()
    if lifted.status in ("infeasible", "unbounded"):  # all jobs may be rejected
        raise WrongSolution(f"{instance.name}: {lifted.solver} says {lifted.status}")
    bound = None if lifted.bound is None else lifted.bound / factor
    if solved.result.x is None:
        return replace(lifted, bound=bound)
    schedule: UtilitySchedule | None = _schedule(instance, solved)
    assert schedule is not None
    judged, message = score(instance, schedule), lifted.message
    if not judged.feasible:
        if not _within(instance, schedule, judged):
            raise WrongSolution(f"{instance.name}: {judged.violations[0]}")
        message += "; its schedule exceeds a capacity by more than the scorer's tolerance"
        schedule = start
        if start is None:
            status: Status = "interrupted" if bound is None else "bounded"
            return replace(lifted, status=status, objective=None, bound=bound, message=message)
        judged = score(instance, start)
    if bound is not None:
        bound = reconciled(instance.name, "max", judged.objective, bound)
    gap = relative_gap("max", judged.objective, bound)
    proven = solved.result.is_optimal and gap is not None and gap <= mip_rel_gap + HIGHS_ROUND_OFF
    return replace(
        lifted,
        status="optimal" if proven else "feasible",
        objective=judged.objective,
        bound=bound,
        schedule=schedule,
        message=message,
    )


def _schedule(instance: UtilityInstance, solved: PyomoResult) -> UtilitySchedule:
    """Schedule of the point of the compact ILP."""
    model, last = solved.model, instance.cluster.slots - 1
    done = solved.values(model.d)
    x = {i: done[i, last] for i in model.x}
    return schedule_from_values(instance, x, solved.values(model.y), solved.values(model.z))


def _within(instance: UtilityInstance, schedule: UtilitySchedule, judged: Score) -> bool:
    """Whether nothing but capacities is broken, and those by HiGHS's tolerance at most."""
    if any(violation.equation not in ("(4)", "(5)") for violation in judged.violations):
        return False
    cluster, placed = instance.cluster.tolerant, (schedule.workers, schedule.ps)
    for capacity, rows, demand in zip(cluster.sides, placed, instance.demand, strict=True):
        used = np.zeros((cluster.slots, *capacity.shape))
        np.add.at(used, (rows[:, 1], rows[:, 2]), demand[rows[:, 0]] * rows[:, 3:4])
        if (used > capacity * (1 + _STACK)).any():
            return False
    return True


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

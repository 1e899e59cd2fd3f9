"""The offline side of a ratio: what can be proven of the optimum in a given time."""

from __future__ import annotations

import time
from dataclasses import replace

from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.column_generation import ColumnGeneration
from solvers.result import OPTIMAL_GAP, SolveResult, relative_gap
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.pool_bound import pool_bound, rounded
from solvers.utility.pooled import PooledProblem
from solvers.utility.scaling import scale_utilities

__all__ = ["solve"]

_MOST_PAIRS = 10_000  # of job and slot; more take too long to solve
_BOUND_SHARE = 0.3  # of the time limit, for the column generation if the ILP is to follow


def solve(
    instance: UtilityInstance,
    *,
    time_limit: float | None,
    threads: int = 1,
    start: UtilitySchedule | None = None,
) -> SolveResult[UtilitySchedule]:
    """Optimum, or an interval that contains it.

    A bound by column generation over pooled servers, recomputed from its prices; then, where
    the instance is small enough, the exact solver.

    Parameters
    ----------
    instance : UtilityInstance
    time_limit : float or None
        Seconds for everything.
    threads : int
        Of HiGHS.
    start : UtilitySchedule, optional
        A feasible schedule.

    Returns
    -------
    SolveResult
        ``duals`` are the :class:`solvers.utility.pool_bound.PoolPrices` behind the price
        bound; ``bound`` is the better of it and the ILP's, as ``bound_source`` says.
    """
    began = time.monotonic()
    small = _size(instance) <= _MOST_PAIRS
    seconds = float("inf") if time_limit is None else time_limit
    scaled = scale_utilities(instance)
    problem = PooledProblem(scaled.instance)
    generated = ColumnGeneration(
        problem, deadline=began + seconds * (_BOUND_SHARE if small else 1.0)
    ).run()
    prices = rounded(problem.pool_prices(generated.duals / scaled.factor))
    certified = pool_bound(instance, prices)
    result: SolveResult[UtilitySchedule] = SolveResult(
        status="bounded",
        objective=None,
        bound=certified,
        schedule=None,
        duals=prices,
        seconds=time.monotonic() - began,
        solver="column generation",
        options={"time_limit": time_limit, "column_generation": generated.options},
        message=generated.message,
        bound_source="prices",
    )
    if not small:
        return result
    left = None if time_limit is None else max(time_limit - result.seconds, 0.1)
    exact = solve_exactly(instance, time_limit=left, threads=threads, start=start)
    if exact.bound is None or certified < exact.bound:
        bound, source = certified, result.bound_source
    else:
        bound, source = exact.bound, exact.bound_source
    status = exact.status
    gap = relative_gap("max", exact.objective, bound)
    if exact.objective is None:
        status = "bounded"
    elif gap is not None and gap <= OPTIMAL_GAP:
        status = "optimal"
    return replace(
        exact,
        status=status,
        bound=bound,
        bound_source=source,
        duals=prices,
        seconds=time.monotonic() - began,
        options={**exact.options, **result.options},
    )


def _size(instance: UtilityInstance) -> int:
    """Pairs of a job and a slot it may run in."""
    return sum(instance.cluster.slots - job.arrival for job in instance.jobs)

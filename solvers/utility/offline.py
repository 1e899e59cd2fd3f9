"""The offline side of a ratio: what can be proven of the optimum in a given time."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np

from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from models.utility.score import score
from solvers.column_generation import ColumnGeneration
from solvers.result import OPTIMAL_GAP, SolveResult, relative_gap
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.local_search import local_search
from solvers.utility.pool_bound import pool_bound, rounded
from solvers.utility.pooled import PooledProblem
from solvers.utility.scaling import scale_utilities

__all__ = ["solve"]

_MOST_ENTRIES = 250_000  # of the exact solver's largest rows; more take too long to solve
# Of the time limit: until when the column generation, and then the local search, may go on; by
# whether the exact solver is to follow.
_SHARES = {True: (0.3, 0.4), False: (0.6, 1.0)}
_ITERATIONS = {True: 2_000, False: 20_000}
_SEED = 0


def solve(
    instance: UtilityInstance,
    *,
    time_limit: float | None,
    threads: int = 1,
    start: UtilitySchedule | None = None,
) -> SolveResult[UtilitySchedule]:
    """Optimum, or an interval that contains it.

    A bound by column generation over pooled servers, recomputed from its prices; a good
    schedule by local search at these prices; then, where the instance is small enough, the
    exact solver, which starts from it.

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
    small = _size(instance) <= _MOST_ENTRIES
    bound_share, search_share = _SHARES[small]

    def deadline(share: float) -> float:
        return began + (math.inf if time_limit is None else share * time_limit)

    scaled = scale_utilities(instance)
    problem = PooledProblem(scaled.instance)
    generated = ColumnGeneration(problem, deadline=deadline(bound_share)).run()
    prices = rounded(problem.pool_prices(generated.duals / scaled.factor))
    certified = pool_bound(instance, prices)
    found = local_search(
        instance,
        prices,
        np.random.default_rng(_SEED),
        start=start,
        iterations=_ITERATIONS[small],
        deadline=deadline(search_share),
    )
    options = {"time_limit": time_limit, "column_generation": generated.options}
    objective = score(instance, found).objective
    result: SolveResult[UtilitySchedule] = SolveResult(
        status="optimal" if _closed(objective, certified) else "feasible",
        objective=objective,
        bound=certified,
        schedule=found,
        duals=prices,
        seconds=time.monotonic() - began,
        solver="column generation, local search",
        options=options,
        message=generated.message,
        bound_source="prices",
    )
    if not small or result.is_optimal:
        return result
    left = None if time_limit is None else max(time_limit - result.seconds, 0.1)
    exact = solve_exactly(instance, time_limit=left, threads=threads, start=found)
    bound, source = exact.bound, exact.bound_source
    if bound is None or certified < bound:
        bound, source = certified, result.bound_source
    return replace(
        exact,
        status="optimal" if _closed(exact.objective, bound) else "feasible",
        bound=bound,
        bound_source=source,
        duals=prices,
        seconds=time.monotonic() - began,
        options={**exact.options, **options},
    )


def _closed(objective: float | None, bound: float) -> bool:
    gap = relative_gap("max", objective, bound)
    return gap is not None and gap <= OPTIMAL_GAP


def _size(instance: UtilityInstance) -> int:
    """Pairs of slots, the earlier first, that a job may run in; summed over the jobs."""
    rooms = (instance.cluster.slots - job.arrival for job in instance.jobs)
    return sum(room * (room + 1) // 2 for room in rooms)

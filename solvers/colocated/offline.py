"""The offline side of a ratio: an interval that contains the optimum."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np

from models.colocated.instance import ColocatedInstance
from models.colocated.schedule import ColocatedSchedule
from models.colocated.score import score
from models.errors import InputError
from solvers.colocated.branching import branched
from solvers.colocated.certificate import bound
from solvers.colocated.exact import improve, size
from solvers.colocated.local_search import local_search
from solvers.colocated.pool_bound import pool_bound
from solvers.colocated.pooled import PooledProblem
from solvers.column_generation import ColumnGeneration
from solvers.highs import HighsOptions
from solvers.interrupts import kernels_interruptible
from solvers.price_certificate import TreePrices, rounded
from solvers.refinement import searched
from solvers.result import OPTIMAL_GAP, SolveResult

__all__ = ["solve"]

_GENERATION = 0.3  # share of the time limit at which the column generation has to end,
_FIRST = 0.4  # the first local search, where the exact program follows,
_SEARCH = 0.95  # or the only one, where that is too large
_SMALL = 1_000  # jobs times slots times servers, up to which it does
_ITERATIONS_FIRST = 300
_ITERATIONS = 50_000
_LEAST = 0.2  # seconds: with less left, no further step is begun
_GAP = 1e-5  # of the column generation
_SEED = 0
# The tree that proves more by prices, on small instances:
_LEAVES = 200
_TREE = 0.3  # share of the time that is left when it begins


@kernels_interruptible()
def solve(
    instance: ColocatedInstance,
    *,
    time_limit: float | None,
    threads: int = 1,
    start: ColocatedSchedule | None = None,
) -> SolveResult[ColocatedSchedule]:
    """Optimum, or an interval that contains it.

    A bound by column generation over pooled machines, recomputed from its prices; a schedule by
    local search at these prices; then, on small instances, a tree on completions, whose leaves have
    prices of their own, and the compact program.

    Parameters
    ----------
    instance : ColocatedInstance
    time_limit : float or None
        Seconds for everything.
    threads : int
        Of HiGHS.
    start : ColocatedSchedule, optional
        A feasible schedule; raises InputError if it is none.

    Returns
    -------
    SolveResult
        ``duals`` are the :class:`solvers.price_certificate.TreePrices` behind the price bound,
        with the tree if there is one;
        ``bound`` is the better of what they prove and HiGHS's, as ``bound_source`` says.

    Raises
    ------
    WrongSolution
        If a program and the scorer contradict each other.
    """
    began = time.monotonic()
    options = HighsOptions(time_limit=time_limit, threads=threads)

    def deadline(share: float) -> float:
        return began + (math.inf if time_limit is None else share * time_limit)

    if start is not None and (violations := score(instance, start).violations):
        raise InputError(f"start is no feasible schedule: {violations[0]}")
    problem = PooledProblem(instance)
    generated = ColumnGeneration(problem, gap=_GAP, deadline=deadline(_GENERATION)).run()
    prices = rounded(problem.prices(generated.duals))
    certified = pool_bound(instance, prices)
    small = size(instance) <= _SMALL
    schedule, late = local_search(
        instance,
        prices,
        np.random.default_rng(_SEED),
        start=start,
        iterations=_ITERATIONS_FIRST if small else _ITERATIONS,
        deadline=deadline(_FIRST if small else _SEARCH),
        target=certified * (1.0 - OPTIMAL_GAP),
    )
    judged, proof, failure = score(instance, schedule), TreePrices(prices), ""
    left = deadline(1.0) - time.monotonic()
    if small and left > _LEAST:
        end = time.monotonic() + _TREE * left
        # A hair closer than what counts as optimal, for what rounding the prices costs.
        enough = judged.objective * (1.0 + 0.9 * OPTIMAL_GAP)
        proof, failure = branched(instance, proof, leaves=_LEAVES, enough=enough, deadline=end)
        certified, late = bound(instance, proof), late or time.monotonic() >= end
    found = searched(instance, schedule, judged, certified, proof, generated, options, timed=late)
    if small and not found.is_optimal and deadline(1.0) - time.monotonic() > _LEAST:
        found = improve(found, instance, options, deadline(1.0))
    timed = found.timed or time.monotonic() >= deadline(1.0)
    return replace(
        found, failure=found.failure or failure, seconds=time.monotonic() - began, timed=timed
    )

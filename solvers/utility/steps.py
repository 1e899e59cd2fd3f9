"""Steps of an offline solve, each of which improves on what is known."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import replace

import numpy as np

from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from models.utility.score import score
from solvers.column_generation import ColumnGeneration
from solvers.errors import WrongSolution
from solvers.result import SolveResult, reconciled, status_of
from solvers.utility.deadlines import DeadlineOptions, PooledRelaxation, deadline_search
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.local_search import local_search
from solvers.utility.pool_bound import PoolPrices, pool_bound, rounded
from solvers.utility.pooled import PooledProblem
from solvers.utility.scaling import scale_utilities

__all__ = [
    "Found",
    "deadlines_first",
    "exact_first",
    "exact_until",
    "joined",
    "relaxed",
    "without_exact",
]

_SEED = 0
_INSTANT = 1e-3  # seconds: HiGHS takes no limit of 0

Found = SolveResult[UtilitySchedule]


def relaxed(
    instance: UtilityInstance,
    start: UtilitySchedule | None,
    ends: tuple[float, float],
    moves: int,
) -> tuple[Found, PooledRelaxation]:
    """The bound of a column generation, and the schedule of a local search at its prices.

    Parameters
    ----------
    instance : UtilityInstance
    start : UtilitySchedule, optional
        A feasible schedule, from which the local search starts.
    ends : pair of float
        ``time.monotonic()`` by which column generation and local search have to end.
    moves : int
        Of the local search, at most.

    Returns
    -------
    known : SolveResult
    relaxation : PooledRelaxation
        What the column generation tells the next steps.

    Raises
    ------
    WrongSolution
        If the scorer finds a violation in the schedule.
    """
    began = time.monotonic()
    scaled = scale_utilities(instance)
    problem = PooledProblem(scaled.instance)
    generated = ColumnGeneration(problem, deadline=ends[0]).run()
    prices = rounded(problem.pool_prices(generated.duals / scaled.factor))
    bound = pool_bound(instance, prices)
    schedule = local_search(
        instance,
        prices,
        np.random.default_rng(_SEED),
        start=start,
        iterations=moves,
        deadline=ends[1],
    )
    judged = score(instance, schedule)
    if judged.violations:
        raise WrongSolution(f"{instance.name}: {judged.violations[0]}")
    objective = judged.objective
    relaxation = PooledRelaxation(
        bound,
        problem.packing_cuts(),
        [load.T for load in problem.totals(generated.columns, generated.weights)],
        problem.completions(generated.columns, generated.weights).T,
        prices,
    )
    return SolveResult(
        status=status_of("max", objective, bound),
        objective=objective,
        bound=bound,
        schedule=schedule,
        duals=prices,
        seconds=time.monotonic() - began,
        solver="column generation, local search",
        options={"column_generation": generated.options},
        message="" if generated.failure else generated.message,
        failure=generated.failure,
        bound_source="prices",
        timed=generated.timed or time.monotonic() >= ends[1],
    ), relaxation


def deadlines_first(
    instance: UtilityInstance,
    relaxation: PooledRelaxation,
    known: Found,
    end: float,
    threads: int,
    options: DeadlineOptions,
) -> Found:
    """What was known, improved by the search by deadlines until `end`.

    Parameters as for :func:`solvers.utility.deadlines.deadline_search`.
    """
    assert known.schedule is not None and known.bound is not None
    relaxation = relaxation._replace(bound=known.bound)
    found = deadline_search(
        instance, relaxation, known.schedule, deadline=end, threads=threads, options=options
    )
    timed = known.timed or found.timed or options.work_limit is None
    known = _better(instance, known, found.objective, found.schedule, found.bound)
    late = not known.is_optimal and time.monotonic() >= end
    return replace(
        known,
        solver="HiGHS, deadlines first",
        message="time limit" if late else "",
        failure=known.failure or found.failure,
        timed=timed,
    )


def without_exact(
    instance: UtilityInstance,
    start: UtilitySchedule | None,
    *,
    end: float,
    moves: int,
    options: DeadlineOptions,
) -> Found:
    """Column generation, local search, and the search by deadlines, with one thread.

    Parameters as for :func:`relaxed` and :func:`deadlines_first`.
    """
    known, relaxation = relaxed(instance, start, (end, end), moves)
    if known.is_optimal:
        return known
    return deadlines_first(instance, relaxation, known, end, 1, options)


def exact_until(
    instance: UtilityInstance,
    end: float,
    start: UtilitySchedule | None,
    stop: threading.Event | None = None,
) -> Found:
    """What the exact solver finds until `end`, in ``time.monotonic()``, or until it is stopped."""
    left = None if end == math.inf else max(_INSTANT, end - time.monotonic())
    return solve_exactly(instance, time_limit=left, start=start, stop=stop)


def exact_first(
    instance: UtilityInstance,
    start: UtilitySchedule | None,
    exact_end: float,
    end: float,
    moves: int,
) -> tuple[Found, PooledRelaxation]:
    """The exact solver until `exact_end`, then column generation and local search until `end`.

    Result as for :func:`relaxed`; there is no local search where the optimum is known.
    """
    solved = exact_until(instance, exact_end, start)
    moves = 0 if solved.is_optimal else moves
    known, relaxation = relaxed(instance, solved.schedule, (end, end), moves)
    return joined(instance, known, solved), relaxation


def joined(instance: UtilityInstance, known: Found, *others: Found) -> Found:
    """What was known, with what others found on the same instance.

    The last one that is optimal, or else the last one, says how it ended, and who solved it if it
    improved on what was known.
    """
    for other in others:
        prices = other.duals if other.bound_source == "prices" else None
        both = _better(instance, known, other.objective, other.schedule, other.bound, prices)
        last = known if known.is_optimal and not other.is_optimal else other
        better = (both.objective, both.bound) != (known.objective, known.bound)
        known = replace(
            both,
            solver=last.solver if better else known.solver,
            options={**other.options, **known.options},
            message="" if both.is_optimal and not last.is_optimal else last.message,
            failure=known.failure or other.failure,
            timed=known.timed or other.timed,
        )
    return known


def _better(
    instance: UtilityInstance,
    known: Found,
    objective: float | None,
    schedule: UtilitySchedule | None,
    bound: float | None,
    prices: PoolPrices | None = None,
) -> Found:
    """What was known, with the schedule and the bound of a further step where they are better.

    If prices prove that bound, they are given; if not, it is HiGHS's word. The schedule may exceed
    a bound that another step has from HiGHS, by round-off; the bound is then raised to it
    (:func:`solvers.result.reconciled`).
    """
    source, duals = known.bound_source, known.duals
    if objective is None or (known.objective is not None and objective < known.objective):
        objective, schedule = known.objective, known.schedule
    if bound is not None and known.bound is not None and bound < known.bound:
        source, duals = ("milp", duals) if prices is None else ("prices", prices)
    else:
        bound = known.bound
    if source == "milp" and objective is not None and bound is not None:
        bound = reconciled(instance.name, "max", objective, bound)
    return replace(
        known,
        status=status_of("max", objective, bound),
        objective=objective,
        bound=bound,
        bound_source=source,
        schedule=schedule,
        duals=duals,
    )

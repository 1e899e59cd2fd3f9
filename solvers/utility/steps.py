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
from solvers.result import SolveResult, status_of
from solvers.utility.deadlines import DeadlineOptions, Relaxation, deadline_search
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.local_search import local_search
from solvers.utility.pool_bound import pool_bound, rounded
from solvers.utility.pooled import PooledProblem
from solvers.utility.scaling import scale_utilities
from solvers.utility.search_state import ROUND_OFF

__all__ = ["Found", "deadlines_first", "exact_until", "joined", "relaxed", "without_exact"]

_SEED = 0

Found = SolveResult[UtilitySchedule]


def relaxed(
    instance: UtilityInstance,
    start: UtilitySchedule | None,
    ends: tuple[float, float],
    moves: int,
) -> tuple[Found, Relaxation]:
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
    relaxation : Relaxation
        What the column generation tells the next steps.
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
    objective = score(instance, schedule).objective
    relaxation = Relaxation(
        bound,
        problem.packing_cuts(),
        [load.T for load in problem.totals(generated.columns, generated.weights)],
        problem.completions(generated.columns, generated.weights).T,
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
        message=generated.message,
        bound_source="prices",
        timed=not generated.converged or time.monotonic() >= ends[1],
    ), relaxation


def deadlines_first(
    instance: UtilityInstance,
    relaxation: Relaxation,
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
    known = _better(known, found.objective, found.schedule, found.bound)
    late = not known.is_optimal and time.monotonic() >= end
    message = "time limit" if late else ""
    return replace(known, solver="HiGHS, deadlines first", message=message, timed=timed)


def without_exact(
    instance: UtilityInstance,
    start: UtilitySchedule | None,
    ends: tuple[float, float],
    moves: int,
    end: float,
    options: DeadlineOptions,
) -> tuple[Found, Relaxation]:
    """Column generation, local search, and the search by deadlines, with one thread.

    Parameters and result as for :func:`relaxed` and :func:`deadlines_first`.
    """
    known, relaxation = relaxed(instance, start, ends, moves)
    if not known.is_optimal:
        known = deadlines_first(instance, relaxation, known, end, 1, options)
    return known, relaxation


def exact_until(
    instance: UtilityInstance,
    end: float,
    start: UtilitySchedule | None,
    stop: threading.Event | None = None,
) -> Found:
    """What the exact solver finds until `end`, in ``time.monotonic()``, or until it is stopped."""
    left = None if end == math.inf else max(0.0, end - time.monotonic())
    # With two threads HiGHS takes longer on these programs: docs/formulations.md.
    return solve_exactly(instance, time_limit=left, start=start, stop=stop)


def joined(known: Found, solved: Found) -> Found:
    """What was known, with what the exact solver found."""
    both = _better(known, solved.objective, solved.schedule, solved.bound)
    last = known if known.is_optimal and not solved.is_optimal else solved
    return replace(
        both,
        solver=last.solver,
        options={**solved.options, **known.options},
        message="" if both.is_optimal and not last.is_optimal else last.message,
        timed=known.timed or solved.timed,
    )


def _better(
    known: Found,
    objective: float | None,
    schedule: UtilitySchedule | None,
    bound: float | None,
) -> Found:
    """What was known, with the schedule and the bound of a further step where they are better.

    The schedule may exceed a bound that another step has from HiGHS, by HiGHS's tolerance; the
    bound is then raised to it.
    """
    if objective is None or (known.objective is not None and objective < known.objective):
        objective, schedule = known.objective, known.schedule
    if bound is not None and known.bound is not None and bound < known.bound:
        known = replace(known, bound=bound, bound_source="milp")
    if known.bound_source == "milp" and objective is not None and known.bound is not None:
        if known.bound < objective <= known.bound * (1 + ROUND_OFF):
            known = replace(known, bound=objective)
    return replace(
        known,
        status=status_of("max", objective, known.bound),
        objective=objective,
        schedule=schedule,
    )

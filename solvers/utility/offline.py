"""The offline side of a ratio: what can be proven of the optimum in a given time."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np

from models.errors import InputError
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from models.utility.score import score
from solvers.column_generation import ColumnGeneration
from solvers.result import SolveResult, status_of
from solvers.utility.branching import branched
from solvers.utility.deadlines import DeadlineOptions, Relaxation, deadline_search
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.local_search import local_search
from solvers.utility.pool_bound import pool_bound, rounded
from solvers.utility.pooled import PooledProblem
from solvers.utility.scaling import scale_utilities
from solvers.utility.search_state import ROUND_OFF

__all__ = ["certified", "solve"]

_SMALL = 1_000  # entries of the exact solver's largest rows, up to which it comes first
# Shares of the time limit at which the column generation has to end, and the local search. On small
# instances the exact solver leaves the first of these shares to all that follows it.
_GENERATION = 0.12
_LOCAL_SEARCH = 0.14
_LEAST = 0.2  # seconds: with less left, no further step is begun
_MOVES = 40  # of the local search, for each job, and at most this many in all:
_MOST_MOVES = 2_000
_SEED = 0
# The tree that proves by prices what HiGHS proves, or some of it:
_LEAVES = 200
_CLOSE = 0.005  # above HiGHS's bound, relative, is good enough
_TREE = 0.1  # share of the time that is left over, at most, and of a limit of work
_HALF = 0.5  # of the time, where a certificate is asked for


def solve(
    instance: UtilityInstance,
    *,
    time_limit: float | None,
    threads: int = 1,
    start: UtilitySchedule | None = None,
    work_limit: float | None = None,
    options: DeadlineOptions | None = None,
    tree: float = 0.0,
) -> SolveResult[UtilitySchedule]:
    """Optimum, or an interval that contains it.

    On small instances the exact solver comes first (:mod:`solvers.utility.exact`). Then there is a
    bound by column generation over pooled servers, recomputed from its prices, and, where no
    optimum is known, a good schedule by local search at these prices. Both are improved by deciding
    deadlines first (:mod:`solvers.utility.deadlines`); if that gives up on a large instance, the
    exact solver follows. If time is left and the bound is HiGHS's, some of it goes into a tree with
    which prices prove nearly the same (:mod:`solvers.utility.branching`).

    Parameters
    ----------
    instance : UtilityInstance
    time_limit : float or None
        Seconds for everything.
    threads : int
        With two or more, the search by deadlines looks for bound and schedules at the same time.
    start : UtilitySchedule, optional
        A feasible schedule.
    work_limit : float, optional
        Of the search by deadlines, in units of about a second
        (:class:`solvers.utility.deadlines.DeadlineOptions`); a tenth of it more is for the tree.
        With it, the exact solver and further threads, whose ends are up to the clock, are left out,
        so that the answer is the same however busy the machine is, unless the time limit cuts it
        off.
    options : DeadlineOptions, optional
        Of the search by deadlines; `work_limit` takes the place of theirs.
    tree : float
        Share of the time limit that is kept for the tree, below 1. With 0, it gets a tenth of what
        the others leave, so that there is none on large instances.

    Returns
    -------
    SolveResult
        ``duals`` are the :class:`solvers.utility.pool_bound.PoolPrices` behind the price bound,
        with the tree if there is one; ``bound`` is the better of it and the ILP's, as
        ``bound_source`` says.

    Raises
    ------
    InputError
        If `tree` is no such share.
    """
    if not 0 <= tree < 1:
        raise InputError(f"tree {tree} is not a share of the time: at least 0, below 1")
    began = time.monotonic()
    options = replace(options or DeadlineOptions(), work_limit=work_limit)

    def deadline(share: float) -> float:
        return began + (math.inf if time_limit is None else share * time_limit)

    def exact_until(end: float, start: UtilitySchedule | None) -> SolveResult[UtilitySchedule]:
        left = None if time_limit is None else max(0.0, end - time.monotonic())
        # With two threads HiGHS takes longer on these programs: docs/formulations.md.
        return solve_exactly(instance, time_limit=left, start=start)

    end = deadline(1.0 - tree)
    generation_end, local_search_end = deadline(_GENERATION), deadline(_LOCAL_SEARCH)
    solved = None
    if work_limit is None and _size(instance) <= _SMALL:
        solved = exact_until(deadline((1.0 - tree) * (1.0 - _GENERATION)), start)
        start = solved.schedule
        generation_end = local_search_end = end
    proven = solved is not None and solved.is_optimal

    scaled = scale_utilities(instance)
    problem = PooledProblem(scaled.instance)
    generated = ColumnGeneration(problem, deadline=generation_end).run()
    prices = rounded(problem.pool_prices(generated.duals / scaled.factor))
    by_prices = pool_bound(instance, prices)
    found = local_search(
        instance,
        prices,
        np.random.default_rng(_SEED),
        start=start,
        iterations=0 if proven else min(_MOST_MOVES, _MOVES * len(instance.jobs)),
        deadline=local_search_end,
    )
    objective = score(instance, found).objective
    known: SolveResult[UtilitySchedule] = SolveResult(
        status=status_of("max", objective, by_prices),
        objective=objective,
        bound=by_prices,
        schedule=found,
        duals=prices,
        seconds=time.monotonic() - began,
        solver="column generation, local search",
        options={"time_limit": time_limit, "column_generation": generated.options},
        message=generated.message,
        bound_source="prices",
        timed=not generated.converged or time.monotonic() >= local_search_end,
    )
    if solved is not None:
        known = _joined(known, solved)

    def search(known: SolveResult[UtilitySchedule]) -> SolveResult[UtilitySchedule]:
        if time_limit is None and work_limit is None:
            return known  # the exact solver has all the time it needs
        assert known.schedule is not None and known.bound is not None
        found = deadline_search(
            instance,
            Relaxation(
                known.bound,
                problem.packing_cuts(),
                [load.T for load in problem.totals(generated.columns, generated.weights)],
                problem.completions(generated.columns, generated.weights).T,
            ),
            known.schedule,
            deadline=end,
            threads=threads,
            options=options,
        )
        timed = known.timed or found.timed or work_limit is None
        known = _better(known, found.objective, found.schedule, found.bound)
        late = not known.is_optimal and time.monotonic() >= end
        message = "time limit" if late else ""
        return replace(known, solver="HiGHS, deadlines first", message=message, timed=timed)

    def exact(known: SolveResult[UtilitySchedule]) -> SolveResult[UtilitySchedule]:
        return _joined(known, exact_until(end, known.schedule))

    exact_last = work_limit is None and solved is None
    for step in (search, exact) if exact_last else (search,):
        if known.is_optimal:
            break
        in_time = end - time.monotonic() > _LEAST
        known = step(known) if in_time else replace(known, timed=True)
    left = deadline(1.0) - time.monotonic()
    if known.bound_source == "milp" and left > _LEAST:
        assert known.bound is not None
        tree_end = time.monotonic() + (left if tree else _TREE * left)
        prices = branched(
            instance,
            prices,
            problem.packing_cuts(),
            completions=problem.completions(generated.columns, generated.weights).T,
            leaves=_LEAVES,
            enough=known.bound * (1 + _CLOSE),
            deadline=tree_end,
            work=math.inf if work_limit is None else _TREE * work_limit,
        )
        by_prices = pool_bound(instance, prices)
        if by_prices < known.bound:
            known = replace(known, bound=by_prices, bound_source="prices")
        known = replace(known, duals=prices, timed=known.timed or time.monotonic() >= tree_end)
    return replace(known, seconds=time.monotonic() - began)


def certified(
    instance: UtilityInstance, *, time_limit: float, threads: int = 1
) -> SolveResult[UtilitySchedule]:
    """The interval of :func:`solve`, with the bound that its certificate proves.

    Half of the time is for the interval, the other half for the tree; parameters as there.
    """
    found = solve(instance, time_limit=time_limit, threads=threads, tree=_HALF)
    bound = pool_bound(instance, found.duals)
    status = status_of("max", found.objective, bound)
    return replace(found, status=status, bound=bound, bound_source="prices")


def _joined(
    known: SolveResult[UtilitySchedule], solved: SolveResult[UtilitySchedule]
) -> SolveResult[UtilitySchedule]:
    """What was known, with what the exact solver found."""
    options = {**solved.options, **known.options}
    timed = known.timed or solved.timed
    known = _better(known, solved.objective, solved.schedule, solved.bound)
    return replace(
        known, solver=solved.solver, options=options, message=solved.message, timed=timed
    )


def _better(
    known: SolveResult[UtilitySchedule],
    objective: float | None,
    schedule: UtilitySchedule | None,
    bound: float | None,
) -> SolveResult[UtilitySchedule]:
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


def _size(instance: UtilityInstance) -> int:
    """Pairs of slots, the earlier first, that a job may run in; summed over the jobs."""
    rooms = (instance.cluster.slots - job.arrival for job in instance.jobs)
    return sum(room * (room + 1) // 2 for room in rooms)

"""The offline side of a ratio: what can be proven of the optimum in a given time."""

from __future__ import annotations

import math
import time
from dataclasses import replace

from models.errors import InputError
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.interrupts import kernels_interruptible
from solvers.result import status_of
from solvers.utility.branching import branched
from solvers.utility.deadlines import DeadlineOptions
from solvers.utility.exact import check_start
from solvers.utility.pool_bound import pool_bound
from solvers.utility.race import race
from solvers.utility.steps import Found, deadlines_first, exact_first, exact_until, joined, relaxed

__all__ = ["certified", "solve"]

_SMALL = 1_000  # entries of the exact solver's largest rows, up to which it comes first
_RACE = 5.0  # seconds: with a shorter limit, a child would hardly have loaded
# Shares of the time before the tree: when the column generation has to end, and the local search.
# On small instances the exact solver leaves the first of these shares to all that follows it.
_GENERATION = 0.12
_LOCAL_SEARCH = 0.14
_LEAST = 0.2  # seconds: with less left, no further step is begun
# Of the local search, for each job, and in all. At 30x30x10+10, 40 for each job made its schedule
# 10 % worse on one of ten seeds, and twice as many in all gain 0.4 %: docs/ablation.md.
_MOVES = 70
_MOST_MOVES = 2_000
# The tree that proves by prices what HiGHS proves, or some of it:
_LEAVES = 200  # at most,
_LEAF_SLOTS = 10_000  # or that many slots in all leaves, on short horizons, where leaves are small
_CLOSE = 0.005  # above the best schedule, relative, is good enough
_TREE = 0.1  # share of the time that is left over, at most, and of a limit of work
_HALF = 0.5  # of the time, where a certificate is asked for


@kernels_interruptible()
def solve(
    instance: UtilityInstance,
    *,
    time_limit: float | None,
    threads: int = 1,
    start: UtilitySchedule | None = None,
    work_limit: float | None = None,
    options: DeadlineOptions | None = None,
    tree: float = 0.0,
) -> Found:
    """Optimum, or an interval that contains it.

    There is a bound by column generation over pooled servers, recomputed from its prices, and a
    good schedule by local search at these prices. Both are improved by deciding deadlines first
    (:mod:`solvers.utility.deadlines`); if that gives up on a large instance, the exact solver
    follows (:mod:`solvers.utility.exact`). On small instances the exact solver comes first or, with
    two threads, the two go on at the same time (:mod:`solvers.utility.race`). If time is left and
    the bound is HiGHS's, some of it goes into a tree with which prices prove nearly the same
    (:mod:`solvers.utility.branching`). With a share kept for the tree, it is also grown where the
    best bound is that of the column generation.

    Parameters
    ----------
    instance : UtilityInstance
    time_limit : float or None
        Seconds for everything.
    threads : int
        With two or more, the search by deadlines looks for bound and schedules at the same time; or
        races against the exact solver.
    start : UtilitySchedule, optional
        A feasible schedule.
    work_limit : float, optional
        Of the search by deadlines, in units of mostly one to three seconds
        (:class:`solvers.utility.deadlines.DeadlineOptions`); a tenth of it more is for the tree.
        With it, the exact solver and further threads, whose ends are up to the clock, are left out,
        so that the answer is the same however busy the machine is, unless the time limit cuts it
        off.
    options : DeadlineOptions, optional
        Of the search by deadlines, without a limit of work.
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
        If the start is not a feasible schedule of the instance, `tree` is no such share, or
        `options` have a limit of work of their own.
    """
    if not 0 <= tree < 1:
        raise InputError(f"tree {tree} is not a share of the time: at least 0, below 1")
    began = time.monotonic()
    check_start(instance, start)
    options = options or DeadlineOptions()
    if options.work_limit is not None:
        raise InputError("options.work_limit is for deadline_search: give work_limit instead")
    options = replace(options, work_limit=work_limit)

    def deadline(share: float) -> float:
        return began + (math.inf if time_limit is None else share * time_limit)

    def before_tree(share: float) -> float:
        return deadline((1.0 - tree) * share)

    end = before_tree(1.0)
    moves = min(_MOST_MOVES, _MOVES * len(instance.jobs))
    small = work_limit is None and _size(instance) <= _SMALL
    races = small and threads > 1 and time_limit is not None and (1.0 - tree) * time_limit >= _RACE
    if races:
        known, relaxation = race(instance, start, end=end, moves=moves, options=options)
    elif small:
        exact_end = before_tree(1.0 - _GENERATION)
        known, relaxation = exact_first(instance, start, exact_end, end, moves)
    else:
        ends = before_tree(_GENERATION), before_tree(_LOCAL_SEARCH)
        if work_limit is not None:
            ends = end, end  # the clock decides nothing, unless it ends the whole
        known, relaxation = relaxed(instance, start, ends, moves)
    asked = {"time_limit": time_limit, "work_limit": work_limit, "threads": threads}
    known = replace(known, options={**known.options, **asked})

    def search(known: Found) -> Found:
        return deadlines_first(instance, relaxation, known, end, threads, options)

    def exact(known: Found) -> Found:
        return joined(instance, known, exact_until(instance, end, known.schedule))

    steps = []
    if not races and (time_limit is not None or work_limit is not None):
        steps.append(search)  # with no limit, the exact solver has all the time it needs
    if work_limit is None and not small:
        steps.append(exact)
    for number, step in enumerate(steps):
        if known.is_optimal:
            break
        least = _LEAST
        if number and time_limit is not None:  # with no more, the search has not given up: it ended
            least = max(least, options.least * (1.0 - tree) * time_limit)
        in_time = end - time.monotonic() > least
        known = step(known) if in_time else replace(known, timed=True)
    left = deadline(1.0) - time.monotonic()
    grows = known.bound_source == "milp" or (tree > 0 and not known.is_optimal)
    if grows and left <= _LEAST:
        known = replace(known, timed=True)  # there is no time for the tree
    elif grows:
        assert known.objective is not None and known.bound is not None
        share = 1.0 if tree or work_limit is not None else _TREE  # work is a limit of its own
        tree_end = time.monotonic() + share * left
        prices, failure = branched(
            instance,
            known.duals,
            relaxation.cuts,
            completions=relaxation.completions,
            leaves=max(_LEAVES, _LEAF_SLOTS // instance.cluster.slots),
            enough=known.objective * (1 + _CLOSE),
            deadline=tree_end,
            work=math.inf if work_limit is None else _TREE * work_limit,
        )
        by_prices = pool_bound(instance, prices)
        if by_prices < known.bound:
            status = status_of("max", known.objective, by_prices)
            message = "" if status == "optimal" else known.message
            known = replace(
                known, status=status, bound=by_prices, bound_source="prices", message=message
            )
        known = replace(
            known,
            duals=prices,
            failure=known.failure or failure,
            timed=known.timed or time.monotonic() >= tree_end,
        )
    return replace(known, seconds=time.monotonic() - began)


def certified(instance: UtilityInstance, *, time_limit: float, threads: int = 1) -> Found:
    """The interval of :func:`solve`, with the bound that its certificate proves.

    Half of the time is for the interval, the other half for the tree; parameters as there.
    """
    began = time.monotonic()
    found = solve(instance, time_limit=time_limit, threads=threads, tree=_HALF)
    by_prices = found.bound_source == "prices"
    bound = found.bound if by_prices else pool_bound(instance, found.duals)
    status = status_of("max", found.objective, bound)
    message = found.message if status == found.status else ""
    found = replace(found, status=status, bound=bound, bound_source="prices", message=message)
    return replace(found, seconds=time.monotonic() - began)


def _size(instance: UtilityInstance) -> int:
    """Pairs of slots, the earlier first, that a job may run in; summed over the jobs."""
    rooms = (instance.cluster.slots - job.arrival for job in instance.jobs)
    return sum(room * (room + 1) // 2 for room in rooms)

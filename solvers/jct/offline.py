"""The offline side of a ratio: what can be proven of the optimum in a given time."""

from __future__ import annotations

import math
import time

import numpy as np

from models.jct.instance import JctInstance
from models.jct.schedule import JctSchedule
from solvers.highs import HighsOptions
from solvers.jct.bound import bound
from solvers.jct.exact import checked_start, latest, sizes, solve_program
from solvers.jct.list_schedule import list_schedule, orders
from solvers.jct.pool import Pool
from solvers.jct.timetable import Placement
from solvers.result import SolveResult

__all__ = ["solve"]

_SMALL = 30_000  # worker-slots that jobs may use, up to which the exact solver goes on,
_SPARSE = 5 * 10**6  # and nonzeros of its program
_BOUND = 0.5  # of the time limit, at most, for the bound,
_LISTS = 0.7  # and until when list schedules are improved; the rest is the exact solver's,
_LISTS_SMALL = 0.2  # which begins earlier where the instance is small
_ITERATIONS = 2_000  # of the local search, and if the exact solver is not to follow
_FURTHER = 20_000
_SEED = 0


def solve(
    instance: JctInstance,
    *,
    time_limit: float | None,
    threads: int = 1,
    start: JctSchedule | None = None,
) -> SolveResult[JctSchedule]:
    """Optimum without migration, or an interval that contains it.

    The bound of the strengthened linear program, recomputed from its prices; a list schedule,
    improved by taking jobs out and putting them in again; where the instance is small, the exact
    solver.

    Parameters
    ----------
    instance : JctInstance
    time_limit : float or None
        Seconds for everything. HiGHS may end the linear program late where it is large.
    threads : int
        Of HiGHS.
    start : JctSchedule, optional
        A feasible schedule. One whose chunks migrate is none of the chunk model, and may be
        better than its optimum: it is left aside, and the bound is that of the prices, which
        covers it.

    Returns
    -------
    SolveResult
        ``duals`` are the prices behind the bound; ``bound`` is the better of what they prove
        and HiGHS's, as ``bound_source`` says. It holds for schedules that migrate between edge
        workers, too, where the source is "prices".
    """
    began = time.monotonic()

    def deadline(share: float) -> float:
        return began + (math.inf if time_limit is None else share * time_limit)

    timed = False
    migrates = start is not None and start.migration
    if migrates:
        start = None
    pool = Pool.of(instance)
    begun = checked_start(instance, pool, start)
    bounded = bound(pool, time_limit=None if time_limit is None else _BOUND * time_limit)
    assert bounded is not None  # the instance's checks have seen every job complete alone

    def improve(
        known: list[Placement] | None, iterations: int, share: float
    ) -> list[Placement] | None:
        nonlocal timed
        found = list_schedule(
            instance,
            pool,
            bounded.prices,
            orders(pool, bounded.program),
            np.random.default_rng(_SEED),
            start=known,
            iterations=iterations,
            deadline=deadline(share),
            target=bounded.proven.bound,
        )
        timed = timed or time.monotonic() > deadline(share)
        return found

    found = improve(begun, _ITERATIONS, _LISTS_SMALL)
    columns, nonzeros = sizes(pool, latest(pool, bounded, found))
    small = columns <= _SMALL and nonzeros <= _SPARSE
    if not small:
        found = improve(found, _FURTHER, _LISTS)
    return solve_program(
        instance,
        pool,
        bounded,
        found,
        options=HighsOptions(time_limit=time_limit, threads=threads),
        began=began,
        fallback=start,
        run_milp=small and not migrates,
        timed=timed,
    )

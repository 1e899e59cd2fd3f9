"""Large instances: first decide which jobs complete, and by when; then their workers by slot.

A round has four steps.

1. Choose deadlines: solve the totals program, made coarse and put on a grid of time, in which only
   the deadline variables d are integer. So HiGHS branches on a few hundred variables instead of
   thousands. Where the program may use all of the capacities, its bound is one on all schedules.
   Where it may use only a little less, its deadlines are easier to keep; then only those deadlines
   are searched that the linear relaxation leaves undecided.
2. Find the packing cuts that its loads violate, and add as rows those that the loads come near.
3. Plan: solve the same program slot by slot, with every job keeping its deadline, taking a later
   one or staying out. That takes a few seconds at most, and is repeated until no cut is violated.
   The plan has fractions of workers. If it leaves a little of the capacities free, whole workers on
   real servers can follow it (:mod:`solvers.utility.deadlines.plan_tracking`).
4. On instances small enough to hope for a proof of optimality: bound the worth of all schedules
   with these deadlines, and look for the best one in whole workers
   (:mod:`solvers.utility.deadlines.prove`). If no schedule with these deadlines or later ones beats
   the best one known, the deadlines are excluded from the program of step 1. On larger instances
   this is tried only for the best deadlines that the child process finds (see below).

The first rounds are short and find the cuts that matter. A long round leaves HiGHS the time to
improve the bound. On a grid, once a plan has led to a better schedule, every other short round
searches only where the best schedule and the linear relaxation differ.

With a second thread, a child process solves the program of step 1 for its bound all the time, and
all rounds here are short. When it has found its best deadlines, these get steps 3 and 4 as well,
the grid is refined where they lie, and the child process starts again. On instances small enough to
hope for a proof, these short rounds search around the linear relaxation only, which takes a
fraction of the time. If they find nothing new, there is a long round after all: the program is
solved here too, with another random seed, and whichever process ends first stops the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.utility.deadlines.bound_process import BoundProcess
from solvers.utility.deadlines.choose import Rounds
from solvers.utility.deadlines.complete import DeadlineCompletion
from solvers.utility.deadlines.state import DeadlineProgram
from solvers.utility.search_state import SearchState
from solvers.utility.separation import PackingCut

__all__ = ["deadline_search"]


def deadline_search(
    instance: UtilityInstance,
    *,
    cuts: Iterable[tuple[int, PackingCut]],
    loads: Sequence[np.ndarray],
    completions: np.ndarray,
    bound: float,
    start: UtilitySchedule,
    deadline: float,
    improve: Callable[[UtilitySchedule], UtilitySchedule],
    threads: int = 1,
) -> SearchState:
    """Improve a bound and a schedule until a deadline.

    Parameters
    ----------
    instance : UtilityInstance
    cuts : iterable of (int, PackingCut)
        Packing cuts that the column generation found, with their sides.
    loads : pair of ndarray, shape (T, I)
        Workers and parameter servers in its fractional solution.
    completions : ndarray, shape (T, I)
        Share of each job that completes in each slot of that solution.
    bound : float
        The bound that it proved.
    start : UtilitySchedule
        A feasible schedule.
    deadline : float
        ``time.monotonic()`` at which to stop; finite.
    improve : callable
        Local search, applied to every schedule found.
    threads : int
        With two or more, a child process works on the bound.

    Returns
    -------
    SearchState
        Where its bound is better than the given one, only HiGHS vouches for it.

    Raises
    ------
    WrongSolution
        If a schedule breaks a constraint or is worth more than the bound.
    """
    shared = DeadlineProgram(instance, bound, deadline, completions)
    shared.begin(cuts, loads, start)
    with BoundProcess() as bound_process:
        rounds = Rounds(shared, DeadlineCompletion(shared, improve))
        if threads > 1:
            rounds.use_bound_process(bound_process)
        rounds.run()
    shared.known.reconcile()
    return shared.known

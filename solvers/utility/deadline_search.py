"""Large instances: which jobs complete by when, decided first; their workers, slot by slot, then.

A round has four steps.

1. The totals program, made coarse and on a grid of time, with the deadlines d alone integer. HiGHS
   branches on a few hundred variables instead of thousands: deadlines, and a bound where all
   of the capacities may be used. With a little less of them, deadlines that can be kept: only
   those are searched that the linear relaxation leaves undecided.
2. Packing cuts that its loads break, as rows where loads come near to them.
3. The same program slot by slot, in which jobs keep these deadlines, or later ones, or stay out:
   solved in a second or a few, again and again until no cut is broken. It is a plan in fractions of
   workers. One that uses a little less than all of the capacities is followed by whole workers on
   real servers (:mod:`solvers.utility.plan_tracking`).
4. Where there is hope to prove the optimum, a bound on what these deadlines are worth, and their
   best schedule in whole workers (:mod:`solvers.utility.whole_workers`). If no schedule with
   these deadlines, or later ones, is worth more than the best one known, they are done with: the
   program of step 1 is told to look elsewhere. Elsewhere only the best deadlines of the process
   beside are asked about.

The first rounds are short and find the cuts that matter; a long one has the time for the bound. On
a grid, every other short round looks where the best schedule and the relaxation differ, once a
plan has led to one. With a second thread, one program is solved for the bound alone all the while,
in a child process, and there are short rounds only. When its best deadlines are found, they are
completed as well, the grid is made finer where they are, and it is solved again. Where there is
hope to prove the optimum, these short rounds, too, look around the linear relaxation alone, which
takes a fraction of the time. If they find nothing new, there is a long one after all: the program
is solved here as well, from another random seed, and whichever is first stops the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.utility.aside import Aside
from solvers.utility.deadline_completion import DeadlineCompletion
from solvers.utility.deadline_program import DeadlineProgram
from solvers.utility.deadline_rounds import Rounds
from solvers.utility.knowledge import Knowledge
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
) -> Knowledge:
    """Bound and schedule, better than the ones it is given, in a given time.

    Parameters
    ----------
    instance : UtilityInstance
    cuts : iterable of (int, PackingCut)
        Packing cuts of the column generation, with their sides.
    loads : pair of ndarray, shape (T, I)
        Workers and parameter servers of its fractional solution.
    completions : ndarray, shape (T, I)
        How much of each job completes in each slot there.
    bound : float
        Its bound.
    start : UtilitySchedule
        A feasible schedule.
    deadline : float
        ``time.monotonic()`` at which to stop; finite.
    improve : callable
        Local search: asked of every schedule found.
    threads : int
        With two or more, the bound has a process of its own.

    Returns
    -------
    Knowledge
        Its bound is HiGHS's word where it is better than the given one.

    Raises
    ------
    WrongSolution
        If a schedule breaks a constraint or is worth more than the bound.
    """
    ground = DeadlineProgram(instance, bound, deadline, completions)
    ground.begin(cuts, loads, start)
    with Aside() as aside:
        rounds = Rounds(ground, DeadlineCompletion(ground, improve))
        if threads > 1:
            rounds.prove_aside(aside)
        rounds.run()
    ground.known.settle()
    return ground.known

"""Large instances of ``utility``: first which jobs complete by when, then their workers.

The search repeats three steps, each a module: choose, complete, prove. They share one ``state`` and
one set of ``options``.

``state``
    Programs, cuts, and the best schedule and bound. Its ``budget`` says how much work and time is
    left.
``choose``
    Deadlines, from the totals program (:mod:`solvers.utility.totals_program`), made coarse and put
    on a grid of time. Only its deadline variables d are integer, so HiGHS branches on a few hundred
    variables instead of thousands. The bound of this program is one on all schedules. While a child
    process solves it, and in the round that opens the search, only those deadlines are searched
    that the linear relaxation leaves undecided, later also those where it differs from the best
    schedule: good ones are found sooner. Such a round has as much of the capacities as the plan
    that follows it may use. Packing cuts that the loads violate are found, and become rows where
    loads come near to them (``cut_pool``).
``complete``
    Whole workers on real servers for these deadlines (``relax_and_fix``). First the jobs that a
    plan in fractions completes in parts are decided: in time, late or out. Then slot by slot: the
    workers of one slot are decided as whole numbers and those of the slots after it in fractions,
    with every job keeping its deadline, taking a later one or staying out (``plan_program``); what
    the servers cannot hold, and what has to be given up, is known when the next slot is decided.
    Where the search is nearly over before all slots are decided, or nothing is found for one, the
    others are rounded. A local search goes on from schedules that are nearly the best, or whose
    plans are.
``prove``
    The worth of all schedules with given deadlines: in whole workers, on instances small enough to
    hope for a proof; on others in fractions, by a linear program with all packing cuts found. If
    none of them beats the best one known, the deadlines are excluded from the program of
    ``choose``. And the bound on all schedules: with a second thread a process of its own solves
    that program all the time, starting from the best schedule known, and ``choose`` polls it
    between steps. The deadlines that it has found so far are completed as well. Where those lie
    that it ends with, the grid is refined, and it starts again.

Without that process, the search opens with a plan in little of the capacities, which is rounded
in all slots, so that there is a good schedule early (unless a proof is hoped for). All other rounds
solve the program for the bound, and their deadlines are completed.
Limits are in work, not in seconds: with a limit of work, the same limit gives the same answer, and
the clock only cuts the search off. With a time limit alone, the search divides as many units as it
has seconds, and the clock also stops programs that are slow for their work.
"""

from __future__ import annotations

from contextlib import closing

from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.utility.deadlines.choose import Rounds
from solvers.utility.deadlines.options import DeadlineOptions
from solvers.utility.deadlines.prove import BoundProcess
from solvers.utility.deadlines.state import DeadlineState, PooledRelaxation
from solvers.utility.search_state import SearchState

__all__ = ["DeadlineOptions", "PooledRelaxation", "deadline_search"]


def deadline_search(
    instance: UtilityInstance,
    relaxation: PooledRelaxation,
    start: UtilitySchedule,
    *,
    deadline: float,
    threads: int = 1,
    options: DeadlineOptions | None = None,
) -> SearchState:
    """Improve a bound and a schedule until a deadline.

    Parameters
    ----------
    instance : UtilityInstance
    relaxation : PooledRelaxation
    start : UtilitySchedule
        A feasible schedule.
    deadline : float
        ``time.monotonic()`` at which to stop; finite, or the options limit the work.
    threads : int
        With two or more, a child process works on the bound, unless the work is limited:
        when it ends is up to the clock.
    options : DeadlineOptions, optional

    Returns
    -------
    SearchState
        Where its bound is better than the given one, only HiGHS vouches for it.

    Raises
    ------
    InputError
        If neither the time nor the work is limited.
    WrongSolution
        If a schedule breaks a constraint or is worth more than the bound, or if HiGHS finds a
        point that refutes a bound which was read of it before.
    """
    options = DeadlineOptions() if options is None else options
    state = DeadlineState(instance, relaxation, start, deadline, options)
    with closing(BoundProcess()) as process:
        Rounds(state, process, uses_process=threads > 1 and options.work_limit is None).run()
    state.known.reconcile()
    return state.known

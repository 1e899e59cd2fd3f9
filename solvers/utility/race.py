"""Small instances, with two threads: two ways to the optimum at the same time.

Which of the two proves an optimum sooner, and by a large factor, differs from instance to instance:
the exact solver (:mod:`solvers.utility.exact`) or deciding deadlines first
(:mod:`solvers.utility.deadlines`). So the latter has a child process, and the first proof ends the
other.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import partial

from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.background_call import BackgroundCall, ChildDied, Stopped
from solvers.highs.child import GRACE
from solvers.utility.deadlines import DeadlineOptions, PooledRelaxation
from solvers.utility.steps import Found, exact_until, joined, relaxed, without_exact

__all__ = ["race"]

# Seconds past the end after which the child is killed, and its work is lost. It may have to wait
# for a child of its own that HiGHS keeps beyond its limit.
_GRACE = 2 * GRACE + 0.5
_OVERRUN = "search by deadlines, overrun: killed"


def race(
    instance: UtilityInstance,
    start: UtilitySchedule | None,
    *,
    end: float,
    moves: int,
    options: DeadlineOptions,
) -> tuple[Found, PooledRelaxation]:
    """Solve by both ways until one proves the optimum.

    Parameters
    ----------
    instance, start, end, moves, options
        As for :func:`solvers.utility.steps.without_exact`.

    Returns
    -------
    known : SolveResult
        What both have found. If the child died or was killed, its failure says so.
    relaxation : PooledRelaxation

    Raises
    ------
    WrongSolution
        If one of the two does.
    """
    stop = threading.Event()

    def settle(future: Future[Found]) -> None:
        error = future.exception()
        if isinstance(error, Stopped | ChildDied):
            return  # the exact solver goes on alone
        if error is not None or future.result().is_optimal:  # an error is raised below
            stop.set()

    search = partial(without_exact, end=end, moves=moves, options=options)
    with BackgroundCall(partial(search, instance, start)) as rival:
        rival.future.add_done_callback(settle)
        known, relaxation = relaxed(instance, start, (end, end), moves=0)  # while the child loads
        if known.is_optimal:
            return replace(known, timed=True), relaxation
        solved = exact_until(instance, end, start, stop)
        if not solved.is_optimal:
            wait([rival.future], max(0.0, end + _GRACE - time.monotonic()))
    found, lost = [solved], ""
    try:
        found.insert(0, rival.future.result())
    except ChildDied as error:
        lost = str(error)
    except Stopped:
        lost = _OVERRUN
    known = joined(instance, known, *found)
    if known.is_optimal and lost == _OVERRUN:
        lost = ""  # it was not needed any more
    failure = "; ".join(filter(None, [known.failure, lost]))
    return replace(known, failure=failure, timed=True), relaxation

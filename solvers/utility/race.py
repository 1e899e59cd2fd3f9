"""Small instances, with two threads: two ways to the optimum at the same time.

Which of the two proves an optimum sooner differs from instance to instance by a factor of ten and
more: the exact solver (:mod:`solvers.utility.exact`) or deciding deadlines first
(:mod:`solvers.utility.deadlines`). So the latter has a child process, and the first proof ends the
other.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, wait
from contextlib import suppress

from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.background_call import BackgroundCall, ChildDied
from solvers.utility.deadlines import DeadlineOptions, Relaxation
from solvers.utility.steps import Found, exact_until, without_exact

__all__ = ["race"]

_GRACE = 1.0  # seconds past the end after which the child is killed


def race(
    instance: UtilityInstance,
    start: UtilitySchedule | None,
    end: float,
    search: tuple[tuple[float, float], int, DeadlineOptions],
) -> tuple[Found, tuple[Found, Relaxation] | None]:
    """Solve by both ways until one proves the optimum.

    Parameters
    ----------
    instance : UtilityInstance
    start : UtilitySchedule, optional
        A feasible schedule.
    end : float
        ``time.monotonic()`` by which both have to end.
    search : tuple
        `ends`, `moves` and `options` of :func:`solvers.utility.steps.without_exact`.

    Returns
    -------
    solved : SolveResult
        What the exact solver has found.
    searched : pair of SolveResult and Relaxation, or None
        What the other has found; None if it was stopped or its process died.

    Raises
    ------
    WrongSolution
        If one of the two does.
    """
    stop = threading.Event()
    ends, moves, options = search

    def settle(searched: Future[tuple[Found, Relaxation]]) -> None:
        error = searched.exception()
        if error is None:
            is_over = searched.result()[0].is_optimal
        else:
            is_over = not isinstance(error, ChildDied)  # what went wrong is raised below
        if is_over:
            stop.set()

    with BackgroundCall(without_exact, instance, start, ends, moves, end, options) as rival:
        rival.future.add_done_callback(settle)
        solved = exact_until(instance, end, start, stop)
        if not solved.is_optimal:
            wait([rival.future], max(0.0, end + _GRACE - time.monotonic()))
    with suppress(ChildDied):
        return solved, rival.future.result()
    return solved, None

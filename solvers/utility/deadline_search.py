"""Large instances: which jobs complete by when, decided first; their workers, slot by slot, then.

A round has three steps.

1. The totals program, made coarse, with the deadlines d alone integer. HiGHS branches on a few
   hundred variables instead of thousands: a bound, and deadlines.
2. Packing cuts that its loads break, as rows where loads come near to them.
3. The same program, in which jobs keep these deadlines, or later ones, or stay out: solved in a
   second or a few, again and again until no cut is broken. It is a plan in fractions of workers.
   One that uses a little less than all of the capacities is followed by whole workers on real
   servers (:mod:`solvers.utility.plan_tracking`).
4. Where there is hope to prove the optimum, the program with these deadlines and all variables
   integer, too. If no schedule with these deadlines, or later ones, is worth more than the best
   one known, they are done with: the program of step 1 is told to look elsewhere.

The first rounds are short and find the cuts that matter; a long one has the time for the bound.
With a second thread, one program is solved for the bound alone all the while, in a child process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from models.utility.formulations.schedules import without_idle
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs.background import Background
from solvers.result import OPTIMAL_GAP
from solvers.utility.deadline_completion import DeadlineCompletion
from solvers.utility.deadline_program import DeadlineProgram, bound_of
from solvers.utility.knowledge import Knowledge
from solvers.utility.separation import PackingCut

__all__ = ["deadline_search"]

_SHORT_ROUNDS = 2
_SHORT = 0.15  # of all time, for the program of a short round
_LONG = 0.7  # of the time left, for that of a long one
_LEAST = 0.03  # of all time, for which another round is not worth it
#: Options of HiGHS where only the bound matters: its heuristics are for the short rounds.
_FOR_BOUND = {
    "mip_heuristic_effort": 0.0,
    "mip_heuristic_run_rens": False,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_root_reduced_cost": False,
    "mip_allow_restart": False,
}


def deadline_search(
    instance: UtilityInstance,
    *,
    cuts: Iterable[tuple[int, PackingCut]],
    loads: Sequence[np.ndarray],
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
    ground = DeadlineProgram(instance, bound, deadline)
    ground.begin(cuts, loads, start)
    rounds = _Rounds(ground, DeadlineCompletion(ground, improve))
    with ExitStack() as stack:
        if threads > 1 and ground.goes_on(_LEAST):
            rounds.prove_aside(stack)
        rounds.run()
    ground.known.settle()
    return ground.known


class _Rounds:
    """The rounds, and the process beside them that is at work on the bound."""

    def __init__(self, ground: DeadlineProgram, completion: DeadlineCompletion) -> None:
        self._ground, self._completion = ground, completion
        self._stack: ExitStack | None = None
        self._aside: Background | None = None
        self._news = False  # for the process beside

    def prove_aside(self, stack: ExitStack) -> None:
        """Have the bound improved in a process beside, until the stack is left."""
        self._stack = stack
        self._begin_aside()

    def run(self) -> None:
        """Rounds until the gap is closed, nothing new is learnt, or time is up."""
        if self._ground.totals.limits:
            self._run()
        if self._aside is not None and not self._ground.known.closed(OPTIMAL_GAP):
            self._take(self._aside.result(self._ground.known.left))

    def _run(self) -> None:
        ground, number = self._ground, 0
        while ground.goes_on(_LEAST):
            result = self._round(long=number >= _SHORT_ROUNDS and self._has_time_for_bound())
            self._take(result)
            if result.status == "infeasible":
                return
            if result.x is None:
                number = 0
                continue
            news = ground.learn(result.x)
            done_with = self._completion.complete(result.x, proving=result.is_optimal)
            if done_with:
                ground.forbid(result.x)
            elif not news and result.is_optimal:
                return
            self._news = self._news or done_with or bool(news)
            self._look_aside()
            number += 1

    def _has_time_for_bound(self) -> bool:
        return self._aside is None or self._ground.fine

    def _round(self, *, long: bool) -> MatrixResult:
        ground = self._ground
        if long:
            return ground.solve(*self._for_bound(_LONG * ground.known.left))
        options = ground.options(_SHORT * ground.seconds)
        if ground.restricted:  # and perhaps the best schedule is left out, too
            return ground.solve(ground.totals.program(whole=False, least=ground.least), options)
        start = ground.totals.point(without_idle(ground.instance, ground.known.schedule))
        return ground.solve(ground.totals.program(whole=False), options, start)

    def _for_bound(self, seconds: float) -> tuple[LinearProgram, HighsOptions]:
        """The program asked only for what is better than the best schedule, and how to solve it."""
        ground = self._ground
        ground.restricted = True
        program = ground.totals.program(whole=False, least=ground.least)
        return program, replace(ground.options(seconds), extra=_FOR_BOUND)

    def _take(self, result: MatrixResult) -> None:
        self._ground.lower_bound_to(bound_of(result))

    def _begin_aside(self) -> None:
        assert self._stack is not None
        self._aside = self._stack.enter_context(
            Background(*self._for_bound(self._ground.known.left))
        )

    def _look_aside(self) -> None:
        """Take the result of the process beside, if it has one, and start it again."""
        if self._aside is not None and self._aside.finished:
            self._take(self._aside.result())
            if self._news and self._ground.goes_on(_LEAST):
                self._begin_aside()
                self._news = False

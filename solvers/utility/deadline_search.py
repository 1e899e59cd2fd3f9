"""Large instances: which jobs complete by when, decided first; their workers, slot by slot, then.

A round has three steps.

1. The totals program, made coarse, with the deadlines d alone integer. HiGHS branches on a few
   hundred variables instead of thousands: a bound, and deadlines.
2. Packing cuts that its loads break, as rows where loads come near to them.
3. The program with all variables integer, in which jobs keep these deadlines, or later ones, or
   stay out: mostly solved in seconds. Its loads are placed on the servers, which gives a schedule
   and more cuts.

4. Once that is solved, all these deadlines are done with: no schedule that keeps them, or later
   ones, is worth more than its bound. The program of step 1 is told to look elsewhere.

The first rounds are short and find the cuts that matter; a long one has the time for the bound.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from models.errors import InputError
from models.utility.formulations.schedules import without_idle
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs import solve as run_highs
from solvers.result import OPTIMAL_GAP
from solvers.utility.cut_pool import CutPool
from solvers.utility.knowledge import Knowledge, WrongSolution
from solvers.utility.scaling import scale_utilities
from solvers.utility.separation import PackingCut
from solvers.utility.totals_program import TotalsProgram

__all__ = ["deadline_search"]

# Of the bound, shared among the jobs: what may be lost by taking it coarsely. And the relative
# gap of the programs. By whether there is hope to prove the optimum.
_COARSE = {True: 2e-5, False: 1e-3}
_GAP = {True: 3e-5, False: 5e-4}
_HARDLY = OPTIMAL_GAP / 2  # better: a schedule that is not looked for
_MOST_VARIABLES = 400  # deadlines up to which there is
_NEAR = 0.95  # share of its capacity from which on a cut becomes a row of a slot
_SHORT_ROUNDS = 2
_SHORT = 0.15  # of all time, for the bound in a short round
_LONG = 0.7  # of the time left, for the bound in a long one
_COMPLETING = 0.04  # of all time, for one program with deadlines kept,
_PROVING = 0.2  # and for the first where these deadlines are the best of the coarse program
_ROOMS = (1.0, 0.98, 0.96, 0.94)  # share of the capacities in these: less leaves room to place
_LEAST = 0.03  # of all time, for which another round is not worth it
_PLACING_SECONDS = 0.1  # for one load: what is left over then is made up in other slots


def deadline_search(
    instance: UtilityInstance,
    *,
    cuts: Iterable[tuple[int, PackingCut]],
    loads: Sequence[np.ndarray],
    bound: float,
    start: UtilitySchedule,
    deadline: float,
    improve: Callable[[UtilitySchedule], UtilitySchedule],
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

    Returns
    -------
    Knowledge
        Its bound is HiGHS's word where it is better than the given one.

    Raises
    ------
    WrongSolution
        If a schedule breaks a constraint or is worth more than the bound.
    """
    rounds = _Rounds(instance, bound, deadline, improve)
    rounds.begin(cuts, loads, start)
    rounds.run()
    rounds.known.settle()
    return rounds.known


class _Rounds:
    """The rounds, and the program they share."""

    def __init__(
        self,
        instance: UtilityInstance,
        bound: float,
        deadline: float,
        improve: Callable[[UtilitySchedule], UtilitySchedule],
    ) -> None:
        self._instance, self._improve = instance, improve
        scaled = scale_utilities(instance)
        self._factor = scaled.factor
        share = bound * scaled.factor / max(1, len(instance.jobs))
        self._program = TotalsProgram(scaled.instance, coarse=_COARSE[True] * share)
        self._fine = self._program.deadlines <= _MOST_VARIABLES
        if not self._fine:
            self._program = TotalsProgram(scaled.instance, coarse=_COARSE[False] * share)
        self._cuts = CutPool(self._program)
        self._forbidden = False  # whether any deadlines are
        self.known = Knowledge(instance, self._program.limits, deadline, _PLACING_SECONDS)
        self.known.lower_bound_to(bound)
        self._all = deadline - time.monotonic()

    def begin(
        self,
        cuts: Iterable[tuple[int, PackingCut]],
        loads: Sequence[np.ndarray],
        start: UtilitySchedule,
    ) -> None:
        """Take over what is known already."""
        for side, cut in cuts:
            self._cuts.know(side, cut)
        self._cuts.add_near(loads, _NEAR)
        self.known.offer(start)

    def run(self) -> None:
        """Rounds until the gap is closed, nothing new is learnt, or time is up."""
        number = 0
        while self._goes_on() and self._program.limits:
            share = _SHORT * self._all if number < _SHORT_ROUNDS else _LONG * self.known.left
            start, least = None, None
            if self._forbidden:  # and perhaps the best schedule, too
                least = self._least()
            else:
                start = self._program.point(without_idle(self._instance, self.known.schedule))
            result = self._solve(self._program.program(whole=False, least=least), share, start)
            if result.status == "infeasible":
                self._lower_bound_to(-math.inf)
                return
            if result.bound is not None:
                self._lower_bound_to(result.bound)
            if result.x is None:
                return
            news = self._learn(result.x)
            done_with = self._complete(result.x, proving=result.is_optimal)
            if not done_with and not news and result.is_optimal:
                return
            number += 1

    def _lower_bound_to(self, bound: float) -> None:
        """Take in a bound on all schedules that have not been forbidden."""
        bound = (bound + self._program.left_out) / self._factor
        if self._forbidden:  # those are no better than this, nor are those below `_least`
            bound = max(bound, self.known.objective * (1 + _HARDLY))
        self.known.lower_bound_to(bound)

    def _least(self) -> float:
        """Objective of the program that a schedule has to reach to be of interest."""
        return self.known.objective * (1 + _HARDLY) * self._factor - self._program.left_out

    def _complete(self, x: np.ndarray, *, proving: bool) -> bool:
        """Look for a schedule with the deadlines of a point; returns whether they are done with.

        They are when no schedule with these deadlines, or later ones or fewer, is worth more than
        the best one known, or hardly more: then they are forbidden.
        """
        upper = math.inf
        for room in _ROOMS:
            if not self._goes_on():
                break
            prove = proving and room == 1.0
            least = self._least() if prove else None
            program = self._program.program(deadlines_of=x, room=room, least=least)
            share = _PROVING if prove else _COMPLETING
            result = self._solve(program, share * self._all)
            if room == 1.0:
                if result.status == "infeasible":
                    upper = -math.inf
                elif result.bound is not None:
                    upper = result.bound
            if result.x is None:
                break
            point = np.round(result.x)
            self.known.offer(self._improve(self.known.repaired(self._program, point)))
            self._learn(point)
            if self._is_met(upper) or not result.is_optimal:
                break  # there is nothing to find, or these deadlines are hard to keep
        if not self._is_met(upper):
            return False
        self._forbidden = True
        if not self._program.forbid(x):
            self._lower_bound_to(-math.inf)
        return True

    def _is_met(self, upper: float) -> bool:
        """Whether a bound of the program is hardly above the best schedule known."""
        most = (upper + self._program.left_out) / self._factor
        return most <= self.known.objective * (1 + _HARDLY)

    def _learn(self, x: np.ndarray) -> int:
        """Find the packing cuts that a point breaks; returns how many rows that makes."""
        for side, cut in self.known.cuts(self._program, x):
            self._cuts.know(side, cut)
        return self._cuts.add_near([self._program.loads(x, side) for side in (0, 1)], _NEAR)

    def _goes_on(self) -> bool:
        return self.known.left > _LEAST * self._all and not self.known.closed(OPTIMAL_GAP)

    def _solve(
        self, program: LinearProgram, seconds: float, start: np.ndarray | None = None
    ) -> MatrixResult:
        limit = max(0.1, min(seconds, self.known.left))
        options = HighsOptions(time_limit=limit, mip_rel_gap=_GAP[self._fine])
        try:
            return run_highs(program, options, start=start)
        except InputError as error:  # of a schedule that the scorer accepts
            raise WrongSolution(f"{self._instance.name}: {error}") from error

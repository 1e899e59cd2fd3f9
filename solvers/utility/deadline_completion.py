"""A schedule for given deadlines, and a bound on all schedules that keep them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from models.utility.schedule import UtilitySchedule
from solvers.highs import MatrixResult
from solvers.utility.deadline_program import DeadlineProgram, bound_of
from solvers.utility.occupancy import repaired
from solvers.utility.oracle import zero_prices
from solvers.utility.plan_tracking import Followed, Plan, PlanTracker

__all__ = ["DeadlineCompletion"]

_CUT_ROUNDS = 6  # programs with deadlines kept that only find cuts,
_CUT_PROGRESS = 1e-4  # as long as their objective falls by this share
_KEEPING = 0.04  # of all time, for one program with deadlines kept,
_PROVING = 0.2  # and for one with all variables whole, where the deadlines are the program's best
_LEAST = 0.03  # of all time, for which no further program is begun
_PLANS = 6  # that are followed,
_PLAN_GAP = 2e-3  # each so close to the best one
_ROOMS = (0.985, 0.97, 0.95, 0.92)  # share of the capacities in a plan,
_FIRST = 2  # the third of them at first
_FEW = 3  # jobs that are late, up to which these are given spare work in the next plan,
_SPARE = 1.5  # so many times what they lacked
_SPARED = 1e-2  # most that spare work may cost, of the objective of the plan
_FOLLOWED = 2e-3  # of what the deadlines are worth: not worth another plan


class DeadlineCompletion:
    """Looks for workers where deadlines are given.

    Parameters
    ----------
    ground : DeadlineProgram
    improve : callable
        Local search: asked of every schedule found.
    """

    def __init__(
        self, ground: DeadlineProgram, improve: Callable[[UtilitySchedule], UtilitySchedule]
    ) -> None:
        self._ground, self._improve = ground, improve
        self._tracker = PlanTracker(
            ground.instance, ground.totals.limits, ground.cuts, ground.known
        )

    def complete(self, x: np.ndarray, *, proving: bool) -> bool:
        """Look for a schedule with the deadlines of a point.

        Parameters
        ----------
        x : ndarray
            A point of the program.
        proving : bool
            Whether it is its optimum.

        Returns
        -------
        bool
            Whether no schedule with these deadlines, or later ones or fewer, is worth more than
            the best one known, or hardly more.
        """
        ground = self._ground
        upper = self._find_cuts(x)
        if ground.fine and not ground.is_met(upper) and ground.goes_on(_LEAST):
            upper = min(upper, self._whole(x, proving=proving))
        if not ground.is_met(upper):
            self._follow_plans(x, upper)
        return ground.is_met(upper)

    def _keeping(
        self, x: np.ndarray, room: float = 1.0, spare: Mapping[int, float] | None = None
    ) -> MatrixResult:
        """Solve the program with the deadlines of a point, d alone integer."""
        ground = self._ground
        program = ground.totals.program(whole=False, deadlines_of=x, room=room, spare=spare)
        options = ground.options(_KEEPING * ground.seconds)
        if room < 1.0:
            options = replace(options, mip_rel_gap=_PLAN_GAP)
        return ground.solve(program, options)

    def _find_cuts(self, x: np.ndarray) -> float:
        """Find the cuts that loads with these deadlines break; returns a bound."""
        ground, upper, before = self._ground, math.inf, math.inf
        for _ in range(_CUT_ROUNDS):
            if not ground.goes_on(_LEAST):
                break
            result = self._keeping(x)
            upper = min(upper, bound_of(result))
            if result.x is None or result.objective is None or ground.is_met(upper):
                break
            if not ground.learn(result.x) or result.objective > before * (1 - _CUT_PROGRESS):
                break
            before = result.objective
        return upper

    def _whole(self, x: np.ndarray, *, proving: bool) -> float:
        """Solve the program with all variables whole; returns a bound."""
        ground = self._ground
        least = ground.least if proving else None
        program = ground.totals.program(deadlines_of=x, least=least)
        share = _PROVING if proving else _KEEPING
        result = ground.solve(program, ground.options(share * ground.seconds))
        if result.x is not None:
            point = np.round(result.x)
            ground.known.offer(self._improve(ground.known.repaired(ground.totals, point)))
            ground.learn(point)
        return bound_of(result)

    def _follow_plans(self, x: np.ndarray, upper: float) -> None:
        """Follow plans with these deadlines that leave the room it takes to keep them."""
        ground, number, spare, without = self._ground, _FIRST, dict[int, float](), upper
        kept, lost = len(_ROOMS), -1  # rooms in which plans were kept, and in which they were not
        for _ in range(_PLANS):
            if not ground.goes_on(_LEAST):
                break
            result = self._keeping(x, _ROOMS[number], spare)
            if result.x is None or result.objective is None:
                break
            if not spare:
                without = result.objective
            lacking: Mapping[int, int] | None = None
            if ground.is_met(result.objective):
                if not spare:
                    break  # there is nothing to find, and with less room even less
            elif result.objective >= (1 - _SPARED) * without:
                plan = Plan(ground.totals.loads(result.x, 0), ground.totals.ends(result.x))
                followed = self._tracker.follow(plan)
                self._offer(followed)
                lacking = followed.lacking
            if lacking is not None and not lacking:
                kept, spare = number, {}
                if result.objective >= (1 - _FOLLOWED) * upper:
                    break
                number -= 1
            elif lacking is not None and len(lacking) <= _FEW:
                spare = {
                    i: spare.get(i, 0.0) + math.ceil(_SPARE * lacking.get(i, 0))
                    for i in {*spare, *lacking}
                }
            else:
                lost, spare = number, {}
                number += 1
            if not lost < number < kept:
                break

    def _offer(self, followed: Followed) -> None:
        ground = self._ground
        found = repaired(
            ground.instance,
            followed.workers,
            lambda side, slot: followed.places[side, slot],
            zero_prices(ground.instance.cluster),
        ).schedule()
        ground.known.offer(found)
        ground.known.offer(self._improve(found))

"""A schedule for given deadlines, and a bound on all schedules that keep them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from models.utility.formulations.schedules import without_idle
from models.utility.schedule import UtilitySchedule
from solvers.highs import MatrixResult
from solvers.utility.deadline_program import DeadlineProgram, bound_of
from solvers.utility.occupancy import repaired
from solvers.utility.oracle import zero_prices
from solvers.utility.plan_tracking import Followed, Plan, PlanTracker

__all__ = ["DeadlineCompletion"]

_CUT_ROUNDS = 6  # programs with deadlines kept that only find cuts,
_CUT_PROGRESS = {True: 1e-4, False: 1e-3}  # as long as their objective falls by this share
_KEEPING = 0.04  # of all time, for one program with deadlines kept,
_PROVING = 0.2  # and for one with all variables whole, where the deadlines are the program's best
_WHOLE_ROOMS = (1.0, 0.98, 0.96)  # shares of the capacities in these
_LEAST = 0.03  # of all time, for which no further program is begun
_PLANS = 8  # that are followed,
_PLAN_GAP = 2e-3  # each so close to the best one
_NOT_FULL = 1e-6  # what a job that completes in full may lack, by round-off
_ROOMS = (0.985, 0.97, 0.95, 0.92)  # share of the capacities in a plan,
_FIRST = 1  # the second of them at first
_FOLLOWING = 0.06  # of all time, for following one
_MANY = 0.25  # of a plan's jobs: if so many are late, the next one has less room at once
_TRIES = 3  # plans in one room: jobs that are late are given spare work in the next one,
_SPARE = 1.5  # so many times what they lacked,
_MOST_SPARE = 0.05  # but no more at once than 3 worker-slots and this share of their work
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
        instance = ground.instance
        self._tracker = PlanTracker(
            instance, ground.totals.limits, ground.cuts, ground.known, _FOLLOWING * ground.seconds
        )

    def complete(
        self, ends: Mapping[int, int], *, proving: bool, upper: float | None = None
    ) -> bool:
        """Look for a schedule with given deadlines.

        Parameters
        ----------
        ends : dict of int to int
            Last slots of the jobs that are to complete.
        proving : bool
            Whether they are the best ones of the program.
        upper : float, optional
            What :meth:`find_cuts` said of them, if that was asked already.

        Returns
        -------
        bool
            Whether no schedule with these deadlines, or later ones or fewer, is worth more than
            the best one known, or hardly more.
        """
        ground = self._ground
        upper = self.find_cuts(ends) if upper is None else upper
        if ground.fine and not ground.is_met(upper) and ground.goes_on(_LEAST):
            upper = min(upper, self._whole(ends, proving=proving))
        if not ground.is_met(upper):
            self._follow_plans(ends, upper)
        return ground.is_met(upper)

    def look_near(self, room: float, seconds: float) -> MatrixResult | None:
        """Better deadlines for a share of the capacities, near to those of the best schedule."""
        ground = self._ground
        best = without_idle(ground.instance, ground.known.schedule)
        ends = ground.totals.ends(ground.totals.point(best))
        # Built first: rows that come in between are kept by the start as well, not the other way.
        program = ground.totals.program(whole=False, near=ends, room=room)
        kept = self._keeping(ends, room)
        if kept.x is None:
            return None
        return ground.solve(program, ground.options(seconds), kept.x)

    def _keeping(
        self, ends: Mapping[int, int], room: float = 1.0, spare: Mapping[int, float] | None = None
    ) -> MatrixResult:
        """Solve the program with given deadlines, d alone integer."""
        ground = self._ground
        program = ground.totals.program(whole=False, ends=ends, room=room, spare=spare)
        options = ground.options(_KEEPING * ground.seconds)
        if room < 1.0 or not ground.fine:
            options = replace(options, mip_rel_gap=_PLAN_GAP)
        result = ground.solve(program, options)
        if room == 1.0 or result.is_optimal or not ground.goes_on(_LEAST):
            return result
        # In time that is too short for HiGHS there is something to follow at least: the jobs that
        # complete in full in the linear relaxation.
        relaxed = ground.solve(program.relaxed(), options).x
        if relaxed is None:
            return result
        full = ground.totals.ends(relaxed, least=1 - _NOT_FULL)
        program = ground.totals.program(whole=False, ends=full, room=room, spare=spare)
        rounded = ground.solve(program, options)
        if result.objective is None or (rounded.objective or 0.0) > result.objective:
            return rounded
        return result

    def find_cuts(self, ends: Mapping[int, int]) -> float:
        """Find the cuts that loads with these deadlines break; returns a bound."""
        ground, upper, before = self._ground, math.inf, math.inf
        for _ in range(_CUT_ROUNDS):
            if not ground.goes_on(_LEAST):
                break
            result = self._keeping(ends)
            upper = min(upper, bound_of(result))
            if result.x is None or result.objective is None or ground.is_met(upper):
                break
            news = ground.learn(ground.totals, result.x)
            if not news or result.objective > before * (1 - _CUT_PROGRESS[ground.fine]):
                break
            before = result.objective
        return upper

    def _whole(self, ends: Mapping[int, int], *, proving: bool) -> float:
        """Solve the program with all variables whole; returns a bound.

        Its loads can be more than servers hold. With a little less room, some of those that come
        close to them are not.
        """
        ground, upper = self._ground, math.inf
        for room in _WHOLE_ROOMS:
            if ground.is_met(upper) or not ground.goes_on(_LEAST):
                break
            first = room == 1.0
            least = ground.least if proving and first else None
            program = ground.totals.program(ends=ends, least=least, room=room)
            share = _PROVING if proving and first else _KEEPING
            result = ground.solve(program, ground.options(share * ground.seconds))
            if first:
                upper = bound_of(result)
            if result.x is not None:
                point = np.round(result.x)
                ground.known.offer(self._improve(ground.known.repaired(ground.totals, point)))
                ground.learn(ground.totals, point)
        return upper

    def _follow_plans(self, ends: Mapping[int, int], upper: float) -> None:
        """Follow plans with these deadlines that leave the room it takes to keep them."""
        ground, number = self._ground, _FIRST
        spare, tries = dict[int, float](), 0
        kept, lost = len(_ROOMS), -1  # rooms in which plans were kept, and in which they were not
        for _ in range(_PLANS):
            if not ground.goes_on(_LEAST):
                break
            result = self._keeping(ends, _ROOMS[number], spare)
            if result.x is None or result.objective is None:
                break
            lacking: Mapping[int, int] | None = None
            if ground.is_met(result.objective):
                if not spare:  # nothing to be found here, and with less room even less
                    kept = number
            else:
                plan = Plan(ground.totals.loads(result.x, 0), ground.totals.ends(result.x))
                followed = self._tracker.follow(plan)
                self._offer(followed)
                lacking, tries = followed.lacking, tries + 1
                if len(lacking) > _MANY * len(plan.ends):
                    tries = _TRIES
            if kept == number:
                number -= 1
            elif lacking is not None and not lacking:
                kept, spare, tries = number, {}, 0
                if result.objective >= (1 - _FOLLOWED) * upper:
                    break
                number -= 1
            elif lacking is not None and tries < _TRIES:
                for i, lack in lacking.items():
                    most = _MOST_SPARE * ground.totals.limits[i].job.work
                    spare[i] = spare.get(i, 0.0) + math.ceil(min(_SPARE * lack, 3.0 + most))
            else:
                lost, spare, tries = number, {}, 0
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

"""A schedule for given deadlines, and a bound on all schedules that keep them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from models.utility.formulations.schedules import without_idle
from models.utility.schedule import UtilitySchedule
from solvers.highs import MatrixResult
from solvers.highs.engine import HighsError
from solvers.utility.deadline_program import DeadlineProgram, bound_of
from solvers.utility.knowledge import ROUND_OFF
from solvers.utility.neighbourhoods import where_undecided
from solvers.utility.occupancy import repaired
from solvers.utility.oracle import zero_prices
from solvers.utility.plan_program import BROKEN, PlanProgram
from solvers.utility.plan_tracking import Followed, Plan, PlanTracker
from solvers.utility.totals_program import SIDES
from solvers.utility.whole_workers import merged, with_whole_workers

__all__ = ["DeadlineCompletion"]

_CUT_ROUNDS = 6  # programs with deadlines kept that only find cuts,
_CUT_PROGRESS = 1e-4  # as long as their objective falls by this share
_SLACK = 2  # groups of deadlines that are free around those not decided
_SEPARATING = 0.05  # of all time, for finding the cuts that one plan breaks
_KEEPING = 0.04  # of all time, for one program with deadlines kept,
_WHOLE = 0.2  # and for all of them in which the workers are whole, too
_MERGING = 0.01  # for showing that more deadlines are done with
_DECISIONS = 3  # times that a plan's deadlines are decided, each with the cuts found since
_NEARLY = 0.005  # of a job: it is followed as if it were done
_PLANS = 8  # that are followed,
_PLAN_GAP = 2e-3  # each so close to the best one
_ROOMS = (0.985, 0.97, 0.95, 0.92)  # share of the capacities in a plan,
_FIRST = 1  # the second of them at first
_FOLLOWING = 0.06  # of all time, for following one
_AGAIN = 3  # times that one is followed: jobs that are late
_URGENT = 2.0  # count so many times as much in the next one
_MANY = 0.4  # of a plan's jobs: if so many are late, the next one has less room at once
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

    def complete(self, ends: Mapping[int, int], upper: float | None = None) -> bool:
        """Look for a schedule with given deadlines.

        Parameters
        ----------
        ends : dict of int to int
            Last slots of the jobs that are to complete.
        upper : float, optional
            What :meth:`find_cuts` said of them, if that was asked already.

        Returns
        -------
        bool
            Whether no schedule with these deadlines, or later ones or fewer, is worth more than
            the best one known, or hardly more.
        """
        ground = self._ground
        if upper is None:
            upper = self.find_cuts(ends) if ground.fine else math.inf
        if ground.fine and not ground.is_met(upper) and ground.goes_on():
            seconds = _WHOLE * ground.seconds
            whole = with_whole_workers(ground, ends, self._improve, seconds=seconds)
            upper = min(upper, whole)
        if not ground.is_met(upper):
            self._follow_plans(ends, upper)
        return ground.is_met(upper)

    def widened(self, ends: Mapping[int, int]) -> Mapping[int, int]:
        """Deadlines that are done with, and others that are, too, where that is quick to show."""
        ground = self._ground
        if not ground.fine:
            return ends
        seconds = _MERGING * ground.seconds
        return merged(ground, ends, self._improve, seconds=seconds)

    def look_around(self, room: float, seconds: float) -> MatrixResult:
        """Good deadlines for a share of the capacities, around those of the linear relaxation."""
        ground, grid = self._ground, self._ground.on_grid
        program = grid.program(whole=False, room=room)
        relaxed = ground.solve(program.relaxed(), ground.options(seconds))
        if relaxed.x is None or not ground.goes_on():
            return relaxed
        program = where_undecided(program, grid.done.values(), [relaxed.x], _SLACK)
        return ground.solve(program, ground.options(seconds))

    def look_near(self, room: float, seconds: float) -> MatrixResult:
        """The same, between those of the linear relaxation and those of the best schedule."""
        ground, grid = self._ground, self._ground.on_grid
        best = grid.point(without_idle(ground.instance, ground.known.schedule))
        # Both built first: a start has to keep all rows, also those that come in between.
        program = grid.program(whole=False, room=room)
        keeping = grid.program(whole=False, ends=grid.ends(best), room=room)
        options = replace(ground.options(_KEEPING * ground.seconds), mip_rel_gap=_PLAN_GAP)
        kept = ground.solve(keeping, options)  # without a point if these deadlines are forbidden
        relaxed = ground.solve(program.relaxed(), ground.options(seconds))
        if relaxed.x is None or not ground.goes_on():
            return kept
        points = [relaxed.x, best if kept.x is None else kept.x]
        program = where_undecided(program, grid.done.values(), points, _SLACK)
        return ground.solve(program, ground.options(seconds), kept.x)

    def find_cuts(self, ends: Mapping[int, int]) -> float:
        """Find the cuts that loads with these deadlines break; returns a bound."""
        ground, upper, before = self._ground, math.inf, math.inf
        try:
            program = PlanProgram(ground.totals, ends, 1.0, early=False)
        except HighsError:
            return upper
        with suppress(HighsError):  # out of time: what is known so far is valid
            for _ in range(_CUT_ROUNDS if ground.fine else 1):
                self._add_cuts(program, 1.0)
                upper = min(upper, program.objective)
                decided = not ground.fine or ground.totals.whole_at(program.x, ROUND_OFF)
                if decided or not self._hopes(upper):
                    break
                result = ground.solve(program.whole(), ground.options(_KEEPING * ground.seconds))
                upper = min(upper, bound_of(result))
                if result.x is None or result.objective is None or not self._hopes(upper):
                    break
                program.move_to(result.x)
                if not self._learn(program, 1.0):
                    break
                if result.objective > before * (1 - _CUT_PROGRESS):
                    break
                before = result.objective
        ground.add_near([ground.totals.loads(program.x, side) for side in SIDES])
        return upper

    def _hopes(self, upper: float) -> bool:
        return not self._ground.is_met(upper) and self._ground.goes_on()

    def _add_cuts(self, program: PlanProgram, room: float) -> None:
        """Solve a linear program until its loads break no cut, or for a share of the time.

        Raises
        ------
        HighsError
            If HiGHS fails or runs out of time.
        """
        ground = self._ground
        until = time.monotonic() + _SEPARATING * ground.seconds
        program.solve(time.monotonic() + ground.known.left)
        while time.monotonic() < until:
            if not program.add_broken(ground.cuts) and not self._learn(program, room):
                return
            program.solve(time.monotonic() + ground.known.left)

    def _learn(self, program: PlanProgram, room: float) -> int:
        """Find the cuts that a point breaks; returns how many rows that makes."""
        self._ground.separate(self._ground.totals, program.x / (room * (1 + BROKEN)))
        return program.add_broken(self._ground.cuts)

    def _plan(
        self, ends: Mapping[int, int], room: float, spare: Mapping[int, float]
    ) -> tuple[Plan, float] | None:
        """Workers for given deadlines in a share of the capacities, and what they are worth."""
        ground, totals = self._ground, self._ground.totals
        try:
            program = PlanProgram(totals, ends, room, spare, early=True)
            self._add_cuts(program, room)
            for _ in range(_DECISIONS):
                if totals.whole_at(program.x, _NEARLY):
                    break
                options = ground.options(_KEEPING * ground.seconds)
                options = replace(options, mip_rel_gap=_PLAN_GAP)
                result = ground.solve(program.undecided(_SLACK, _NEARLY), options)
                if result.x is None or not ground.goes_on():
                    return None
                decided = result.x
                program.move_to(decided)
                program.keep(totals.ends(program.x))
                if self._learn(program, room):
                    self._add_cuts(program, room)
            else:
                program.move_to(decided)  # of the last decision: the point since may not be whole
        except HighsError:
            return None
        loads = [totals.loads(program.x, side) for side in SIDES]
        ground.add_near([load / room for load in loads])
        return Plan(loads[0], totals.ends(program.x)), totals.worth(program.x)

    def _follow_plans(self, ends: Mapping[int, int], upper: float) -> None:
        """Follow plans with these deadlines that leave the room it takes to keep them."""
        ground, number = self._ground, _FIRST
        spare, tries = dict[int, float](), 0
        kept, lost = len(_ROOMS), -1  # rooms in which plans were kept, and in which they were not
        for _ in range(_PLANS):
            if not ground.goes_on():
                break
            planned = self._plan(ends, _ROOMS[number], spare)
            if planned is None:
                break
            plan, worth = planned
            lacking: Mapping[int, int] | None = None
            if ground.is_met(worth):
                if not spare:  # nothing to be found here, and with less room even less
                    kept = number
            else:
                lacking, tries = self._follow(plan), tries + 1
                if len(lacking) > _MANY * len(plan.ends):
                    tries = _TRIES
            if kept == number:
                number -= 1
            elif lacking is not None and (not lacking or ground.is_met(worth)):
                kept, spare, tries = number, {}, 0
                if worth >= (1 - _FOLLOWED) * upper:
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

    def _follow(self, plan: Plan) -> Mapping[int, int]:
        """Follow a plan, again with those first that were late; returns the least lacking."""
        urgency = np.ones(len(self._ground.instance.jobs))
        least: Mapping[int, int] | None = None
        for _ in range(_AGAIN):
            followed = self._tracker.follow(plan, urgency)
            self._offer(followed)
            lacking = followed.lacking
            if least is None or sum(lacking.values()) < sum(least.values()):
                least = lacking
            late = len(lacking)
            if not 0 < late <= _MANY * len(plan.ends) or not self._ground.goes_on(0.0):
                break
            urgency[list(lacking)] *= _URGENT
        assert least is not None
        return least

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

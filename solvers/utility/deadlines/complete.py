"""A schedule for given deadlines, and a bound on all schedules that meet them."""

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
from solvers.utility.deadlines.neighbourhoods import where_undecided
from solvers.utility.deadlines.plan_program import BROKEN, PlanProgram
from solvers.utility.deadlines.plan_tracking import Followed, Plan, PlanTracker
from solvers.utility.deadlines.prove import merged, with_whole_workers
from solvers.utility.deadlines.state import DeadlineProgram, bound_of
from solvers.utility.occupancy import repaired
from solvers.utility.oracle import zero_prices
from solvers.utility.search_state import ROUND_OFF
from solvers.utility.totals_program import SIDES

__all__ = ["DeadlineCompletion"]

# Programs with given deadlines, which find cuts and a bound.
_CUT_ROUNDS = 6  # at most,
_CUT_PROGRESS = 1e-4  # and only while the objective falls by at least this share
_SLACK = 2  # groups of deadlines on either side of the undecided ones that stay free
# Shares of all time:
_SEPARATING = 0.05  # to find the cuts that one plan violates
_KEEPING = 0.04  # for one program with given deadlines
_WHOLE = 0.2  # for all programs that also have whole workers
_MERGING = 0.01  # to show that more deadlines can be excluded
_FOLLOWING = 0.06  # to follow one plan with whole workers
# Plans, and the whole workers that follow them. "Room" is the share of the capacities in a plan.
_DECISIONS = 3  # how often a plan's deadlines are decided, each time with the cuts found since
_NEARLY = 0.005  # share of a job that may be missing where a plan counts it as done
_PLANS = 8  # at most
_PLAN_GAP = 2e-3  # relative gap of a plan to the best one
_ROOMS = (0.985, 0.97, 0.95, 0.92)
_FIRST = 1  # index of the room to begin with
_AGAIN = 3  # how often a plan is followed; each time, jobs that were late
_URGENT = 2.0  # count for so many times more
_MANY = 0.4  # if this share of the jobs is late, the next plan gets less room at once
_TRIES = 3  # plans in one room; in the next one, late jobs get spare work,
_SPARE = 1.5  # so many times what they lacked,
_MOST_SPARE = 0.05  # but at once no more than 3 worker-slots and this share of their work
_FOLLOWED = 2e-3  # a schedule this close to the bound is not worth another plan


class DeadlineCompletion:
    """Finds workers for given deadlines.

    Parameters
    ----------
    shared : DeadlineProgram
    improve : callable
        Local search, applied to every schedule found.
    """

    def __init__(
        self, shared: DeadlineProgram, improve: Callable[[UtilitySchedule], UtilitySchedule]
    ) -> None:
        self._shared, self._improve = shared, improve
        instance = shared.instance
        self._tracker = PlanTracker(
            instance, shared.totals.limits, shared.cuts, shared.known, _FOLLOWING * shared.seconds
        )

    def complete(self, ends: Mapping[int, int], upper: float | None = None) -> bool:
        """Look for a schedule with given deadlines.

        Parameters
        ----------
        ends : dict of int to int
            Last slots of the jobs that are to complete.
        upper : float, optional
            The bound of :meth:`find_cuts` for them, if it has been asked already.

        Returns
        -------
        bool
            Whether no schedule with these deadlines, later ones or those of fewer jobs is worth
            (noticeably) more than the best one known.
        """
        shared = self._shared
        if upper is None:
            upper = self.find_cuts(ends) if shared.may_prove else math.inf
        if shared.may_prove and not shared.no_better_than_known(upper) and shared.may_continue():
            seconds = _WHOLE * shared.seconds
            whole = with_whole_workers(shared, ends, self._improve, seconds=seconds)
            upper = min(upper, whole)
        if not shared.no_better_than_known(upper):
            self._follow_plans(ends, upper)
        return shared.no_better_than_known(upper)

    def widened(self, ends: Mapping[int, int]) -> Mapping[int, int]:
        """Deadlines to be excluded, widened to cover others where that is quick to prove."""
        shared = self._shared
        if not shared.may_prove:
            return ends
        seconds = _MERGING * shared.seconds
        return merged(shared, ends, self._improve, seconds=seconds)

    def look_around(self, room: float, seconds: float) -> MatrixResult:
        """Good deadlines in a share of the capacities, near those of the linear relaxation."""
        shared, grid = self._shared, self._shared.on_grid
        program = grid.program(whole=False, room=room)
        relaxed = shared.solve(program.relaxed(), shared.options(seconds))
        if relaxed.x is None or not shared.may_continue():
            return relaxed
        program = where_undecided(program, grid.done.values(), [relaxed.x], _SLACK)
        return shared.solve(program, shared.options(seconds))

    def look_near(self, room: float, seconds: float) -> MatrixResult:
        """The same, between the deadlines of the linear relaxation and of the best schedule."""
        shared, grid = self._shared, self._shared.on_grid
        best = grid.point(without_idle(shared.instance, shared.known.schedule))
        # Both are built before anything is solved: rows that come in between would bind the one
        # and not the other, and the start has to satisfy all of them.
        program = grid.program(whole=False, room=room)
        keeping = grid.program(whole=False, ends=grid.ends(best), room=room)
        options = replace(shared.options(_KEEPING * shared.seconds), mip_rel_gap=_PLAN_GAP)
        kept = shared.solve(keeping, options)  # has no point if these deadlines are excluded
        relaxed = shared.solve(program.relaxed(), shared.options(seconds))
        if relaxed.x is None or not shared.may_continue():
            return kept
        points = [relaxed.x, best if kept.x is None else kept.x]
        program = where_undecided(program, grid.done.values(), points, _SLACK)
        return shared.solve(program, shared.options(seconds), kept.x)

    def find_cuts(self, ends: Mapping[int, int]) -> float:
        """Find the cuts that loads with these deadlines violate; returns an upper bound."""
        shared, upper, before = self._shared, math.inf, math.inf
        try:
            program = PlanProgram(shared.totals, ends, 1.0, early=False)
        except HighsError:
            return upper
        with suppress(HighsError):  # out of time: the bound so far is valid
            for _ in range(_CUT_ROUNDS if shared.may_prove else 1):
                self._add_cuts(program, 1.0)
                upper = min(upper, program.objective)
                decided = not shared.may_prove or shared.totals.whole_at(program.x, ROUND_OFF)
                if decided or not self._hopes(upper):
                    break
                result = shared.solve(program.whole(), shared.options(_KEEPING * shared.seconds))
                upper = min(upper, bound_of(result))
                if result.x is None or result.objective is None or not self._hopes(upper):
                    break
                program.move_to(result.x)
                if not self._learn(program, 1.0):
                    break
                if result.objective > before * (1 - _CUT_PROGRESS):
                    break
                before = result.objective
        shared.add_near([shared.totals.loads(program.x, side) for side in SIDES])
        return upper

    def _hopes(self, upper: float) -> bool:
        return not self._shared.no_better_than_known(upper) and self._shared.may_continue()

    def _add_cuts(self, program: PlanProgram, room: float) -> None:
        """Solve a linear program again until its loads violate no cut, or a share of time is used.

        Raises
        ------
        HighsError
            If HiGHS fails or runs out of time.
        """
        shared = self._shared
        until = time.monotonic() + _SEPARATING * shared.seconds
        program.solve(time.monotonic() + shared.known.seconds_left)
        while time.monotonic() < until:
            if not program.add_broken(shared.cuts) and not self._learn(program, room):
                return
            program.solve(time.monotonic() + shared.known.seconds_left)

    def _learn(self, program: PlanProgram, room: float) -> int:
        """Find the cuts that a point violates; returns how many rows were added."""
        self._shared.separate(self._shared.totals, program.x / (room * (1 + BROKEN)))
        return program.add_broken(self._shared.cuts)

    def _plan(
        self, ends: Mapping[int, int], room: float, spare: Mapping[int, float]
    ) -> tuple[Plan, float] | None:
        """A plan for given deadlines in a share of the capacities, and its worth; None if none."""
        shared, totals = self._shared, self._shared.totals
        try:
            program = PlanProgram(totals, ends, room, spare, early=True)
            self._add_cuts(program, room)
            for _ in range(_DECISIONS):
                if totals.whole_at(program.x, _NEARLY):
                    break
                options = shared.options(_KEEPING * shared.seconds)
                options = replace(options, mip_rel_gap=_PLAN_GAP)
                result = shared.solve(program.undecided(_SLACK, _NEARLY), options)
                if result.x is None or not shared.may_continue():
                    return None
                decided = result.x
                program.move_to(decided)
                program.keep(totals.ends(program.x))
                if self._learn(program, room):
                    self._add_cuts(program, room)
            else:
                program.move_to(decided)  # as last decided: the point since then may not be whole
        except HighsError:
            return None
        loads = [totals.loads(program.x, side) for side in SIDES]
        shared.add_near([load / room for load in loads])
        return Plan(loads[0], totals.ends(program.x)), totals.worth(program.x)

    def _follow_plans(self, ends: Mapping[int, int], upper: float) -> None:
        """Follow plans, looking for the largest room in which whole workers meet the deadlines."""
        shared, number = self._shared, _FIRST
        spare, tries = dict[int, float](), 0
        kept, lost = (
            len(_ROOMS),
            -1,
        )  # last rooms in which the plans could be followed, and could not
        for _ in range(_PLANS):
            if not shared.may_continue():
                break
            planned = self._plan(ends, _ROOMS[number], spare)
            if planned is None:
                break
            plan, worth = planned
            lacking: Mapping[int, int] | None = None
            if shared.no_better_than_known(worth):
                if not spare:  # no better schedule in this room, nor in a smaller one
                    kept = number
            else:
                lacking, tries = self._follow(plan), tries + 1
                if len(lacking) > _MANY * len(plan.ends):
                    tries = _TRIES
            if kept == number:
                number -= 1
            elif lacking is not None and (not lacking or shared.no_better_than_known(worth)):
                kept, spare, tries = number, {}, 0
                if worth >= (1 - _FOLLOWED) * upper:
                    break
                number -= 1
            elif lacking is not None and tries < _TRIES:
                for i, lack in lacking.items():
                    most = _MOST_SPARE * shared.totals.limits[i].job.work
                    spare[i] = spare.get(i, 0.0) + math.ceil(min(_SPARE * lack, 3.0 + most))
            else:
                lost, spare, tries = number, {}, 0
                number += 1
            if not lost < number < kept:
                break

    def _follow(self, plan: Plan) -> Mapping[int, int]:
        """Follow a plan, each time putting late jobs first; the least work lacking, by job."""
        urgency = np.ones(len(self._shared.instance.jobs))
        least: Mapping[int, int] | None = None
        for _ in range(_AGAIN):
            followed = self._tracker.follow(plan, urgency)
            self._offer(followed)
            lacking = followed.lacking
            if least is None or sum(lacking.values()) < sum(least.values()):
                least = lacking
            late = len(lacking)
            if not 0 < late <= _MANY * len(plan.ends) or not self._shared.may_continue(0.0):
                break
            urgency[list(lacking)] *= _URGENT
        assert least is not None
        return least

    def _offer(self, followed: Followed) -> None:
        shared = self._shared
        found = repaired(
            shared.instance,
            followed.workers,
            lambda side, slot: followed.places[side, slot],
            zero_prices(shared.instance.cluster),
        ).schedule()
        shared.known.offer(found)
        shared.known.offer(self._improve(found))

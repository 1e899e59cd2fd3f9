"""A schedule for given deadlines, and a bound on all schedules that keep them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from models.utility.schedule import UtilitySchedule
from solvers.highs.engine import HighsError
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.plan_tracking import Followed, Plan, PlanTracker
from solvers.utility.deadlines.prove import with_whole_workers
from solvers.utility.deadlines.state import DeadlineState, bound_of
from solvers.utility.occupancy import repaired
from solvers.utility.oracle import zero_prices
from solvers.utility.search_state import ROUND_OFF
from solvers.utility.totals_program import SIDES

__all__ = ["Completion"]


class Completion:
    """Finds workers for given deadlines.

    Parameters
    ----------
    state : DeadlineState
    """

    def __init__(self, state: DeadlineState) -> None:
        self._state, self._options = state, state.options
        self._tracker = PlanTracker(state)

    def complete(self, ends: Mapping[int, int], upper: float | None = None) -> Iterator[float]:
        """Look for a schedule with given deadlines, step by step.

        Between two steps the state may change: each begins with what is known by then.

        Parameters
        ----------
        ends : dict of int to int
            Last slots of the jobs that are to complete.
        upper : float, optional
            The bound of :meth:`find_cuts` for them, if it has been asked already.

        Yields
        ------
        float
            An upper bound on all schedules with these deadlines, later ones or those of fewer jobs.
        """
        state = self._state
        if upper is None:
            upper = self.find_cuts(ends) if state.may_prove else math.inf
        yield upper
        if state.may_prove and self._hopes(upper):
            upper = min(upper, with_whole_workers(state, ends))
            yield upper
        if not state.no_better_than_known(upper):
            for _ in self._follow_plans(ends, upper):
                yield upper

    def find_cuts(self, ends: Mapping[int, int]) -> float:
        """Find the cuts that loads with these deadlines violate; returns an upper bound."""
        state, upper = self._state, math.inf
        try:
            program = PlanProgram(state, ends, 1.0, early=False)
            with suppress(HighsError):  # out of time: the bound so far is valid
                for _ in range(self._options.cut_points if state.may_prove else 1):
                    self._add_cuts(program)
                    upper = min(upper, program.objective)
                    whole_at = state.totals.whole_at(program.x, ROUND_OFF)
                    if not state.may_prove or whole_at or not self._hopes(upper):
                        break
                    whole = program.whole()
                    result = state.solve(whole, state.limits(whole, self._options.completing))
                    upper = min(upper, bound_of(result))
                    if result.x is None or not self._hopes(upper):
                        break
                    program.move_to(result.x)
                    if not program.learn():
                        break
        except HighsError:
            return upper
        state.add_near([state.totals.loads(program.x, side) for side in SIDES])
        return upper

    def _hopes(self, upper: float) -> bool:
        return not self._state.no_better_than_known(upper) and self._state.may_continue()

    def _add_cuts(self, program: PlanProgram) -> None:
        """Solve a linear program again until its loads violate no cut that can be found.

        Raises
        ------
        HighsError
            If HiGHS fails or runs out of time.
        """
        program.solve()
        for _ in range(self._options.cut_rounds):
            if not program.add_broken() and not program.learn():
                return
            program.solve()

    def _plan(self, ends: Mapping[int, int], room: float) -> tuple[Plan, float] | None:
        """A plan for given deadlines in a share of the capacities, and its worth; None if none."""
        state, totals, options = self._state, self._state.totals, self._options
        try:
            program = PlanProgram(state, ends, room, early=True)
            self._add_cuts(program)
            for _ in range(options.decisions):
                if totals.whole_at(program.x, options.done):
                    break
                undecided = program.undecided()
                limits = state.limits(undecided, options.completing)
                result = state.solve(undecided, replace(limits, mip_rel_gap=options.plan_gap))
                if result.x is None or not state.may_continue():
                    return None
                decided = result.x
                program.move_to(decided)
                program.keep(totals.ends(program.x))
                if program.learn():
                    self._add_cuts(program)
            else:
                program.move_to(decided)  # as last decided: the point since then may not be whole
        except HighsError:
            return None
        loads = [totals.loads(program.x, side) for side in SIDES]
        state.add_near([load / room for load in loads])
        return Plan(loads[0], totals.ends(program.x)), totals.worth(program.x)

    def _follow_plans(self, ends: Mapping[int, int], upper: float) -> Iterator[None]:
        """Follow plans, looking for the largest room in which whole workers meet the deadlines."""
        state, options = self._state, self._options
        rooms = sorted(options.plan_rooms, reverse=True)
        number = rooms.index(options.plan_rooms[0])
        kept, lost = len(rooms), -1  # last rooms in which plans were kept, and were not
        while lost < number < kept and state.may_continue():
            planned = self._plan(ends, rooms[number])
            if planned is None:
                return
            plan, worth = planned
            # In this room there is nothing better, or whole workers keep the plan.
            keeps = state.no_better_than_known(worth) or self._follow(plan)
            if keeps or state.no_better_than_known(worth):
                if worth >= (1 - options.plan_gap) * upper:
                    return
                kept, number = number, number - 1
            else:
                lost, number = number, number + 1
            yield

    def _follow(self, plan: Plan) -> bool:
        """Follow a plan, each time putting late jobs first; whether in the end none is late."""
        state, options = self._state, self._options
        urgency = np.ones(len(state.instance.jobs))
        for _ in range(options.again):
            followed = self._tracker.follow(plan, urgency)
            state.offer(self._schedule(followed))
            late = list(followed.lacking)
            if not 0 < len(late) <= options.many * len(plan.ends) or not state.may_continue():
                break
            urgency[late] *= options.urgent
        return not late

    def _schedule(self, followed: Followed) -> UtilitySchedule:
        """The workers as they were placed; what could not complete is inserted where it fits."""
        return repaired(
            self._state.instance,
            followed.workers,
            lambda side, slot: followed.places[side, slot],
            zero_prices(self._state.instance.cluster),
        ).schedule()

"""A schedule for given deadlines, and a bound on all schedules that keep them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from models.utility.formulations.schedules import without_idle
from models.utility.schedule import UtilitySchedule
from solvers.highs.engine import HighsError
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.prove import with_whole_workers
from solvers.utility.deadlines.relax_and_fix import Placed, improve, relax_and_fix
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

    def complete(
        self, ends: Mapping[int, int], upper: float | None, is_outdated: Callable[[], bool]
    ) -> Iterator[float]:
        """Look for a schedule with given deadlines, step by step.

        Between two steps the state may change: each begins with what is known by then.

        Parameters
        ----------
        ends : dict of int to int
            Last slots of the jobs that are to complete.
        upper : float, optional
            The bound of :meth:`find_cuts` for them, if it has been asked already.
        is_outdated : callable
            Whether better deadlines are known by now: then no plan but the first is begun.

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
        for _ in self._follow_plans(ends, upper, is_outdated):
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

    def _follow_plans(
        self, ends: Mapping[int, int], upper: float, is_outdated: Callable[[], bool]
    ) -> Iterator[None]:
        """Look for whole workers, in one way after the other."""
        state = self._state
        for number, (block, room) in enumerate(self._options.plans):
            if not self._hopes(upper) or (number and is_outdated()):
                return
            program = self._plan(ends, room)
            if program is None:
                continue
            found = self._schedule((yield from relax_and_fix(state, program, block)))
            state.offer(found)
            yield
            if self._options.improving > 0 and self._hopes(upper):
                yield from self._improve(program, found)

    def _improve(self, program: PlanProgram, found: UtilitySchedule) -> Iterator[None]:
        """Look for something better, starting from a schedule found or the best one known."""
        state, totals = self._state, self._state.totals
        point = totals.point(without_idle(state.instance, found))
        better = yield from improve(state, program, (point, state.best_point(totals)))
        if better is not None:
            state.offer(self._schedule(better))

    def _plan(self, ends: Mapping[int, int], room: float) -> PlanProgram | None:
        """A plan in fractions, if there is one that is better than the best schedule known."""
        state, totals = self._state, self._state.totals
        try:
            program = PlanProgram(state, ends, room, early=True)
            self._add_cuts(program)
        except HighsError:
            return None
        state.add_near([totals.loads(program.x, side) / room for side in SIDES])
        return None if state.no_better_than_known(totals.worth(program.x)) else program

    def _schedule(self, placed: Placed) -> UtilitySchedule:
        """The workers as they were placed; what could not complete is inserted where it fits."""
        return repaired(
            self._state.instance,
            placed.workers,
            lambda side, slot: placed.places[side, slot],
            zero_prices(self._state.instance.cluster),
        ).schedule()

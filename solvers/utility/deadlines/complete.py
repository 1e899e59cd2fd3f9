"""A schedule for given deadlines, and a bound on all schedules that keep them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from solvers.highs.engine import HighsError
from solvers.highs.growing import Infeasible
from solvers.result import HIGHS_ROUND_OFF
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.prove import with_whole_workers
from solvers.utility.deadlines.relax_and_fix import keep_deadlines, relax_and_fix, schedule_of
from solvers.utility.deadlines.state import DeadlineState, Steps, bound_of
from solvers.utility.totals_program import SIDES, WHOLE_ROOM, Room

__all__ = ["bound_with_cuts", "complete"]


def complete(
    state: DeadlineState,
    ends: Mapping[int, int],
    upper: float,
    rooms: Sequence[Room],
    is_outdated: Callable[[], bool],
) -> Steps[float]:
    """Look for a schedule with given deadlines, in one room after the other, step by step.

    Parameters
    ----------
    state : DeadlineState
    ends : dict of int to int
        Last slots of the jobs that are to complete.
    upper : float
        The bound of :func:`bound_with_cuts` for them, or infinity.
    rooms : sequence of pair of float
        Shares of the capacities (:class:`DeadlineOptions`); a plan is made with each in turn.
    is_outdated : callable
        Whether better deadlines are known by now: then no plan but the first is begun.

    Returns
    -------
    float
        An upper bound on all schedules with these deadlines, later ones or those of fewer jobs.
    """
    yield
    if state.may_prove and _hopes(state, upper):
        upper = min(upper, with_whole_workers(state, ends))
        yield
    for number, room in enumerate(rooms):
        if not _hopes(state, upper) or (number and is_outdated()):
            break
        program = _plan(state, ends, room)
        if program is None or not keep_deadlines(state, program):
            continue
        # The cuts that whole deadlines violate serve later choices, even if this plan is given up.
        program.add_new_cuts()
        _add_near(state, program, room)
        yield
        if not state.is_promising(state.totals.worth(program.x)):
            continue
        placed = yield from relax_and_fix(state, program)
        state.offer_and_polish(schedule_of(state, placed))
        yield
    return upper


def bound_with_cuts(state: DeadlineState, ends: Mapping[int, int]) -> float:
    """An upper bound on all schedules with these deadlines; the cuts found for it are kept.

    It is minus infinity if all of them are excluded.
    """
    upper = math.inf
    try:
        program = PlanProgram(state, ends, WHOLE_ROOM)
        for _ in range(state.options.cut_points):
            _add_cuts(state, program)
            upper = min(upper, program.objective)
            whole_at = state.totals.whole_at(program.x, HIGHS_ROUND_OFF)
            if not state.may_prove or whole_at or not _hopes(state, upper):
                break
            limits = state.budget.limits(program.program, state.options.completing)
            result = state.solve(program.program, limits)
            upper = min(upper, bound_of(result))
            if result.x is None or not _hopes(state, upper):
                break
            program.move_to(result.x)
            if not program.add_new_cuts():
                break
        _add_near(state, program, WHOLE_ROOM)
    except Infeasible:  # all schedules with these deadlines are excluded
        return -math.inf
    except HighsError as error:  # the bound so far is valid
        state.known.note_error(error)
    return upper


def _add_near(state: DeadlineState, program: PlanProgram, room: Room) -> None:
    """Add cuts as rows to the program on the grid, where the loads of a plan come near to them."""
    state.add_near([state.totals.loads(program.x, side) / room[side] for side in SIDES])


def _hopes(state: DeadlineState, upper: float) -> bool:
    return not state.no_better_than_known(upper) and state.may_continue()


def _add_cuts(state: DeadlineState, program: PlanProgram) -> None:
    """Solve a linear program again until its loads violate no cut that can be found.

    The last point violates some where no more work may be done.

    Raises
    ------
    HighsError
        If HiGHS fails or runs out of time.
    """
    program.solve()
    for _ in range(state.options.cut_rounds):
        if state.budget.is_over() or not (program.add_known_cuts() or program.add_new_cuts()):
            return
        program.solve()


def _plan(state: DeadlineState, ends: Mapping[int, int], room: Room) -> PlanProgram | None:
    """A plan in fractions, if one is allowed that is better than the best schedule known."""
    totals = state.totals
    try:
        program = PlanProgram(state, ends, room)
        _add_cuts(state, program)
    except Infeasible:
        return None
    except HighsError as error:
        state.known.note_error(error)
        return None
    _add_near(state, program, room)
    return None if state.no_better_than_known(totals.worth(program.x)) else program

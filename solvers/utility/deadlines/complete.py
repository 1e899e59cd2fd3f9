"""A schedule for given deadlines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from models.utility.schedule import UtilitySchedule
from models.utility.score import score
from solvers.highs.engine import HighsError
from solvers.highs.growing import Infeasible
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.prove import with_whole_workers
from solvers.utility.deadlines.relax_and_fix import (
    Placed,
    keep_deadlines,
    relax_and_fix,
    rounded,
    schedule_of,
)
from solvers.utility.deadlines.state import DeadlineState, Steps

__all__ = ["complete"]


def complete(
    state: DeadlineState,
    ends: Mapping[int, int],
    upper: float,
    rooms: Sequence[float],
    is_outdated: Callable[[], bool],
) -> Steps[float]:
    """Look for a schedule with given deadlines, in one room after the other, step by step.

    Parameters
    ----------
    state : DeadlineState
    ends : dict of int to int
        Last slots of the jobs that are to complete.
    upper : float
        A bound on what they are worth (``prove.bound_with_cuts``), or infinity.
    rooms : sequence of float
        Shares of the capacities (:class:`DeadlineOptions`); a plan is made with each in turn. If it
        is ``options.rounding``, no slot of the plan is decided by itself.
    is_outdated : callable
        Whether better deadlines are known by now: then no plan but the first is begun.

    Returns
    -------
    float
        An upper bound on all schedules with these deadlines, later ones or those of fewer jobs,
        that are not forbidden and beat the best one known; minus infinity if there are none.
    """
    yield
    if state.may_prove and state.may_improve(upper):
        upper = min(upper, with_whole_workers(state, ends))
        yield
    for number, room in enumerate(rooms):
        if not state.may_improve(upper) or (number and is_outdated()):
            break
        program = _plan(state, ends, room)
        if program is None or not keep_deadlines(state, program):
            continue
        # The cuts that whole deadlines violate serve later choices, even if this plan is given up.
        program.add_new_cuts()
        program.add_near_to_grid()
        yield
        if not state.is_promising(state.totals.worth(program.x)):
            continue
        placed: Placed = {}
        if room > state.options.rounding:
            placed = yield from relax_and_fix(state, program)
        state.offer_and_polish(_made(state, program, placed), state.totals.worth(program.x))
        yield
    return upper


def _made(state: DeadlineState, program: PlanProgram, placed: Placed) -> UtilitySchedule:
    """The schedule of a plan.

    Slots may be undecided because the plan was cut off, because nothing was found for one, or
    because the plan is only to be rounded. Then this is the better of two schedules: one with these
    slots rounded, and one with what fits in beside the decided slots. If the plan was given up, or
    no time is left, nothing is rounded.
    """
    made = schedule_of(state, placed)
    decided = program.next_slot == state.totals.grid.slots
    promising = state.is_promising(state.totals.worth(program.x))
    if decided or not promising or state.known.seconds_left <= 0:
        return made
    whole = schedule_of(state, rounded(state, program, placed))
    return max(made, whole, key=lambda schedule: score(state.instance, schedule).objective)


def _plan(state: DeadlineState, ends: Mapping[int, int], room: float) -> PlanProgram | None:
    """A plan in fractions, if one is allowed that is better than the best schedule known."""
    totals = state.totals
    try:
        program = PlanProgram(state, ends, room)
        program.solve_with_cuts()
    except Infeasible:
        return None
    except HighsError as error:
        state.known.note_error(error)
        return None
    program.add_near_to_grid()
    return None if state.no_better_than_known(totals.worth(program.x)) else program

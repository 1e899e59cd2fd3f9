"""Whole workers on real servers for given deadlines, slot by slot: relax and fix.

A program decides the workers of a slot as whole numbers and those of the slots after it in
fractions, with packing cuts. Then the servers take them. What they cannot hold is known when the
next slot is decided: later slots make up for it, or the job that costs least is late or given up.

References
----------
Y. Pochet and L. A. Wolsey. Production Planning by Mixed Integer Programming. Springer, 2006,
section 3.6.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from models.utility.schedule import UtilitySchedule
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.slot_decision import SlotDecision
from solvers.utility.deadlines.state import DeadlineState, Steps
from solvers.utility.occupancy import repaired, served
from solvers.utility.oracle import zero_prices
from solvers.utility.totals_program import SIDES

__all__ = ["Placed", "keep_deadlines", "relax_and_fix", "rounded", "schedule_of"]

Held = list[np.ndarray]
"""What the servers hold of both sides: whole workers, shape (S, I) each."""
Placed = Mapping[int, Held]
"""What the servers hold, by slot."""


def relax_and_fix(state: DeadlineState, program: PlanProgram) -> Steps[Placed]:
    """Decide and place the workers of one slot after the other, step by step.

    Parameters
    ----------
    state : DeadlineState
        Places loads, and takes over the cuts that they violate.
    program : PlanProgram
        Its deadlines are whole (:func:`keep_deadlines`); it is used up.
    """
    placed: dict[int, Held] = {}
    while program.next_slot < state.totals.grid.slots and state.totals.worth(program.x) > 0:
        program.add_new_cuts(program.next_slot + 1 + state.options.ahead)
        held = yield from _decide(state, program)
        if held is None:
            break
        placed[program.next_slot] = held
        program.fix(_load(state, _served(state, held)))
        promising = state.is_promising(state.totals.worth(program.x))
        if not promising or state.budget.is_over(state.options.finishing):
            break
        yield
    return placed


def rounded(state: DeadlineState, program: PlanProgram, placed: Placed) -> Placed:
    """What is placed already, and the slots that are not decided, with the plan rounded.

    The sums up to each slot are rounded. What a job falls short of these, because of its largest
    number of workers or since a decided slot did not hold all of them, is made up in later slots;
    rounded workers that the servers do not hold are not made up for.

    Parameters
    ----------
    state : DeadlineState
    program : PlanProgram
    placed : Placed
        All slots that are decided.
    """
    due = np.floor(state.totals.loads(program.x, 0).cumsum(axis=0) + 0.5).astype(np.int64)
    most, done = np.zeros((2, due.shape[1]), dtype=np.int64)
    for i, limits in state.totals.limits.items():
        most[i] = limits.most
    for held in placed.values():
        done += _served(state, held)
    found = dict(placed)
    for slot in range(program.next_slot, len(due)):
        workers = np.clip(due[slot] - done, 0, most)
        done += workers
        if workers.any():
            load = _load(state, workers)
            found[slot] = [state.known.place(side, load[side]).counts for side in SIDES]
    return found


def keep_deadlines(state: DeadlineState, program: PlanProgram) -> bool:
    """Decide which jobs keep their deadlines, all workers in fractions; whether that was done.

    Only for deadlines that the plan meets in parts: all others, for nine jobs of ten, stay.
    """
    whole = program.whole_at(program.x)
    if whole[program.deadlines].all():
        return True
    window = program.window(program.deadlines & whole, decides=False)
    options = state.options
    limits = state.budget.limits(window.program, options.completing, options.keep_gap)
    result = state.solve(window.program, limits)
    if result.x is not None:
        program.x = program.decided(window, result.x)
    return result.x is not None


def _decide(state: DeadlineState, program: PlanProgram) -> Steps[Held | None]:
    """Decide the next slot and place it, and again if the servers do not hold all of that.

    What was placed last counts. None if the first try finds nothing.
    """
    held: Held | None = None
    for _ in range(state.options.slot_tries):
        point = SlotDecision(state, program).point()
        if point is None:
            break
        program.x = point
        held, complete = _place(state, program)
        if complete:
            break
        program.add_known_cuts()
        yield
        if state.budget.is_over():
            break
    return held


def _place(state: DeadlineState, program: PlanProgram) -> tuple[Held, bool]:
    """Place what the next slot was given, of both sides; whether all of it fits.

    What does not is cut off: by a packing cut or, in this program alone, by its size. The latter
    also where the cut is violated by too little to become a row.
    """
    load = _load(
        state, np.round(state.totals.loads(program.x, 0)[program.next_slot]).astype(np.int64)
    )
    placings = [state.known.place(side, load[side]) for side in SIDES]
    for side in SIDES:
        if placings[side].complete:
            continue
        cut, least = placings[side].cut, 1 + state.options.least_violation
        if cut is not None:
            state.cuts.add(side, cut)
        if cut is None or cut.weight @ load[side] <= least * cut.capacity:
            held = placings[side].counts.sum(axis=0)
            program.hold(side, state.known.size(side), held)
    return [placing.counts for placing in placings], all(placing.complete for placing in placings)


def schedule_of(state: DeadlineState, placed: Placed) -> UtilitySchedule:
    """The workers as they were placed; what could not complete is inserted where it fits."""
    workers = np.zeros((state.totals.grid.slots, len(state.instance.jobs)), dtype=np.int64)
    for slot, held in placed.items():
        workers[slot] = held[0].sum(axis=0)
    prices = zero_prices(state.instance.cluster)
    return repaired(
        state.instance, workers, lambda side, slot: placed[slot][side], prices
    ).schedule()


def _load(state: DeadlineState, workers: np.ndarray) -> np.ndarray:
    """Workers and the parameter servers they need, shape (2, I)."""
    needed = [job.ps_needed(int(n)) for job, n in zip(state.instance.jobs, workers, strict=True)]
    return np.array([workers, needed], dtype=np.int64).reshape(2, -1)


def _served(state: DeadlineState, held: Held) -> np.ndarray:
    """Placed workers, as many as have their parameter servers, shape (I,)."""
    workers, ps = (counts.sum(axis=0) for counts in held)
    for i in np.flatnonzero(workers).tolist():
        workers[i] = served(state.instance.jobs[i], int(workers[i]), int(ps[i]))
    return workers

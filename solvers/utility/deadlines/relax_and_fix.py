"""Whole workers on real servers for given deadlines, block by block: relax and fix.

A program decides the workers of a few slots as whole numbers and those of the slots after them in
fractions, with packing cuts. Then the servers take them. What they cannot hold is known when the
next block is decided: later slots make up for it, or the job that costs least is late or given up.

References
----------
Y. Pochet and L. A. Wolsey. Production Planning by Mixed Integer Programming. Springer, 2006,
section 3.6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from models.utility.schedule import UtilitySchedule
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.state import DeadlineState, Steps, bound_of
from solvers.utility.occupancy import repaired
from solvers.utility.oracle import zero_prices
from solvers.utility.sparse_rows import NEVER
from solvers.utility.totals_program import SIDES

__all__ = ["Placed", "keep_deadlines", "relax_and_fix", "schedule_of"]

Placed = Mapping[int, list[np.ndarray]]
"""By slot, what the servers hold of both sides: whole workers, shape (S, I) each."""


def relax_and_fix(state: DeadlineState, program: PlanProgram, block: int) -> Steps[Placed]:
    """Decide and place the workers of one block of slots after the other, step by step.

    Parameters
    ----------
    state : DeadlineState
        Places loads, and takes over the cuts that they violate.
    program : PlanProgram
        Its deadlines are whole (:func:`keep_deadlines`); it is used up.
    block : int
        Slots that are decided together; the last block may be shorter.
    """
    slots = state.totals.grid.slots
    held: dict[int, list[np.ndarray]] = {}
    first, number = 0, block
    while first < slots and state.totals.worth(program.x) > 0:
        last = min(first + number, slots) - 1
        program.learn(last + 1 + state.options.ahead)
        before = program.x
        decided = yield from _decide(state, program, (first, last))
        if decided is None and last > first and not state.is_over():
            program.x, number = before, (last - first + 1) // 2
            continue
        if decided is None:
            break
        held.update(decided)
        for slot, here in decided.items():
            program.fix(slot, _load(state, _served(state, here)))
        first, number = last + 1, min(2 * number, block)
        if not state.is_promising(state.totals.worth(program.x)) or state.is_over():
            break
        yield
    return held


def keep_deadlines(state: DeadlineState, program: PlanProgram) -> bool:
    """Decide which jobs keep their deadlines, all workers in fractions; whether that was done.

    Only for deadlines that the plan meets in parts: all others, for nine jobs of ten, stay.
    """
    if program.whole[program.deadlines].all():
        return True
    window = program.window(0, NEVER, program.deadlines & program.whole)
    options = state.options
    limits = state.limits(window.program, options.completing, options.keep_gap)
    result = state.solve(window.program, limits)
    if result.x is not None:
        program.x = program.decided(window, result.x)
    return result.x is not None


def _decide(
    state: DeadlineState, program: PlanProgram, block: tuple[int, int]
) -> Steps[Placed | None]:
    """Decide a block of slots, given by its ends, and place it; None if it is to be made shorter.

    Nor is anything placed if nothing is found for a single slot.
    """
    held: Placed | None = None
    for _ in range(state.options.block_tries):
        missing = _solve(state, program, block)
        if _is_hard(state, block, missing):
            return None
        if missing == math.inf:
            break
        placed = {slot: _place(state, program, slot) for slot in range(block[0], block[1] + 1)}
        held = {slot: counts for slot, (counts, _) in placed.items()}
        if all(complete for _, complete in placed.values()):
            break
        program.add_broken()
        yield
        if state.is_over():
            break
    return held


def _solve(state: DeadlineState, program: PlanProgram, block: tuple[int, int]) -> float:
    """Decide a block; by how much, of the worth, there may be a better way.

    That is infinite if none is found, and at most the gap of a block where nothing was cut off.

    Jobs keep their deadlines unless something has to be given up for that, and slots far ahead stay
    as they are unless much has to be given up, or nothing is found.
    """
    (first, last), options, worth = block, state.options, state.totals.worth(program.x)
    far, most, missing, found = last + 1 + options.ahead, 0.0, math.inf, list[np.ndarray]()
    if far + options.ahead >= state.totals.grid.slots:
        far = state.totals.grid.slots  # few slots are left: none of them is far
    beyond = program.beyond(far)
    nothing = np.zeros_like(beyond)
    for stays in beyond | program.deadlines, beyond, nothing:
        enough = not beyond.any() or most >= worth * (1 - options.small_loss)
        if stays is nothing and enough:
            break
        window = program.window(first, last, stays)
        limits = state.limits(window.program, options.block, options.block_gap)
        result = state.solve(window.program, limits, in_child=False)
        if result.x is not None:
            found.append(program.decided(window, result.x))
            most = max(most, state.totals.worth(found[-1]))
        missing = (min(bound_of(result), worth) - most) / worth
        kept = most >= worth * (1 - options.block_gap)
        if kept or state.is_over() or _is_hard(state, block, missing):
            break
    if not found:
        return math.inf
    program.x = max(found, key=state.totals.worth)
    return missing


def _is_hard(state: DeadlineState, block: tuple[int, int], missing: float) -> bool:
    """Whether a block is to be made shorter: so much may be missing that work was too little."""
    return block[1] > block[0] and missing > state.options.small_loss


def _place(state: DeadlineState, program: PlanProgram, slot: int) -> tuple[list[np.ndarray], bool]:
    """Place what a slot was given, of both sides; whether all of it fits.

    What does not is cut off: by a packing cut or, in this program alone, by its size.
    """
    load = _load(state, np.round(state.totals.loads(program.x, 0)[slot]).astype(np.int64))
    placings = [state.known.place(side, load[side]) for side in SIDES]
    for side in SIDES:
        if placings[side].complete:
            continue
        cut = placings[side].cut
        if cut is not None:
            state.cuts.know(side, cut)
        else:
            held = placings[side].counts.sum(axis=0)
            program.hold(side, slot, state.known.size(side), held)
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


def _served(state: DeadlineState, held: list[np.ndarray]) -> np.ndarray:
    """Placed workers, as many as have their parameter servers, shape (I,)."""
    workers, ps = (counts.sum(axis=0) for counts in held)
    for i in np.flatnonzero(workers).tolist():
        while state.instance.jobs[i].ps_needed(int(workers[i])) > ps[i]:
            workers[i] -= 1
    return workers

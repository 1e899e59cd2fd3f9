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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from solvers.highs.feasibility import settle
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.sparse_rows import NEVER
from solvers.utility.totals_program import SIDES

__all__ = ["Placed", "improve", "keep_deadlines", "relax_and_fix"]

_MANY = 20  # slots of a block from which a child process keeps its time limit


Placed = Mapping[int, list[np.ndarray]]
"""By slot, what the servers hold of both sides: whole workers, shape (S, I) each."""


def relax_and_fix(state: DeadlineState, program: PlanProgram, block: int) -> Placed:
    """Decide and place the workers of one block of slots after the other.

    Parameters
    ----------
    state : DeadlineState
        Places loads, and takes over the cuts that they violate.
    program : PlanProgram
        Solved as a linear program; it is used up.
    block : int
        Slots that are decided together; the last block may be shorter.
    """
    slots, until = state.totals.grid.slots, state.spent + state.options.follow * state.work
    held: dict[int, list[np.ndarray]] = {}
    kept = keep_deadlines(state, program)
    if not kept or state.no_better_than_known(state.totals.worth(program.x)):
        return held
    for first in range(0, slots, block):
        ends = first, min(first + block, slots) - 1
        program.learn(ends[1] + 1 + state.options.ahead)
        decided = _decide(state, program, ends, state.options.block)
        if decided is None:
            break
        held.update(decided)
        for slot, here in decided.items():
            program.fix(slot, _load(state, _served(state, here)))
        hopeless = state.no_better_than_known(state.totals.worth(program.x))
        if hopeless or state.spent >= until or state.is_over():
            break
        state.pause()
    return held


def keep_deadlines(state: DeadlineState, program: PlanProgram) -> bool:
    """Decide which jobs keep their deadlines, all workers in fractions; whether that was done.

    Only for deadlines that the plan meets in parts: all others, for nine jobs of ten, stay.
    """
    if program.whole[program.deadlines].all():
        return True
    window = program.window(0, NEVER, program.deadlines & program.whole)
    limits = state.limits(window.program, state.options.block)
    result = state.solve(window.program, replace(limits, mip_rel_gap=state.options.keep_gap))
    if result.x is not None:
        program.x = program.decided(window, result.x)
    return result.x is not None


def improve(
    state: DeadlineState, program: PlanProgram, points: Iterable[np.ndarray]
) -> Placed | None:
    """Decide all slots together, starting from the best of some points; None if that fails.

    Loads that the servers cannot hold are few then, and are mended where they are: only slots near
    them are decided again, each time more of them.
    """
    program.reopen()
    block, starts = (0, state.totals.grid.slots - 1), [program.allowed(point) for point in points]
    return _decide(state, program, block, state.options.improving, starts)


def _decide(
    state: DeadlineState,
    program: PlanProgram,
    block: tuple[int, int],
    share: float,
    starts: Sequence[np.ndarray] = (),
) -> Placed | None:
    """Decide a block of slots, given by its ends, and place it; None if nothing is found in time.

    Each solve may take a share of all work.
    """
    first, last = block
    held: Placed | None = None
    slots = np.arange(state.totals.grid.slots)
    settled, near = np.zeros(len(slots), dtype=bool), 2
    for _ in range(state.options.block_tries):
        if not _solve(state, program, block, settled, share, starts):
            break
        held, lost = {}, []
        for slot in range(first, last + 1):
            held[slot], complete = _place(state, program, slot)
            lost += [] if complete else [slot]
        if not lost:
            break
        program.add_broken()
        away = np.abs(slots[:, None] - np.array(lost)).min(axis=1)
        settled, starts = (first <= slots) & (slots <= last) & (away > near), ()
        near *= 2
        state.pause()
        if state.is_over():
            break
    return held


def _solve(
    state: DeadlineState,
    program: PlanProgram,
    block: tuple[int, int],
    settled: np.ndarray,
    share: float,
    starts: Sequence[np.ndarray],
) -> bool:
    """Decide some slots but those settled; whether a solution was found in time.

    Jobs keep their deadlines unless something has to be given up for that, and slots far ahead stay
    as they are unless much has to be given up, or nothing is found.
    """
    (first, last), options, worth = block, state.options, state.totals.worth(program.x)
    stay, found = program.counts_in(settled), list[np.ndarray]()
    near, most = stay | program.beyond(last + 1 + options.ahead), 0.0
    for stays in [stay] if starts else [near | program.deadlines, near, stay]:
        enough = (near == stay).all() or most >= worth * (1 - options.given_up)
        if stays is stay and enough and not starts:
            break
        window = program.window(first, last, stays)
        limits = replace(state.limits(window.program, share), mip_rel_gap=options.block_gap)
        allowed = [settle(window.program, program.without(window, start))[0] for start in starts]
        known = [point for point in allowed if point is not None]
        start = max(known, key=window.program.objective, default=None)
        result = state.solve(window.program, limits, start, in_child=last - first >= _MANY)
        if result.x is not None:
            found.append(program.decided(window, result.x))
            most = max(most, state.totals.worth(found[-1]))
            if most >= worth * (1 - options.block_gap):
                break
        if state.is_over():
            break
    if found:
        program.x = max(found, key=state.totals.worth)
    return bool(found)


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

"""Whole workers on real servers for given deadlines, block by block: relax and fix.

A program decides the workers of a few slots as whole numbers and those of all later slots in
fractions, with packing cuts. Then the servers take them. What they cannot hold is known when the
next block is decided: later slots make up for it, or the job that costs least is late or given up.

References
----------
Y. Pochet and L. A. Wolsey. Production Planning by Mixed Integer Programming. Springer, 2006,
section 3.6.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from solvers.highs.feasibility import settle
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.search_state import ROUND_OFF
from solvers.utility.totals_program import SIDES

__all__ = ["Placed", "improve", "relax_and_fix"]

_MANY = 20  # slots of a block from which a child process keeps its time limit


class Placed(NamedTuple):
    """Whole workers on real servers.

    Parameters
    ----------
    workers : ndarray of int64, shape (T, I)
        Workers that have their parameter servers.
    places : dict of (int, int) to ndarray of int64, shape (S, I)
        By side and slot, what the servers hold: at least these workers.
    """

    workers: np.ndarray
    places: Mapping[tuple[int, int], np.ndarray]


_Decided = Mapping[int, list[np.ndarray]]
"""By slot, what the servers hold, of both sides, shape (S, I) each."""


def relax_and_fix(
    state: DeadlineState, program: PlanProgram, block: int
) -> Generator[None, None, Placed]:
    """Decide and place the workers of one block of slots after the other.

    Between two blocks the caller may do something else, until time or work is up.

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
    for first in range(0, slots, block):
        if not program.learn():
            program.add_broken()
        ends = first, min(first + block, slots) - 1
        decided = yield from _decide(state, program, ends, state.options.block)
        if decided is None:
            break
        held.update(decided)
        for slot, here in decided.items():
            program.fix(slot, _load(state, _served(state, here)))
        hopeless = state.no_better_than_known(state.totals.worth(program.x))
        if hopeless or state.spent >= until or state.is_over:
            break
        yield
    return _placed(state, held)


def improve(
    state: DeadlineState, program: PlanProgram, points: Iterable[np.ndarray]
) -> Generator[None, None, Placed | None]:
    """Decide all slots together, starting from the best of some points; None if that fails.

    Loads that the servers cannot hold are few then, and are mended where they are: only slots near
    them are decided again, each time more of them.
    """
    block, starts = (0, state.totals.grid.slots - 1), program.reopen(points)
    decided = yield from _decide(state, program, block, state.options.improving, starts)
    return None if decided is None else _placed(state, decided)


def _placed(state: DeadlineState, decided: _Decided) -> Placed:
    workers = np.zeros((state.totals.grid.slots, len(state.instance.jobs)), dtype=np.int64)
    for slot, held in decided.items():
        workers[slot] = _served(state, held)
    places = {(side, slot): held[side] for slot, held in decided.items() for side in SIDES}
    return Placed(workers, places)


def _decide(
    state: DeadlineState,
    program: PlanProgram,
    block: tuple[int, int],
    share: float,
    starts: Sequence[np.ndarray] = (),
) -> Generator[None, None, _Decided | None]:
    """Decide a block of slots, given by its ends, and place it; None if nothing is found in time.

    Each solve may take a share of all work. Between two tries the caller may do something else.
    """
    first, last = block
    held: _Decided | None = None
    slots = np.arange(state.totals.grid.slots)
    settled, near = np.zeros(len(slots), dtype=bool), 2
    for _ in range(state.options.block_tries):
        if not _solve(state, program, block, settled, share, starts):
            break
        held, lost = {}, []
        for slot in range(first, last + 1):
            chosen = np.round(state.totals.loads(program.x, 0)[slot]).astype(np.int64)
            load = _load(state, chosen)
            placings = [state.known.place(side, load[side]) for side in SIDES]
            held[slot] = [placing.counts for placing in placings]
            for side in SIDES:
                if not placings[side].complete:
                    lost.append(slot)
                    _cut_off(state, program, side, slot, load[side], held[slot][side])
        if not lost:
            break
        program.add_broken()
        away = np.abs(slots[:, None] - np.array(lost)).min(axis=1)
        settled, starts = (first <= slots) & (slots <= last) & (away > near), ()
        near *= 2
        yield
        if state.is_over:
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

    Jobs keep their deadlines, and slots far ahead stay as they are, unless something has to be
    given up for that, or nothing is found.
    """
    (first, last), options, worth = block, state.options, state.totals.worth(program.x)
    until, stay = last + 1 + options.ahead, program.counts_in(settled)
    tries, found = [stay], list[np.ndarray]()
    if not starts and state.totals.whole_at(program.x, ROUND_OFF):
        tries.insert(0, stay | program.deadlines)
        if until < state.totals.grid.slots:
            tries.insert(1, stay | program.beyond(until))
    for stays in tries:
        window = program.window(first, last, stays)
        limits = replace(state.limits(window.program, share), mip_rel_gap=options.block_gap)
        allowed = [settle(window.program, program.without(window, start))[0] for start in starts]
        known = [point for point in allowed if point is not None]
        start = max(known, key=window.program.objective, default=None)
        result = state.solve(window.program, limits, start, in_child=last - first >= _MANY)
        if result.x is not None:
            found.append(program.decided(window, result.x))
            if state.totals.worth(found[-1]) >= worth * (1 - options.block_gap):
                break
        if state.is_over:
            break
    if found:
        program.x = max(found, key=state.totals.worth)
    return bool(found)


def _cut_off(
    state: DeadlineState,
    program: PlanProgram,
    side: int,
    slot: int,
    load: np.ndarray,
    held: np.ndarray,
) -> None:
    """Cut off a load that was not placed: by a packing cut or, in this program, by its size."""
    cut = state.known.cut(side, load.astype(float))
    if cut is not None:
        state.cuts.know(side, cut)
    else:
        program.hold(side, slot, state.known.size(side), held.sum(axis=0))


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

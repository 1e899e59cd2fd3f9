"""External placement as in the paper: the relaxation, scaled and rounded at random (Alg. 4).

The relaxation is solved for up to 20 numbers of workers, from few to many. Each solution
is scaled by ``G_delta`` and rounded up to S times, and the cheapest feasible placement is kept. If
there is none, the solution is rounded down and filled up from the cheapest machines. If there is no
room for that either, or no formula for ``G_delta`` applies, the greedy placement is taken. (As
printed, Alg. 4 would go on rounding for ever.)

Of what is more than needed, the dearest is dropped. So one placement serves all smaller numbers,
and those that no program is solved for take the next larger one's.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from models.colocated.cluster import Job
from solvers.colocated.kernels import fill_up
from solvers.colocated.placement import (
    Counts,
    Place,
    Slot,
    SlotOptions,
    cheapest_counts,
    cumulative_cost,
    slot_of,
)
from solvers.colocated.placement_greedy import greedy_costs
from solvers.colocated.placement_program import (
    Gain,
    PlacementProgram,
    keeps_packing,
    round_at_random,
    round_down,
)

__all__ = ["RoundingPlacement"]

_PROGRAMS = 20  # most linear programs in a slot


class RoundingPlacement:
    """Randomised rounding; the same generator state gives the same placements.

    Numbers of workers for which the greedy order finds no room are tried only as parts of larger
    ones.

    Parameters
    ----------
    rng : Generator
    gain : float, "packing" or "covering"
        ``G_delta``, a number or computed from delta: :mod:`solvers.colocated.rounding_factor`.
    delta : float
        In (0, 1].
    tries : int
        S.

    Attributes
    ----------
    record : Counter of str
        Linear programs by how their solutions were placed: ``"rounded"``, one of the tries was
        feasible; ``"repaired"``, rounded down and filled up; greedily, as there was no room for
        that (``"greedy"``) or no formula for ``G_delta`` (``"no gain"``).
    """

    def __init__(
        self,
        rng: np.random.Generator,
        *,
        gain: Gain = 1.0,
        delta: float = 0.5,
        tries: int = 20,
    ) -> None:
        if not 0.0 < delta <= 1.0:
            raise ValueError(f"delta = {delta} is not in (0, 1]")
        if tries < 1:
            raise ValueError("at least one try is needed")
        self._rng = rng
        self._gain, self._delta = gain, delta
        self._tries = tries
        self.record: Counter[str] = Counter()

    def options(self, job: Job, price: np.ndarray, free: np.ndarray, most: int) -> SlotOptions:
        """Options of a job in a slot, see :class:`solvers.colocated.placement.Placement`."""
        slot = slot_of(job, price, free, most)
        greedy_cost, greedy = greedy_costs(slot)
        numbers = np.flatnonzero(np.isfinite(greedy_cost))[1:]
        cost = np.full(len(greedy_cost), np.inf)
        cost[0] = 0.0
        if len(numbers) == 0:
            return SlotOptions.of(slot, cost, greedy)
        program = PlacementProgram(job, slot, free)
        spread = np.linspace(0, len(numbers) - 1, min(_PROGRAMS, len(numbers))).round()
        placed: dict[int, Counts] = {}
        last = 0
        for workers in numbers[spread.astype(np.int64)].tolist():
            found = self._place(job, slot, program, workers, greedy)
            placed |= dict.fromkeys(range(last + 1, workers + 1), found)
            served = np.arange(last + 1, workers + 1)
            cost[served] = cumulative_cost(found[0], slot.worker_cost)[served]
            cost[served] += cumulative_cost(found[1], slot.ps_cost)[slot.ps_needed[served]]
            last = workers
        return SlotOptions.of(
            slot, cost, lambda slot, workers: _reduced(slot, placed[workers], workers)
        )

    def _place(
        self, job: Job, slot: Slot, program: PlacementProgram, workers: int, greedy: Place
    ) -> Counts:
        """Placement of at least so many workers and their parameter servers."""
        gain = program.gain(self._gain, self._delta, workers)
        if gain is None:
            self.record["no gain"] += 1
            return greedy(slot, workers)
        need = np.array([workers, slot.ps_needed[workers]])
        x = program.solve(workers)
        tried = round_at_random(gain * x, self._tries, self._rng)
        feasible = keeps_packing(job, slot, tried) & (tried.sum(axis=2) >= need).all(axis=1)
        if feasible.any():
            self.record["rounded"] += 1
            cost = tried[:, 0] @ slot.worker_cost + tried[:, 1] @ slot.ps_cost
            best = tried[int(np.where(feasible, cost, np.inf).argmin())]
            return best[0], best[1]
        floor = round_down(x)
        down = _reduced(slot, (floor[0], floor[1]), workers)
        order = np.argsort(slot.worker_cost, kind="stable")
        ps_order = np.argsort(slot.ps_cost, kind="stable")
        for ps_first in (True, False):
            found = np.array(down)
            full = fill_up(
                found[0], found[1], order, ps_order, slot.room, need[0], need[1], ps_first
            )
            # The relaxation is solved up to tolerances: what is rounded down may not fit.
            if full and keeps_packing(job, slot, found[None])[0]:
                self.record["repaired"] += 1
                return found[0], found[1]
        self.record["greedy"] += 1
        return greedy(slot, workers)


def _reduced(slot: Slot, counts: Counts, workers: int) -> Counts:
    """A placement without what is more than needed for so many workers, the dearest first."""
    ps = int(slot.ps_needed[workers])
    return (
        cheapest_counts(counts[0], slot.worker_cost, workers),
        cheapest_counts(counts[1], slot.ps_cost, ps),
    )

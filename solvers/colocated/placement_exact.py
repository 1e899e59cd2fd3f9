"""External placement at least cost: one dynamic programme over machines for all numbers of workers.

The state is how many workers and parameter servers the machines so far hold; (23)-(26) of every
right-hand side are read off at the end. Where the greedy order is as cheap as if neither side were
in the other's way, it is optimal, and the programme need not go that far.
"""

from __future__ import annotations

import numpy as np

from models.colocated.cluster import Job
from models.errors import InputError
from solvers.colocated.kernels import pack_machines, packed_on
from solvers.colocated.placement import (
    Counts,
    Slot,
    SlotOptions,
    cheapest_counts,
    cumulative_cost,
    slot_of,
)
from solvers.colocated.placement_greedy import greedy_costs

__all__ = ["ExactPlacement"]

_SAME = 1e-12  # relative; sums of the same costs in another order
_MOST_STEPS = 2 * 10**9  # of the programme: a few seconds
_MOST_ENTRIES = 5 * 10**7  # of its tables, 8 bytes each


class ExactPlacement:
    """The reference: time O(H W S (a + b)), with up to a workers and b PSs on a machine.

    A table has 8 W S bytes, and finding the way back takes H + 1 of them.
    W and S are the most workers and parameter servers for which the greedy order is not enough.
    """

    def options(self, job: Job, price: np.ndarray, free: np.ndarray, most: int) -> SlotOptions:
        """Options of a job in a slot, see :class:`solvers.colocated.placement.Placement`.

        Raises InputError where that would take minutes or gigabytes: where workers need very many
        parameter servers each.
        """
        slot = slot_of(job, price, free, most)
        cost, greedy = greedy_costs(slot)
        least = _least_cost(slot)
        open_ = np.flatnonzero((cost > least * (1.0 + _SAME)) & np.isfinite(least))
        if len(open_):
            last = _pack(slot, int(open_[-1]), keep=False)[0][-1]
            open_ = open_[slot.ps_needed[open_] < len(last)]
            cost[open_] = last[slot.ps_needed[open_], open_]
        packed = set(open_.tolist())

        def place(slot: Slot, workers: int) -> Counts:
            return (_place if workers in packed else greedy)(slot, workers)

        return SlotOptions.of(slot, cost, place)


def _least_cost(slot: Slot) -> np.ndarray:
    """Cost of 0, 1, ... workers if they and the parameter servers were on machines of their own."""
    total = np.zeros(len(slot.ps_needed))
    sides = (
        (slot.worker_cost, (slot.room >= 0).sum(axis=1) - 1, np.arange(len(total))),
        (slot.ps_cost, slot.room[:, 0], slot.ps_needed),
    )
    for price, room, counts in sides:
        sums = cumulative_cost(cheapest_counts(room, price, counts[-1]), price)
        fits = counts < len(sums)
        total[fits] += sums[counts[fits]]
        total[~fits] = np.inf
    return total


def _pack(slot: Slot, most: int, *, keep: bool) -> tuple[np.ndarray, np.ndarray]:
    """Tables (stage, parameter servers, workers) of the kernel, and the machines of the stages."""
    room = slot.room
    fitting = (room >= 0).sum(axis=1) - 1
    machines = np.flatnonzero((room[:, 0] > 0) | (fitting > 0))
    # Few on the first machines: the states to look at grow with what fits.
    order = np.argsort(fitting[machines] + room[machines, 0], kind="stable")
    machines = machines[order]
    most_ps = min(int(slot.ps_needed[most]), int(room[machines, 0].sum()))
    states = (most + 1) * (most_ps + 1)
    steps = int(np.minimum(fitting[machines] + room[machines, 0], most + most_ps).sum()) * states
    if steps > _MOST_STEPS or (len(machines) + 1) * states > _MOST_ENTRIES:
        raise InputError(
            f"exact placement of {most} workers with {most_ps} parameter servers on "
            f"{len(machines)} machines takes too long: choose greedy or rounding"
        )
    tables = pack_machines(
        slot.worker_cost[machines], slot.ps_cost[machines], room[machines], most, most_ps, keep
    )
    return tables, machines


def _place(slot: Slot, workers: int) -> Counts:
    """Where they are: the programme once more, this time with all of its tables."""
    tables, machines = _pack(slot, workers, keep=True)
    found = np.zeros((2, len(slot.room)), dtype=np.int64)
    found[:, machines] = packed_on(
        tables,
        slot.worker_cost[machines],
        slot.ps_cost[machines],
        slot.room[machines],
        workers,
        slot.ps_needed[workers],
    )
    return found[0], found[1]

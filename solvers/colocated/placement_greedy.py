"""External placement by the cheapest machines with room, and on split machines.

For every number of workers two orders are tried, parameter servers first and workers first, and the
cheaper one is kept. Where both sides want the same machines, this may cost more than it must, or
find no room.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from models.colocated.cluster import Job
from solvers.colocated.kernels import fill_each, fill_up
from solvers.colocated.placement import Counts, Place, Slot, SlotOptions, slot_of

__all__ = ["GreedyPlacement", "SplitPlacement", "greedy_costs"]


class GreedyPlacement:
    """Workers and parameter servers one after the other on the cheapest machines with room."""

    def options(self, job: Job, price: np.ndarray, free: np.ndarray, most: int) -> SlotOptions:
        """Options of a job in a slot, see :class:`solvers.colocated.placement.Placement`."""
        slot = slot_of(job, price, free, most)
        return SlotOptions.of(slot, *greedy_costs(slot))


class SplitPlacement:
    """Machines that run workers only and machines that run parameter servers only, as in OASiS.

    Neither side is in the other's way, so the greedy order is exact.

    Parameters
    ----------
    workers, ps : ndarray of int
        Indices of the machines of each side; no machine may be on both.
    """

    def __init__(self, workers: np.ndarray, ps: np.ndarray) -> None:
        if np.intersect1d(workers, ps).size:
            raise ValueError("a machine is on both sides")
        self._workers, self._ps = workers, ps

    def options(self, job: Job, price: np.ndarray, free: np.ndarray, most: int) -> SlotOptions:
        """Options of a job in a slot, none of them internal."""
        whole = slot_of(job, price, free, most)
        room = np.full_like(whole.room, -1)
        room[self._workers] = np.minimum(whole.room[self._workers], 0)
        room[:, 0] = 0
        room[self._ps, 0] = whole.room[self._ps, 0]
        slot = replace(whole, room=room)
        return SlotOptions.of(slot, *greedy_costs(slot))


def greedy_costs(slot: Slot) -> tuple[np.ndarray, Place]:
    """Costs of 0, 1, ... workers, infinite where no room is found, and how to place them."""
    worker_order = np.argsort(slot.worker_cost, kind="stable")
    ps_order = np.argsort(slot.ps_cost, kind="stable")
    cost, ps_first = fill_each(
        slot.worker_cost, slot.ps_cost, worker_order, ps_order, slot.room, slot.ps_needed
    )

    def place(slot: Slot, workers: int) -> Counts:
        found = np.zeros((2, len(slot.room)), dtype=np.int64)
        need = workers, slot.ps_needed[workers]
        fill_up(found[0], found[1], worker_order, ps_order, slot.room, *need, ps_first[workers])
        return found[0], found[1]

    return cost, place

"""What the workers and parameter servers of a job cost in one slot, and where they go.

Every number of workers has two ways, Fact 1: *internal*, with all of it on one machine, and
*external*, (23)-(26) with a row ``sum_h s_h >= ceil(w / gamma)`` that the paper leaves out; without
it no parameter server would be placed. The ways to place externally differ in
:mod:`solvers.colocated.placement_exact`, ``placement_greedy`` and ``placement_rounding``.

An external placement may stand on one machine. It is then faster than what it is sold as, and as
cheap as the internal one, which is preferred.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from models.colocated.cluster import Job
from models.tolerance import count_fitting, usable
from solvers.colocated.kernels import cheapest_machine, room_beside

__all__ = [
    "Counts",
    "Place",
    "Placement",
    "Slot",
    "SlotOptions",
    "cheapest_counts",
    "cumulative_cost",
    "slot_of",
]

Counts = tuple[np.ndarray, np.ndarray]
"""Workers and parameter servers on each machine, each of shape (H,)."""


@dataclass(frozen=True, eq=False)
class Slot:
    """One slot as one job sees it.

    Parameters
    ----------
    worker_cost, ps_cost : ndarray, shape (H,)
        Price of one worker and of one parameter server: ``p_h^w`` and ``p_h^s`` of (23).
    room : ndarray of int64, shape (H, n + 1)
        How many parameter servers fit beside 0, 1, ... workers, never rising; -1 where the workers
        do not fit. Nowhere do more than n.
    ps_needed : ndarray of int64, shape (most + 1,)
        ``ceil(w / gamma)`` for as many workers as fit on all machines, if that many are asked for.
    """

    worker_cost: np.ndarray
    ps_cost: np.ndarray
    room: np.ndarray
    ps_needed: np.ndarray

    def cost(self, counts: Counts) -> float:
        """Price of workers and parameter servers, (23)."""
        return float(counts[0] @ self.worker_cost + counts[1] @ self.ps_cost)


def slot_of(job: Job, price: np.ndarray, free: np.ndarray, most: int) -> Slot:
    """Prices and free capacities of a slot, each of shape (H, R), in terms of a job."""
    fitting = np.minimum(count_fitting(free, job.worker), most)
    ps_needed = job.ps_needed_table(min(most, int(fitting.sum())))
    room = room_beside(usable(free), job.worker, job.ps, int(fitting.max()), int(ps_needed[-1]))
    return Slot(price @ job.worker, price @ job.ps, room, ps_needed)


def cheapest_counts(counts: np.ndarray, cost: np.ndarray, most: int) -> np.ndarray:
    """Of so many on each machine, each at the machine's cost, the cheapest ``most`` in all."""
    order = np.argsort(cost, kind="stable")
    before = np.cumsum(counts[order]) - counts[order]
    kept = np.zeros_like(counts)
    kept[order] = np.clip(most - before, 0, counts[order])
    return kept


def cumulative_cost(counts: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """Cost of the cheapest 0, 1, 2, ... of so many on each machine."""
    return np.concatenate([[0.0], np.cumsum(np.sort(np.repeat(cost, counts)))])


Place = Callable[[Slot, int], Counts]


@dataclass(frozen=True, eq=False)
class SlotOptions:
    """Costs of 0, 1, ..., most workers in one slot, with most at most what fits on all machines.

    Parameters
    ----------
    internal_cost : ndarray, shape (most + 1,)
        On the cheapest machine that holds them and their parameter servers; infinite for none.
    internal_server : ndarray of int64, shape (most + 1,)
        That machine, the first of equal ones; -1 where there is none.
    external_cost : ndarray, shape (most + 1,)
        On any machines; infinite where they do not fit, or no room is found.
    slot : Slot
    place : callable
        From the slot and a number of workers with finite ``external_cost`` to what is on each
        machine.
    """

    internal_cost: np.ndarray
    internal_server: np.ndarray
    external_cost: np.ndarray
    slot: Slot
    place: Place

    @classmethod
    def of(cls, slot: Slot, external_cost: np.ndarray, place: Place) -> SlotOptions:
        """Options of a slot from those of external placement."""
        cost, server = cheapest_machine(slot.worker_cost, slot.ps_cost, slot.room, slot.ps_needed)
        return cls(cost, server, external_cost, slot, place)

    def rows(self, workers: int, internal: bool) -> Counts:
        """Rows (server, count) of workers and of parameter servers, by server, int64."""
        if internal:
            server = self.internal_server[workers]
            return np.array([[server, workers]]), np.array([[server, self.slot.ps_needed[workers]]])
        found = [
            np.column_stack([np.flatnonzero(n), n[n > 0]]) for n in self.place(self.slot, workers)
        ]
        return found[0], found[1]


class Placement(Protocol):
    """A way to place externally."""

    def options(self, job: Job, price: np.ndarray, free: np.ndarray, most: int) -> SlotOptions:
        """Options of a job in a slot.

        Parameters
        ----------
        job : Job
        price, free : ndarray, shape (H, R)
            Nonnegative prices, and what is free.
        most : int
            Most workers asked for, from 1 to F.
        """
        ...

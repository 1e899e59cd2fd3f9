"""Placements that last until the next event: round-robin, and the plans that change them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numba import njit

from models.tolerance import usable
from models.utility.instance import Cluster, Job
from online.utility.plan import Plan, Segment

__all__ = ["NOWHERE", "Free", "Placement", "RoundRobin", "changed_plans", "rows_of"]


@dataclass(frozen=True, eq=False)
class Placement:
    """Servers that one job uses in every slot, until it gets another placement.

    Parameters
    ----------
    workers, ps : ndarray of int64, shape (n, 2)
        Rows (server, count), sorted by server, counts positive.
    """

    workers: np.ndarray
    ps: np.ndarray

    @property
    def size(self) -> int:
        """Number of workers."""
        return int(self.workers[:, 1].sum())

    def same_as(self, other: Placement | None) -> bool:
        """Whether it is the same servers with the same counts."""
        return (
            other is not None
            and np.array_equal(self.workers, other.workers)
            and np.array_equal(self.ps, other.ps)
        )


NOWHERE = Placement(np.empty((0, 2), dtype=np.int64), np.empty((0, 2), dtype=np.int64))
"""Placement of a job that does not run."""


def rows_of(counts: np.ndarray) -> np.ndarray:
    """Rows (server, count) of the positive entries of a vector of counts."""
    servers = np.flatnonzero(counts)
    return np.column_stack([servers, counts[servers]]).astype(np.int64)


class Free:
    """What is free on every server until the next event.

    Parameters
    ----------
    cluster : Cluster
        Nothing is placed on it at first.

    Attributes
    ----------
    workers, ps : ndarray of float, shapes (H, R) and (K, R)
        At first the capacities, slightly enlarged for round-off
        (:func:`~models.tolerance.usable`): what is not above them fits.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.workers = usable(cluster.worker_servers)
        self.ps = usable(cluster.ps_servers)

    def take(self, job: Job, placement: Placement, *, copies: int = 1) -> None:
        """Take what a placement uses (``copies=-1`` gives it back)."""
        for free, rows, demand in (
            (self.workers, placement.workers, job.worker),
            (self.ps, placement.ps, job.ps),
        ):
            free[rows[:, 0]] -= copies * rows[:, 1:2] * demand

    def give(self, job: Job, placement: Placement) -> None:
        """Give back what a placement uses."""
        self.take(job, placement, copies=-1)

    def holds(self, job: Job, placement: Placement) -> bool:
        """Whether a placement fits as it stands."""
        return all(
            bool((free[rows[:, 0]] >= rows[:, 1:2] * demand).all())
            for free, rows, demand in (
                (self.workers, placement.workers, job.worker),
                (self.ps, placement.ps, job.ps),
            )
        )


class RoundRobin:
    """Places one worker (parameter server) after the other on the next server with room.

    The turn moves on from job to job, separately for workers and parameter servers, so that
    successive jobs start on different servers.
    """

    def __init__(self) -> None:
        self._next_worker = 0
        self._next_ps = 0

    def place(self, job: Job, workers: int, free: Free) -> Placement | None:
        """Find places for so many workers and the parameter servers that (6) asks for.

        Nothing is taken; that is up to the caller. The turn moves only if everything fits.

        Returns
        -------
        Placement or None
            None if it does not fit.
        """
        y, after_y = _spread(free.workers, job.worker, workers, self._next_worker)
        if after_y < 0:
            return None
        z, after_z = _spread(free.ps, job.ps, job.ps_needed(workers), self._next_ps)
        if after_z < 0:
            return None
        self._next_worker, self._next_ps = after_y, after_z
        return Placement(rows_of(y), rows_of(z))


def changed_plans(
    slot: int, before: Mapping[int, Placement], after: Mapping[int, Placement]
) -> dict[int, Plan]:
    """Plans that lead from one set of placements to another, for the jobs that change.

    Parameters
    ----------
    slot : int
        Current slot.
    before, after : Mapping[int, Placement]
        Placements of the running, unfinished jobs. A job missing in ``after`` is paused.
    """
    plans: dict[int, Plan] = {job: () for job in before if job not in after}
    for job, placement in after.items():
        if not placement.same_as(before.get(job)):
            plans[job] = (Segment(slot, None, placement.workers, placement.ps),)
    return plans


@njit(cache=True)
def _spread(free, demand, count, first):  # type: ignore[no-untyped-def]
    """Spread ``count`` copies one by one over the servers with room, from ``first`` on.

    Returns
    -------
    counts : ndarray of int64, shape (S,)
    after : int
        Server whose turn is next; -1 if the copies do not fit.
    """
    servers, resources = free.shape
    room = np.zeros(servers, dtype=np.int64)
    total = 0
    for s in range(servers):
        fit = float(count)
        for r in range(resources):
            if demand[r] > 0.0:
                fit = min(fit, np.floor(free[s, r] / demand[r]))
        room[s] = max(0, int(fit))
        total += room[s]
    counts = np.zeros(servers, dtype=np.int64)
    if total < count:
        return counts, -1
    s = first
    left = count
    while left > 0:
        if counts[s] < room[s]:
            counts[s] += 1
            left -= 1
        s = (s + 1) % servers
    return counts, s

"""Placements that last until the next event, what they leave free, and plans that change them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from models.tolerance import usable
from online.pools import Pools
from online.segments import Plan, Segment

__all__ = ["NOWHERE", "Free", "Placement", "changed_plans", "rows_of"]


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
    pools : Pools
        Nothing is placed on them at first.

    Attributes
    ----------
    workers, ps : ndarray of float, shapes (H, R) and (K, R)
        At first the capacities, slightly enlarged for round-off
        (:func:`~models.tolerance.usable`): what is not above them fits. They are one array if
        workers and parameter servers share the servers.
    """

    def __init__(self, pools: Pools) -> None:
        self.workers = usable(pools.workers)
        self.ps = self.workers if pools.shared else usable(pools.ps)

    def copy(self) -> Free:
        """What is free, to be taken on trial."""
        copy = object.__new__(Free)
        copy.workers = self.workers.copy()
        copy.ps = copy.workers if self.ps is self.workers else self.ps.copy()
        return copy

    def take(self, job: Any, placement: Placement, *, copies: int = 1) -> None:
        """Take what a placement uses (``copies=-1`` gives it back)."""
        for free, rows, demand in (
            (self.workers, placement.workers, job.worker),
            (self.ps, placement.ps, job.ps),
        ):
            free[rows[:, 0]] -= copies * rows[:, 1:2] * demand

    def give(self, job: Any, placement: Placement) -> None:
        """Give back what a placement uses."""
        self.take(job, placement, copies=-1)

    def holds(self, job: Any, placement: Placement) -> bool:
        """Whether a placement fits as it stands."""
        left = self.copy()
        left.take(job, placement)
        return bool(
            (left.workers[placement.workers[:, 0]] >= 0.0).all()
            and (left.ps[placement.ps[:, 0]] >= 0.0).all()
        )


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

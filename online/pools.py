"""The servers of a cluster as pools: all servers that run workers, all that run PSs.

They may be two sets of servers, where each resource of each set is a resource of its own, or one
and the same set. A share is a share of a pool's total.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["Pools", "Rules"]


@dataclass(frozen=True, eq=False)
class Pools:
    """Capacities of the servers that run workers, and of those that run parameter servers.

    Parameters
    ----------
    workers, ps : ndarray, shapes (H, R) and (K, R)
        The same array if workers and parameter servers share the servers.
    bandwidth : int, optional
        Index of a resource that varies from server to server of a type.
    """

    workers: np.ndarray
    ps: np.ndarray
    bandwidth: int | None = None

    @property
    def shared(self) -> bool:
        """Whether workers and parameter servers share the servers."""
        return self.workers is self.ps

    @cached_property
    def capacity(self) -> np.ndarray:
        """Capacities summed over servers, shape (P,): P = R if they are shared, else 2 R."""
        sums = [side.sum(axis=0) for side in (self.workers, self.ps)]
        return sums[0] if self.shared else np.concatenate(sums)

    def shares(self, job: Any, workers: float, ps: float) -> np.ndarray:
        """Shares of the capacities that so many workers and parameter servers of a job take.

        The largest is the job's dominant share; it is infinite where there is nothing.
        """
        used = workers * job.worker, ps * job.ps
        use = used[0] + used[1] if self.shared else np.concatenate(used)
        with np.errstate(divide="ignore"):
            return np.divide(use, self.capacity, out=np.zeros_like(use), where=use > 0)


@dataclass(frozen=True)
class Rules:
    """What a problem tells of its clusters and jobs to policies that share servers out.

    A job has the demands ``worker`` and ``ps``, and tells with ``ps_needed(n)`` and
    ``ps_needed_table(most)`` how many parameter servers n workers need.

    Parameters
    ----------
    pools : callable
        ``(cluster) -> Pools``.
    fits : callable
        ``(job, cluster) -> bool``: whether a worker fits on the empty cluster with what it needs.
    most : callable
        ``(job, left) -> int``: most workers in a slot with so much work left.
    ps_per_worker : callable
        ``(job) -> float``: parameter servers for each worker, before rounding up.
    """

    pools: Callable[[Any], Pools]
    fits: Callable[[Any, Any], bool]
    most: Callable[[Any, int], int]
    ps_per_worker: Callable[[Any], float]

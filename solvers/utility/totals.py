"""Schedules in totals: how many workers a job runs in each slot, on whatever servers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.utility.instance import Cluster, Job
from solvers.utility.kernels import shortest_work

__all__ = ["TotalsColumn", "TotalsOracle"]


@dataclass(frozen=True, eq=False)
class TotalsColumn:
    """A schedule of one job, summed over the servers.

    Parameters
    ----------
    job : int
    completion : int
    value : float
        ``f_i`` at the completion.
    workers, ps : ndarray of int64, shape (T,)
        ``n_i(t)`` and ``m_i(t) = ceil(n b / B)``.
    cost : float
        At the prices for which it was found.
    """

    job: int
    completion: int
    value: float
    workers: np.ndarray
    ps: np.ndarray
    cost: float

    @property
    def payoff(self) -> float:
        """Value minus cost."""
        return self.value - self.cost


class TotalsOracle:
    """Best schedule of one job when a worker and a parameter server have a price per slot.

    The oracle of :mod:`solvers.utility.oracle` with servers taken out: any number of
    workers up to ``n_max`` can run in a slot. Every schedule that the scorer accepts for the
    job alone is one of these, so payoffs are never underestimated.

    Parameters
    ----------
    job : Job
    cluster : Cluster
        The tolerant one (:attr:`~models.utility.instance.Cluster.tolerant`).
    """

    def __init__(self, job: Job, cluster: Cluster) -> None:
        self.job = job
        self._slots = cluster.slots
        self.most = min(job.max_workers(cluster), job.work)
        room = cluster.slots - job.arrival
        self.feasible = self.most > 0 and self.most * room >= job.work
        self._count = np.arange(self.most + 1, dtype=float)
        self._ps = job.ps_needed_table(self.most)
        self._values = job.values(cluster.slots)[job.arrival :]
        self._reach = np.full(room, self.most, dtype=np.int64)

    def best(self, worker_price: np.ndarray, ps_price: np.ndarray) -> TotalsColumn | None:
        """Maximise value minus cost.

        Parameters
        ----------
        worker_price, ps_price : ndarray, shape (T,)
            Nonnegative price of one worker, one parameter server, in each slot.
        """
        if not self.feasible:
            return None
        first = self.job.arrival
        cost = np.outer(worker_price[first:], self._count)
        cost += ps_price[first:, None] * self._ps
        done, total, split = shortest_work(cost, self._reach, self.job.work, self._values)
        workers = np.zeros(self._slots, dtype=np.int64)
        workers[first:] = split
        return TotalsColumn(
            job=self.job.index,
            completion=first + int(done),
            value=float(self._values[done]),
            workers=workers,
            ps=self._ps[workers],
            cost=float(total),
        )

"""Schedules in totals: how many workers a job runs in each slot, on whatever servers."""

from __future__ import annotations

import math
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

    def most_ps(self, workers: int) -> int:
        """Parameter servers that the job runs at most in a slot with at most so many workers."""
        return int(self._ps[min(workers, self.most)])

    def best(
        self,
        worker_price: np.ndarray,
        ps_price: np.ndarray,
        earliest: int = 0,
        latest: int | None = None,
        workers: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> TotalsColumn | None:
        """Maximise value minus cost.

        Parameters
        ----------
        worker_price, ps_price : ndarray, shape (T,)
            Nonnegative price of one worker, one parameter server, in each slot.
        earliest, latest : int
            Deadlines to choose from, both included; by default all. Work may be done before the
            earliest one, but counts for no more than that one is worth.
        workers : pair of ndarray of int64, shape (T,), optional
            The least and the largest number of workers in each slot.

        Returns
        -------
        TotalsColumn or None
            None if the job cannot complete so.

        Raises
        ------
        OverflowError
            If least numbers of workers are given and a cost is infinite.
        """
        first = self.job.arrival
        count = (self._slots if latest is None else min(latest + 1, self._slots)) - first
        if not self.feasible or self.most * count < self.job.work:
            return None
        here = slice(first, first + count)
        reach, work, least = self._reach[:count], self.job.work, np.zeros(count, dtype=np.int64)
        if workers is not None:
            least = workers[0][here]
            reach = np.minimum(reach, workers[1][here]) - least
            work -= int(workers[0].sum())
            before_or_after = least.sum() < workers[0].sum()
            if before_or_after or (reach < 0).any() or not 0 <= work <= reach.sum():
                return None
            earliest = max(earliest, first + int(np.flatnonzero(least).max(initial=0)))
        if earliest >= first + count:
            return None
        cost = np.outer(worker_price[here], self._count)
        cost += ps_price[here, None] * self._ps
        paid = 0.0
        if least.any():  # they are there anyway; the programme chooses what comes on top of them
            if not math.isfinite(cost.max()):
                raise OverflowError("a cost is too large")
            at, top = np.arange(count), np.arange(self.most + 1)
            base = cost[at, least]
            cost = cost[at[:, None], np.minimum(least[:, None] + top, self.most)] - base[:, None]
            paid = float(base.sum())
        values = self._values[:count]
        if earliest > first:
            values = np.minimum(values, values[earliest - first])
        done, total, split = shortest_work(cost, reach, work, values)
        counts = np.zeros(self._slots, dtype=np.int64)
        counts[here] = least + split
        return TotalsColumn(
            job=self.job.index,
            completion=first + max(int(done), int(np.flatnonzero(least).max(initial=0))),
            value=float(values[done]),
            workers=counts,
            ps=self._ps[counts],
            cost=paid + float(total),
        )

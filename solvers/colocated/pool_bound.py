"""Upper bounds from prices of pooled machines: weak duality, no solver involved.

What all jobs use of a resource in a slot is at most C, the tolerant capacity of all machines
(:mod:`models.tolerance`). With prices ``P[t, r] >= 0``, the same on all machines, every schedule
that the scorer accepts is worth at most

    sum_t P[t] . C + sum_i max(0, best payoff of job i at these prices),

dual (10), (11) at prices that do not depend on h. The payoff is over-estimated. In each slot

- w workers and ``ceil(w / gamma)`` parameter servers cost the same wherever they stand;
- they run at the internal rate if they fit on *some* machine, empty, and at the external one up
  to the most that fit on all machines, by the sum of floors for workers and for parameter servers
  and by the pooled capacities for both;
- a slot may mix such choices in shares that add up to 1, so the slot has the lower convex hull of
  (progress, cost), and the cheapest progress is found by going along the hulls, exactly: no
  progress is rounded, neither up nor down.

The last point costs little: at most one slot of a job is mixed. Every real choice of a slot is a
point on or above its hull, so no schedule pays more than what is found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from models.colocated.cluster import Cluster, Job, most_on_one
from models.colocated.instance import ColocatedInstance
from models.tolerance import count_fitting
from solvers.branching_tree import Deadlines
from solvers.colocated.pool_kernels import deadline_costs, hulls, split_work
from solvers.price_certificate import OUTWARD, LeafOracle, checked

__all__ = ["PoolBounds", "PoolOracle", "PooledColumn", "pool_bound"]


@dataclass(frozen=True, eq=False)
class PooledColumn:
    """A schedule of one job, summed over the machines; one of its slots may be a mixture.

    Parameters
    ----------
    job, completion : int
    value, cost : float
    workers, ps : ndarray, shape (T,)
        Whole numbers but in one slot at most.
    inside : ndarray of bool, shape (T,)
        Whether what runs in a slot is meant for one machine.
    """

    job: int
    completion: int
    value: float
    cost: float
    workers: np.ndarray
    ps: np.ndarray
    inside: np.ndarray

    @property
    def payoff(self) -> float:
        """Value minus cost."""
        return self.value - self.cost


class PoolOracle:
    """Best schedule of one job when a worker and a parameter server have a price per slot."""

    def __init__(self, job: Job, cluster: Cluster) -> None:
        self.job, self._slots = job, cluster.slots
        fitting = np.minimum(count_fitting(cluster.servers, job.worker), job.max_workers)
        floors, places = int(fitting.sum()), int(count_fitting(cluster.servers, job.ps).sum())
        most = min(job.max_workers, floors)
        self.needed = job.ps_needed_table(most)
        self.ends = np.flatnonzero(np.diff(self.needed, append=self.needed[-1] + 1))
        machines = np.unique(cluster.servers, axis=0)
        self.internal = int(most_on_one(job, machines, most).max(initial=0))
        pooled = int(most_on_one(job, cluster.servers.sum(axis=0, keepdims=True), most)[0])
        self.external = min(pooled, int(np.searchsorted(self.needed, places, side="right")) - 1)
        self.values = job.values(cluster.slots)

    @property
    def feasible(self) -> bool:
        """Whether the job can complete at all, on its own."""
        pace = max(self.internal * self.job.speedup, float(self.external))
        return pace * (self._slots - self.job.arrival) >= self.job.tolerant_work

    def best(
        self,
        worker_price: np.ndarray,
        ps_price: np.ndarray,
        limits: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> PooledColumn | None:
        """Maximise value minus cost.

        Parameters
        ----------
        worker_price, ps_price : ndarray, shape (T,)
            Nonnegative price of one worker, one parameter server, in each slot.
        limits : pair of ndarray of int64, shape (T,), optional
            Most workers on one machine, and on several, in each slot. Then all counts are whole,
            and do all the work. Without limits those of the empty cluster hold, and the payoff is
            that of the relaxation, never below that of a real schedule.
        """
        if not self.feasible:
            return None
        costs, corner, piece, inside, work = self._costs(worker_price, ps_price, limits)
        first = self.job.arrival
        payoffs = self.values[first:] - costs
        done = int(payoffs.argmax())
        if payoffs[done] == -math.inf:
            return None
        counts = split_work(
            done,
            corner,
            piece,
            inside,
            self.job.speedup,
            self.needed,
            work,
            limits is not None,
        )
        workers, ps, where = (
            np.concatenate([np.zeros(first, count.dtype), count]) for count in counts
        )
        cost = float(costs[done] if limits is None else workers @ worker_price + ps @ ps_price)
        value = float(self.values[first + done])
        return PooledColumn(self.job.index, first + done, value, cost, workers, ps, where)

    def payoffs(self, worker_price: np.ndarray, ps_price: np.ndarray) -> np.ndarray:
        """Largest payoff of the relaxation by completion slot, shape (T,).

        Minus infinity where the job cannot complete.
        """
        found = np.full(self._slots, -math.inf)
        if self.feasible:
            costs, *_ = self._costs(worker_price, ps_price, None)
            found[self.job.arrival :] = self.values[self.job.arrival :] - costs
        return found

    def _costs(
        self,
        worker_price: np.ndarray,
        ps_price: np.ndarray,
        limits: tuple[np.ndarray, np.ndarray] | None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]:
        """Costs by deadline, from the arrival on; corners, pieces, internal limits and work."""
        first, work = self.job.arrival, self.job.work
        if limits is None:
            work, room = self.job.tolerant_work, self._slots - first
            limits = (
                np.full(room, self.internal, dtype=np.int64),
                np.full(room, self.external, dtype=np.int64),
            )
        else:
            limits = (limits[0][first:], limits[1][first:])
        corner, piece = hulls(
            worker_price[first:],
            ps_price[first:],
            *limits,
            self.job.speedup,
            self.needed,
            self.ends,
        )
        piece = piece[np.argsort(piece[:, 0], kind="stable")]
        return deadline_costs(piece, len(corner), work), corner, piece, limits[0], work


class PoolBounds(LeafOracle):
    """Bounds of one instance; what is the same at all prices is computed once.

    Parameters
    ----------
    instance : ColocatedInstance
    """

    def __init__(self, instance: ColocatedInstance) -> None:
        cluster = instance.cluster.tolerant
        self.oracles = [PoolOracle(job, cluster) for job in instance.jobs]
        self.capacity, self.slots = cluster.servers.sum(axis=0), cluster.slots

    @property
    def columns(self) -> int:
        """How many resources there are."""
        return len(self.capacity)

    def everything(self) -> Deadlines:
        """What is left at the root; a job that may complete in slot T may stay out."""
        return Deadlines.all(len(self.oracles), self.slots)

    def bound(self, prices: np.ndarray, allowed: Deadlines) -> float:
        """What prices, shape (T, R), prove of the schedules with what is allowed, rounded up.

        Minus infinity if some job cannot complete when it has to.
        """
        total, lost = [float((prices @ self.capacity).sum())], 0.0
        limits = zip(allowed.first.tolist(), allowed.last.tolist(), strict=True)
        for oracle, (first, last) in zip(self.oracles, limits, strict=True):
            job = oracle.job
            payoffs = oracle.payoffs(prices @ job.worker, prices @ job.ps)[first : last + 1]
            stays_out = 0.0 if last == self.slots else -math.inf
            best = float(payoffs.max(initial=stays_out))
            if best == -math.inf:
                return best
            total.append(best)
            lost += max(0.0, -best)
        # The margin is for all that was added up; what was lost has been added with both signs.
        return math.fsum(total) * (1.0 + OUTWARD) + 2.0 * lost * OUTWARD


def pool_bound(instance: ColocatedInstance, prices: np.ndarray) -> float:
    """No schedule that the scorer accepts has a larger total utility.

    Raises ValueError unless prices have shape (T, R) and are from 0 to 1e150.
    """
    bounds, cluster = PoolBounds(instance), instance.cluster
    prices = checked(prices, len(cluster.resources), cluster.slots)
    return bounds.bound(prices, bounds.everything())

"""A_maxweight (Alg. 3): the jobs of a batch that are worth their resources, by a deadline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.column import Column
from online.primal_dual import decide
from solvers.completion.configurations import configurations
from solvers.completion.oracle import best_schedule

__all__ = ["ORDERS", "Block", "log_lambda", "max_weight", "price_bound"]

ORDERS: Mapping[str, Callable[[Job], Any]] = {
    "arrival": lambda job: job.index,
    "weight": lambda job: (-job.weight, job.index),
    "id": lambda job: job.id,
}
"""Orders in which Alg. 3 may take the jobs of a batch; the paper does not say which."""


@dataclass(frozen=True, eq=False)
class Block:
    """What A_maxweight made of a batch.

    Parameters
    ----------
    jobs : tuple of Job
        The batch.
    columns : tuple of Column
        Schedules of the jobs admitted, in the order of admission; slot 0 is the block's first.
    prices : ndarray, shape (tau, H, R)
        Final prices ``delta_h^r(t)`` per unit of the instance.
    """

    jobs: tuple[Job, ...]
    columns: tuple[Column, ...]
    prices: np.ndarray

    @property
    def payoffs(self) -> dict[int, float]:
        """``u_j`` of the jobs admitted, (10); it is 0 of the others."""
        return {column.job: column.payoff for column in self.columns}


def price_bound(jobs: Iterable[Job], cluster: Cluster) -> float:
    """``F``: largest weight of a job over the sum of what a schedule of it holds.

    The sum is over slots, servers and resources, in the units of the instance, as printed. Its
    least is over all configurations that fit on the empty cluster.
    """
    largest = 0.0
    for job in jobs:
        options = configurations(job, cluster)
        held = (options.duration * options.amounts.sum(axis=1)).min()
        largest = max(largest, job.weight / float(held))
    return largest


def log_lambda(bound: float, cluster: Cluster) -> float:
    """Natural logarithm of ``lambda = 2 T H R F + 1`` of (11), with the timespan T."""
    return math.log1p(2.0 * cluster.slots * cluster.servers.size * bound)


def max_weight(
    jobs: Sequence[Job],
    cluster: Cluster,
    slots: int,
    log_of_lambda: float,
    modes: Mapping[int, np.ndarray],
) -> Block:
    """Alg. 3: admit each job, in turn, whose best schedule pays; raise the prices (11).

    Parameters
    ----------
    jobs : sequence of Job
        The batch, in the order in which it is taken.
    cluster : Cluster
        Empty at first.
    slots : int
        Each job has to be complete by then, (7b).
    log_of_lambda : float
        :func:`log_lambda`.
    modes : Mapping[int, ndarray]
        :func:`solvers.completion.modes.modes_of` each job, by ``job.index``.
    """
    book = _Prices(cluster, slots, log_of_lambda)

    def oracle(job: Job, prices: np.ndarray, free: np.ndarray) -> Column | None:
        worth = np.full(slots + 1, job.weight)
        return best_schedule(job, cluster, prices, free, worth, first=0, modes=modes[job.index])

    found = (decide(job, oracle, book)[0] for job in jobs)
    columns = tuple(column for column in found if column is not None)
    return Block(tuple(jobs), columns, book.prices)


class _Prices:
    """The price function (11), ``lambda^(beta / C) - 1``, which starts at 0."""

    def __init__(self, cluster: Cluster, slots: int, log_of_lambda: float) -> None:
        self.free = np.repeat(cluster.servers[None], slots, axis=0)
        self.prices = np.zeros_like(self.free)
        self._cluster, self._log = cluster, log_of_lambda

    def take(self, job: Job, column: Column) -> Mapping[str, Any]:
        """Take a column's resources and raise the prices of its window (lines 13, 14)."""
        servers, amounts = column.usage(self._cluster)
        window = slice(column.start, column.completion)
        capacity = self._cluster.servers[servers]
        self.free[window, servers] -= amounts
        used = capacity - self.free[window, servers]
        share = np.divide(used, capacity, out=np.zeros_like(used), where=capacity > 0.0)
        self.prices[window, servers] = np.expm1(self._log * share).clip(0.0)
        return {}

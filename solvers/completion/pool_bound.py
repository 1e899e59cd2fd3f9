"""Lower bounds from prices alone, the same on all servers: weak duality, no solver involved.

With prices ``P[t, r] >= 0`` of slots 0 to S - 1 (later ones are free of charge), every schedule of
(2) costs at least

    sum_j min over (start, configuration) of (w_j c + price of what is used) - sum_t P[t] . C

since what all jobs use of a resource in a slot is at most ``C``, the capacity of all servers. A
job may start in any slot from its arrival to S; later starts are dominated, as nothing has a price
from S on. The capacities are the tolerant ones (:mod:`models.tolerance`), so the bound holds for
every schedule that the scorer accepts, but for elastic ones
(:mod:`solvers.completion.elastic_bound`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from models.completion.instance import CompletionInstance
from solvers import price_certificate
from solvers.completion.modes import DURATION, amounts_of, modes_of, undominated
from solvers.price_certificate import OUTWARD, checked

__all__ = ["NEVER", "PoolOracle", "cheapest", "outward", "pool_bound", "rounded", "sums"]

NEVER = 2**62
"""A slot that is after every slot."""


class Configurations(NamedTuple):
    """What a job can be run with, as far as prices that are the same on all servers can tell."""

    duration: np.ndarray
    """Slots that it takes, not falling; int64, shape (n,)."""
    amounts: np.ndarray
    """Of each resource in each of these slots, shape (n, R)."""


class PoolOracle:
    """Configurations of all jobs of an instance, priced."""

    def __init__(self, instance: CompletionInstance) -> None:
        self.instance, self.cluster = instance, instance.cluster.tolerant
        self.capacity = self.cluster.servers.sum(axis=0)
        self.jobs = instance.jobs
        self.modes = [modes_of(job, self.cluster, pooled=True) for job in instance.jobs]
        self.of = [self._configurations(modes) for modes in self.modes]

    def _configurations(self, modes: np.ndarray) -> Configurations:
        """Those of some modes, without those that another one beats or equals in all this."""
        duration, amounts = modes[:, DURATION], amounts_of(modes, self.cluster)
        kept = undominated(np.column_stack([duration, amounts]))
        return Configurations(duration[kept], amounts[kept])

    def best(self, job: int, total: np.ndarray) -> tuple[float, int, int]:
        """Least weighted completion and price of a job, and of what start and configuration.

        ``total`` are the :func:`sums` of the prices.
        """
        one = self.jobs[job]
        cost, start, k = cheapest(*self.of[job], total, one.arrival, one.weight, 0, NEVER)
        return cost, start, k

    def bound(self, prices: np.ndarray) -> float:
        """The bound that prices, shape (S, R), prove, rounded down."""
        total = sums(prices)
        least = math.fsum(self.best(job, total)[0] for job in range(len(self.jobs)))
        taken = float((prices @ self.capacity).sum())
        return least - taken - outward(len(self.jobs), len(prices)) * (least + taken)


def sums(prices: np.ndarray) -> np.ndarray:
    """Sums of the prices of the slots before each, shape (S + 1, R)."""
    return np.concatenate([np.zeros((1, prices.shape[1])), prices.cumsum(axis=0)])


def outward(jobs: int, slots: int) -> float:
    """By how much a bound is rounded outward, relative to all that was added up.

    What a job pays is a difference of two :func:`sums`, each off by up to the machine's precision
    times the slots, relative to the price of that resource in all slots. As the job fits on the
    servers, that is at most so much of what all capacities cost; and it can happen with each job.
    The margin is eight times that.
    """
    return max(OUTWARD, 4.0 * jobs * slots * float(np.finfo(float).eps))


def pool_bound(instance: CompletionInstance, prices: np.ndarray) -> float:
    """No schedule with constant placement has a smaller weighted completion time.

    Raises ValueError unless prices have shape (S, R) and are from 0 to 1e150.
    """
    return max(0.0, PoolOracle(instance).bound(checked(prices, len(instance.cluster.resources))))


def rounded(prices: np.ndarray) -> np.ndarray:
    """Prices with few digits, up to the last slot that has one: a shorter file."""
    short = price_certificate.rounded(prices)
    return np.asarray(short[: np.flatnonzero(short.any(axis=1)).max(initial=-1) + 1])


@njit(cache=True)
def cheapest(duration, amounts, total, arrival, weight, first, last):  # type: ignore[no-untyped-def]
    """Least weighted completion plus prices: the cost, its start and its configuration.

    It completes in the slots from ``first`` to ``last``; infinite, -1 and -1 if it cannot.
    """
    slots, resources = total.shape[0] - 1, total.shape[1]
    best, best_start, best_k = np.inf, -1, -1
    for start in range(arrival, slots):
        for k in range(duration.shape[0]):
            completion = start + duration[k]
            cost = weight * completion
            if completion > last or cost >= best:  # durations do not fall
                break
            if completion < first:
                continue
            stop = min(completion, slots)
            for r in range(resources):
                cost += amounts[k, r] * (total[stop, r] - total[start, r])
            if cost < best:
                best, best_start, best_k = cost, start, k
    for k in range(duration.shape[0]):  # where nothing has a price, as early as can be
        start = max(arrival, slots, first - duration[k])
        cost = weight * (start + duration[k])
        if start + duration[k] <= last and cost < best:
            best, best_start, best_k = cost, start, k
    return best, best_start, best_k

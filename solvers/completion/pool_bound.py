"""Lower bounds from prices alone, the same on all servers: weak duality, no solver involved.

With prices ``P[t, r] >= 0`` of slots 0 to S - 1 (later ones are free of charge), every schedule of
(2) costs at least

    sum_j min over (start, configuration) of (w_j c + price of what is used) - sum_t P[t] . C

since what all jobs use of a resource in a slot is at most ``C``, the capacity of all servers. A
job may start in any slot from its arrival to S; later starts are dominated, as nothing has a price
from S on. The capacities are the tolerant ones (:mod:`models.tolerance`), so the bound holds for
every schedule that the scorer accepts, elastic ones apart (:mod:`solvers.completion.elastic_bound`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from models.completion.instance import CompletionInstance
from solvers.completion.configurations import Configurations, configurations

__all__ = ["OUTWARD", "BestStart", "PoolOracle", "checked", "pool_bound", "rounded", "sums"]

OUTWARD = 1e-9
"""By how much bounds are rounded down, relative: more than the round-off of their sums."""
_DIGITS = 9  # of the largest price that is stored


@dataclass(frozen=True)
class BestStart:
    """The cheapest way to run a job at given prices."""

    start: int
    configuration: int
    completion: int
    cost: float  # weighted completion and prices together


class PoolOracle:
    """Configurations of all jobs of an instance, priced.

    Parameters
    ----------
    instance : CompletionInstance
    """

    def __init__(self, instance: CompletionInstance) -> None:
        self.instance, self.cluster = instance, instance.cluster.tolerant
        self.capacity = self.cluster.servers.sum(axis=0)
        self.jobs = instance.jobs
        self.of: list[Configurations] = [configurations(j, self.cluster) for j in instance.jobs]

    def best(self, job: int, total: np.ndarray) -> BestStart:
        """The cheapest start and configuration of a job.

        Parameters
        ----------
        job : int
        total : ndarray, shape (S + 1, R)
            Sums of the prices of the slots before each.
        """
        options, known = self.of[job], self.jobs[job]
        cost, start, k = _cheapest(
            options.duration, options.amounts, total, known.arrival, known.weight
        )
        return BestStart(start, k, start + int(options.duration[k]), cost)

    def bound(self, prices: np.ndarray) -> float:
        """The bound that prices, shape (S, R), prove, rounded down."""
        total = sums(prices)
        least = math.fsum(self.best(job, total).cost for job in range(len(self.jobs)))
        taken = float((prices @ self.capacity).sum())
        return least - taken - OUTWARD * (least + taken)


def sums(prices: np.ndarray) -> np.ndarray:
    """Sums of the prices of the slots before each, shape (S + 1, R)."""
    return np.concatenate([np.zeros((1, prices.shape[1])), prices.cumsum(axis=0)])


def pool_bound(instance: CompletionInstance, prices: np.ndarray) -> float:
    """No schedule with constant placement has a smaller weighted completion time.

    Parameters
    ----------
    instance : CompletionInstance
    prices : ndarray, shape (S, R)
        Nonnegative and finite.

    Raises
    ------
    ValueError
        If prices have the wrong shape, are negative or not finite.
    """
    return PoolOracle(instance).bound(checked(instance, prices))


def checked(instance: CompletionInstance, prices: np.ndarray) -> np.ndarray:
    """Prices that prove something; raises ValueError if these do not."""
    if prices.ndim != 2 or prices.shape[1] != len(instance.cluster.resources):
        raise ValueError(f"prices have shape {prices.shape}")
    if not (np.isfinite(prices) & (prices >= 0.0)).all():
        raise ValueError("a price is negative or not finite")
    return np.asarray(prices, dtype=float)


def rounded(prices: np.ndarray) -> np.ndarray:
    """Prices with few digits, which are shorter in a file; none is below 0."""
    largest = float(prices.max(initial=0.0))
    if largest <= 0.0:
        return np.zeros_like(prices)
    return np.round(np.maximum(prices, 0.0), _DIGITS - 1 - math.floor(math.log10(largest))) + 0.0


@njit(cache=True)
def _cheapest(duration, amounts, total, first, weight):  # type: ignore[no-untyped-def]
    """Least weighted completion plus prices: the cost, its start and its configuration."""
    slots, resources = total.shape[0] - 1, total.shape[1]
    best, best_start, best_k = np.inf, -1, -1
    for start in range(first, slots + 1):
        for k in range(duration.shape[0]):
            completion = start + duration[k]
            cost = weight * completion
            if cost >= best:  # durations do not fall
                break
            stop = min(completion, slots)
            for r in range(resources):
                cost += amounts[k, r] * (total[stop, r] - total[start, r])
            if cost < best:
                best, best_start, best_k = cost, start, k
    if first > slots:
        best, best_start, best_k = weight * (first + duration[0]), first, 0
    return best, best_start, best_k

"""Lower bounds on the total JCT from any prices of worker-slots, without a solver.

Let every worker of type k cost b_k(t) >= 0 in slot t. For every feasible schedule

    sum_j JCT_j >= sum_j [JCT_j + price of j's edge worker-slots] - sum_k,t m_k b_k(t),

since m_k workers sell m_k worker-slots at most. Each bracket is at least the least one that job j
can have alone on the pool of its type (:func:`solvers.jct.oracle.best_pooled`), which knows the
delays, the rate limits and completion in whole slots, but not which worker holds which chunk:
the bound covers schedules that move chunks between edge workers, too. (None moves a chunk that has
been trained into or out of the cloud: the scorer wants whole chunks there.)

At the prices of the strengthened linear program it is at least that program's value. For the
program splits, at given prices, into one for each job, and each feasible pair of a schedule and
zeta in {0, 1} of the oracle is a point of it that costs no more; its fractional zeta only adds
points. JCTs are whole slots, so the bound may be rounded up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from solvers.jct.oracle import best_pooled
from solvers.jct.pool import Pool, PoolJob

__all__ = ["PriceBound", "price_bound", "rounded"]

_DECIMALS = 7
_SLACK = 1e-6  # by how much, in slots, a value may exceed a whole number and count as it
_ROUND_OFF = 1e-12  # of sums of floats, relatively


@dataclass(frozen=True)
class PriceBound:
    """What prices prove.

    Parameters
    ----------
    value : float
        The bound before it is rounded up, in slots.
    bound : int
        No schedule has a smaller total JCT, in slots.
    costs : tuple of float
        Least JCT plus price of each job.
    """

    value: float
    bound: int
    costs: tuple[float, ...]


def rounded(prices: np.ndarray) -> np.ndarray:
    """Prices with as many digits as a file needs, and without what round-off made negative."""
    return np.asarray(np.round(np.maximum(prices, 0.0), _DECIMALS) + 0.0)


def price_bound(pool: Pool, prices: np.ndarray) -> PriceBound | None:
    """Bound the total JCT; None if some job cannot complete before the horizon.

    Parameters
    ----------
    pool : Pool
    prices : ndarray, shape (types, H)
        Price of a worker in a slot, in slots of JCT, >= 0; 0 from slot H on.
    """
    costs = []
    for job in pool.jobs:
        cost = _least(job, prices, pool.slots)
        if cost is None:
            return None
        costs.append(cost)
    sold = math.fsum((prices * pool.workers[:, None]).ravel().tolist())
    value = math.fsum(costs) - sold
    slack = _SLACK + _ROUND_OFF * (abs(value) + 2.0 * sold)
    return PriceBound(value, math.ceil(value - slack), tuple(costs))


def _least(job: PoolJob, prices: np.ndarray, slots: int) -> float | None:
    if job.has_edge and prices[job.kind].any():
        best = best_pooled(job, prices[job.kind], slots)
        return None if best is None else best.cost
    return job.least_jct(slots)  # however many slots that are

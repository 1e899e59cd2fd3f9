"""The best schedule of one job at prices per worker-slot, all workers of its type being a pool."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from solvers.jct.pool import PoolJob

__all__ = ["Pooled", "best_pooled"]


@dataclass(frozen=True, eq=False)
class Pooled:
    """A schedule of one job on the pool, its price included in the cost.

    Parameters
    ----------
    jct : int
        Slots from its arrival to its completion.
    cost : float
        ``jct`` and what its worker-slots cost.
    slots, workers : ndarray of int64
        Slots in which it runs on the edge, and on how many workers; empty: all in the cloud.
    """

    jct: int
    cost: float
    slots: np.ndarray
    workers: np.ndarray


_NONE = np.zeros(0, dtype=np.int64)


def best_pooled(job: PoolJob, prices: np.ndarray, slots: int) -> Pooled | None:
    """Least JCT plus price of worker-slots; None if it cannot complete before the horizon.

    For each completion c < Delta_c + p_c, p D worker-slots before it are bought where they are
    cheapest, at most ``job.rates`` in a slot. A job with some chunks in the cloud completes at
    Delta_c + p at the earliest, so to have all of them there is no worse (p_c <= p) and buys
    nothing. With c the heap holds the cheapest slots before c: a slot once driven out by
    cheaper ones is never bought again.

    Parameters
    ----------
    job : PoolJob
    prices : ndarray, shape (H,)
        Of a worker of its type in each slot, >= 0; 0 from slot H on.
    slots : int
        Horizon T.
    """
    best = None
    if job.cloud_jct is not None:
        best = Pooled(job.cloud_jct, float(job.cloud_jct), _NONE, _NONE)
    if not job.has_edge:
        return best
    held: list[tuple[float, int, int]] = []  # dearest first: minus price, minus slot, workers
    count, spent = 0, 0.0
    known = len(prices)
    bought: list[tuple[float, int, int]] = []
    jct = job.first - job.release
    while best is None or jct + 1 < best.cost:
        slot = job.release + jct
        if slot >= slots:
            break
        rate = int(job.rates(np.array(jct)))
        price = float(prices[slot]) if slot < known else 0.0
        jct += 1
        heapq.heappush(held, (-price, -slot, rate))
        count, spent = count + rate, spent + rate * price
        while count > job.work:
            minus, place, workers = heapq.heappop(held)
            over = min(workers, count - job.work)
            count, spent = count - over, spent + over * minus
            if workers > over:
                heapq.heappush(held, (minus, place, workers - over))
        if count == job.work and (best is None or jct + spent < best.cost):
            bought = list(held)
            best = Pooled(jct, jct + spent, _NONE, _NONE)
    if best is None or not bought:
        return best
    rows = np.array(sorted((-place, workers) for _, place, workers in bought), dtype=np.int64)
    cost = best.jct + sum(-minus * workers for minus, _, workers in sorted(bought))
    return Pooled(best.jct, cost, rows[:, 0], rows[:, 1])

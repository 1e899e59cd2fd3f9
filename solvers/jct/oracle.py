"""The best schedule of one job at prices per worker-slot, all workers of its type being a pool."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
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

    Slots of one price and rate go together. While they drive out slots of one other price, the
    cost changes by the same amount with each of them, so it is least at an end; when nothing
    dearer is left, further ones are of no use.

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
        slots = min(slots, job.release + job.cloud_jct)
    if not job.has_edge:
        return best
    # Dearest first: minus price, minus first slot, worker-slots, workers in a slot.
    held: list[tuple[float, int, int, int]] = []
    count, spent = 0, 0.0
    bought: list[tuple[float, int, int, int]] = []
    for slot, stop, price, rate in _runs(job, prices, slots):
        if best is not None and slot - job.release + 1 >= best.cost:
            break
        while slot < stop:
            if count < job.work:
                some = -(-(job.work - count) // rate)
            elif -held[0][0] <= price:
                break
            else:
                some = max(1, held[0][2] // rate)
            some = min(some, stop - slot)
            heapq.heappush(held, (-price, -slot, some * rate, rate))
            count, spent = count + some * rate, spent + some * rate * price
            slot += some
            while count > job.work:
                minus, place, amount, workers = heapq.heappop(held)
                over = min(amount, count - job.work)
                count, spent = count - over, spent + over * minus
                if amount > over:
                    heapq.heappush(held, (minus, place, amount - over, workers))
            jct = slot - job.release
            if count == job.work and (best is None or jct + spent < best.cost):
                bought = list(held)
                best = Pooled(jct, jct + spent, _NONE, _NONE)
    if best is None or not bought:
        return best
    cost = best.jct + sum(-minus * amount for minus, _, amount, _ in sorted(bought))
    where, how_many = list[np.ndarray](), list[np.ndarray]()
    for _, place, amount, rate in sorted(bought, key=lambda group: -group[1]):
        full = np.full(-(-amount // rate), rate)
        full[-1] -= len(full) * rate - amount
        where.append(np.arange(-place, -place + len(full)))
        how_many.append(full)
    return Pooled(best.jct, cost, np.concatenate(where), np.concatenate(how_many))


def _runs(job: PoolJob, prices: np.ndarray, slots: int) -> Iterator[tuple[int, int, float, int]]:
    """Slots [start, stop) of one price and one rate of the job, from its first slot on."""
    known = prices[job.first : slots]
    cuts = np.concatenate(
        [
            [job.first],
            job.first + 1 + np.flatnonzero(known[1:] != known[:-1]),
            [job.first + len(known)],
            job.release + job.delays[: job.chunks],
        ]
    )
    cuts = np.unique(cuts[cuts < slots])
    priced = np.minimum(cuts, len(prices))
    return zip(
        cuts.tolist(),
        np.append(cuts, slots)[1:].tolist(),
        np.append(prices, 0.0)[priced].tolist(),
        job.rates(cuts - job.release).tolist(),
        strict=True,
    )

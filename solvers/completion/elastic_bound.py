"""Lower bounds from prices on elastic schedules, in which jobs pause and their workers vary.

With prices ``P[t, r] >= 0``, the same on all servers, let ``u_j(t)`` be the least price of a
mini-batch in slot t: the least, over all ways to place the job in a slot, of the price of what it
holds over the mini-batches ``N rho`` that are trained so. With ``Q_j`` the largest ``N rho``, a job
that completes at c pays at least the fractional knapsack of its work over its slots before c, at
most ``Q_j`` in each, the cheapest first. So every schedule costs at least

    sum_j min_c (w_j c + that knapsack) - sum_t P[t] . C,

as in :mod:`solvers.completion.pool_bound`. It is a bound on schedules with constant placement,
too, but a weaker one.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from models.completion.cluster import Cluster, Job
from models.completion.instance import CompletionInstance
from models.completion.rates import ROUND_OFF, minibatch_time
from solvers.completion.modes import (
    INTERNAL,
    PS_TYPE,
    WORKER_TYPE,
    WORKERS,
    amounts_of,
    placeable,
    undominated,
)
from solvers.completion.pool_bound import OUTWARD, checked

__all__ = ["elastic_bound"]

_LEVELS = (0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0)


def elastic_bound(instance: CompletionInstance, prices: np.ndarray) -> float:
    """No schedule that the scorer accepts has a smaller weighted completion time.

    Prices are as in :func:`solvers.completion.pool_bound.pool_bound`. Those of schedules with
    constant placement are often too high here; so the best bound of several multiples is taken.
    """
    prices = checked(instance, prices)
    cluster = instance.cluster.tolerant
    taken = float((prices @ cluster.servers.sum(axis=0)).sum())
    bounds = np.zeros(len(_LEVELS))
    for job in instance.jobs:
        amounts, most = _per_minibatch(job, cluster)
        unit = (prices @ amounts.T).min(axis=1)  # least price of a mini-batch in each slot
        needed = job.work * (1.0 - ROUND_OFF)
        for k, level in enumerate(_LEVELS):
            bounds[k] += _least_cost(level * unit, needed, most, job.arrival, job.weight)
    spent = taken * np.array(_LEVELS)
    return float((bounds - spent - OUTWARD * (bounds + spent)).max())


def _per_minibatch(job: Job, cluster: Cluster) -> tuple[np.ndarray, float]:
    """Undominated resources per mini-batch of the ways to place a job, (n, R); most in a slot."""
    pairs = [
        (internal, m, p)
        for internal in (1, 0)
        for m in range(len(cluster.worker_types))
        for p in cluster.ps_choices
    ]
    least = {1: 1, 0: 2 if cluster.allreduce else 1}
    rows = [(*at, n, 0) for at in pairs for n in range(least[at[0]], job.chunks + 1)]
    modes = placeable(job, cluster, np.array(rows, dtype=np.int64))
    workers = modes[:, WORKERS]
    time = minibatch_time(
        job, modes[:, WORKER_TYPE], modes[:, PS_TYPE], workers, modes[:, INTERNAL] > 0
    )
    amounts = amounts_of(modes, cluster) * (time / workers)[:, None]
    kept = undominated(amounts)
    return amounts[kept], float((workers / time).max())


@njit(cache=True)
def _least_cost(unit, work, most, first, weight):  # type: ignore[no-untyped-def]
    """Least weighted completion plus price of the work, at so much per mini-batch in each slot."""
    slots = unit.shape[0]
    whole = int(np.floor(work / most))
    rest = work - whole * most
    length = max(1, whole + (1 if rest > 0.0 else 0))
    cheapest = np.full(length, np.inf)  # prices of the slots used, ascending
    best, completion = np.inf, first
    while weight * (completion + 1) < best:
        price = unit[completion] if completion < slots else 0.0
        completion += 1
        place = length - 1
        if price < cheapest[place]:
            while place > 0 and cheapest[place - 1] > price:
                cheapest[place] = cheapest[place - 1]
                place -= 1
            cheapest[place] = price
        if completion - first < length:
            continue
        cost = weight * completion + rest * cheapest[length - 1]
        for slot in range(whole):
            cost += most * cheapest[slot]
        best = min(best, cost)
    return best

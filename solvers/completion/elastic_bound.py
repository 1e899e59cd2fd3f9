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

from itertools import product

import numpy as np
from numba import njit

from models.completion.cluster import Cluster, Job
from models.completion.instance import CompletionInstance
from models.completion.rates import ROUND_OFF, minibatch_time
from solvers.completion.modes import WORKERS, amounts_of, placeable, undominated
from solvers.price_certificate import OUTWARD, TreePrices, checked

__all__ = ["elastic_bound", "wider_bound"]

_LEVELS = (0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0)


def elastic_bound(instance: CompletionInstance, prices: np.ndarray) -> float:
    """No schedule that the scorer accepts has a smaller weighted completion time.

    Prices are as in :func:`solvers.completion.pool_bound.pool_bound`. Those of schedules with
    constant placement are often too high here; so the best bound of several multiples is taken.
    """
    prices = checked(prices, len(instance.cluster.resources))
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


def wider_bound(instance: CompletionInstance, prices: TreePrices) -> float:
    """The same of the prices outside the tree: those of its leaves are of constant placement."""
    return elastic_bound(instance, prices.prices)


def _per_minibatch(job: Job, cluster: Cluster) -> tuple[np.ndarray, float]:
    """Undominated resources per mini-batch of the ways to place a job, (n, R); most in a slot."""
    kept, fastest = [], np.inf  # slots per mini-batch
    for internal, m, p in product((1, 0), range(len(cluster.worker_types)), cluster.ps_choices):
        least = 1 if internal or not cluster.allreduce else 2
        number = np.arange(least, job.chunks + 1)
        rows = np.column_stack([np.tile([internal, m, p], (len(number), 1)), number, 0 * number])
        modes = placeable(job, cluster, rows)
        if len(modes):
            workers = modes[:, WORKERS]
            slots = minibatch_time(job, m, p, workers, internal > 0) / workers
            amounts = amounts_of(modes, cluster) * slots[:, None]
            kept.append(amounts[undominated(amounts)])
            fastest = min(fastest, float(slots.min()))
    found = np.concatenate(kept)
    return found[undominated(found)], 1.0 / max(fastest, 1.0 / job.work)  # at most its work


@njit(cache=True)
def _least_cost(unit, work, most, first, weight):  # type: ignore[no-untyped-def]
    """Least weighted completion plus price of the work, at so much per mini-batch in each slot."""
    slots = unit.shape[0]
    whole = int(np.floor(work / most))
    rest = work - whole * most
    length = max(1, whole + (1 if rest > 0.0 else 0))
    # Prices of the slots used, ascending, but of the slots without one: there may be millions.
    cheapest = np.full(min(length, max(0, slots - first)), np.inf)
    best, completion = np.inf, first
    while weight * (completion + 1) < best:
        place = cheapest.shape[0] - 1
        if completion < slots and unit[completion] < cheapest[place]:
            while place > 0 and cheapest[place - 1] > unit[completion]:
                cheapest[place] = cheapest[place - 1]
                place -= 1
            cheapest[place] = unit[completion]
        completion += 1
        if completion - first < length:
            continue
        free = max(0, completion - max(first, slots))
        cost = weight * completion
        if free < length:
            cost += rest * cheapest[length - free - 1]
        for slot in range(whole - free):
            cost += most * cheapest[slot]
        best = min(best, cost)
    return best

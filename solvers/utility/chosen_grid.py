"""A grid of time whose intervals join slots with nearly the same prices."""

from __future__ import annotations

import math

import numpy as np

from models.utility.instance import UtilityInstance
from solvers.utility.pool_bound import PoolPrices
from solvers.utility.time_grid import TimeGrid

__all__ = ["chosen_grid"]


def chosen_grid(
    instance: UtilityInstance, prices: PoolPrices, completions: np.ndarray, share: float
) -> TimeGrid:
    """Intervals in which prices vary as little as possible.

    A program on a grid has one dual price for a whole interval. What it loses against the program
    slot by slot is therefore small where the prices of the slots are nearly the same. The intervals
    have the least sum of squares of what a worker of each job, and its share of a parameter server,
    costs in a slot less the average of the interval, weighted by how much work the job has done in
    a fractional solution.

    Parameters
    ----------
    instance : UtilityInstance
    prices : PoolPrices
        Those of the fractional solution.
    completions : ndarray, shape (T, I)
        Share of each job that completes in each slot of that solution.
    share : float
        How many intervals there are, as a share of the slots.

    References
    ----------
    W. D. Fisher. On grouping for maximum homogeneity. Journal of the American Statistical
    Association 53, 1958.
    """
    work = np.array([job.work for job in instance.jobs]) * completions.sum(axis=0)
    loss = sum(_sums_of_squares(cost, work) for cost in _costs(instance, prices))
    slots = instance.cluster.slots
    return TimeGrid(slots, _best_starts(np.asarray(loss), math.ceil(share * slots)))


def _costs(instance: UtilityInstance, prices: PoolPrices) -> tuple[np.ndarray, np.ndarray]:
    """What a worker, and its share of a parameter server, cost by slot and job, shape (T, I)."""
    jobs, shape = instance.jobs, (len(instance.jobs), prices.worker.shape[1])
    worker = np.array([job.worker for job in jobs]).reshape(shape)
    ps = np.array([job.ps for job in jobs]).reshape(shape)
    costs = prices.worker @ worker.T, prices.ps @ ps.T
    for cut in prices.cuts:
        costs[cut.side][cut.slot] += cut.price * cut.weight
    return costs[0], costs[1] * np.array([job.worker_gbps / job.ps_gbps for job in jobs])


def _sums_of_squares(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted squares of what rows differ from their mean, for all first and last rows.

    Shape (T, T); infinite where the last row comes before the first.
    """
    count, columns = values.shape
    sums, squares = (np.vstack([np.zeros(columns), v.cumsum(axis=0)]) for v in (values, values**2))
    result = np.full((count, count), math.inf)
    for first in range(count):
        rows = np.arange(1, count - first + 1)[:, None]
        total, square = sums[first + 1 :] - sums[first], squares[first + 1 :] - squares[first]
        result[first, first:] = np.maximum(square - total**2 / rows, 0.0) @ weight
    return result


def _best_starts(loss: np.ndarray, count: int) -> list[int]:
    """First slots of so many intervals that lose the least in all; ``loss[first, last]``."""
    slots = len(loss)
    least = loss[0]  # up to each last slot, in one interval
    starts = np.zeros((count, slots), dtype=np.int64)  # of the last of so many intervals
    for number in range(1, count):
        before = np.append(math.inf, least[:-1])[:, None]  # up to the slot before each first one
        starts[number] = (before + loss).argmin(axis=0)
        least = (before + loss).min(axis=0)
    found, last = list[int](), slots - 1
    for number in reversed(range(count)):
        found.append(int(starts[number, last]))
        last = found[-1] - 1
    return found

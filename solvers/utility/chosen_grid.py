"""A grid of time whose intervals join slots with nearly the same prices."""

from __future__ import annotations

import math

import numpy as np

from models.utility.instance import UtilityInstance
from solvers.utility.pool_bound import PoolPrices
from solvers.utility.time_grid import TimeGrid

__all__ = ["chosen_grid"]

_EVEN = 1e-6  # of the loss of one interval for all slots; so little changes nothing but ties


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
        Those of a column generation.
    completions : ndarray, shape (T, I)
        Share of each job that completes in each slot of its fractional solution.
    share : float
        How many intervals there are, as a share of the slots; above 0, at most 1.

    References
    ----------
    W. D. Fisher. On grouping for maximum homogeneity. Journal of the American Statistical
    Association 53, 1958.
    """
    work = np.array([job.work for job in instance.jobs]) * completions.sum(axis=0)
    workers, ps = _costs(instance, prices)
    scale = max(workers.max(initial=0.0), ps.max(initial=0.0)) or 1.0  # or squares may overflow
    loss = _sums_of_squares(workers / scale, work) + _sums_of_squares(ps / scale, work)
    slots = instance.cluster.slots
    # Where prices leave a choice, short intervals are better.
    length = np.arange(1, slots + 1) - np.arange(slots)[:, None]
    loss += _EVEN * (loss[0, -1] or 1.0) * (length / slots) ** 2
    return TimeGrid(slots, _best_starts(loss, math.ceil(share * slots)))


def _costs(instance: UtilityInstance, prices: PoolPrices) -> tuple[np.ndarray, np.ndarray]:
    """What a worker, and its share of a parameter server, cost by slot and job, shape (T, I)."""
    workers, ps = instance.demand
    costs = prices.worker @ workers.T, prices.ps @ ps.T
    for cut in prices.cuts:
        costs[cut.side][cut.slot] += cut.price * cut.weight
    return costs[0], costs[1] * np.array([job.worker_gbps / job.ps_gbps for job in instance.jobs])


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
        total = before + loss
        starts[number], least = total.argmin(axis=0), total.min(axis=0)
    found, last = list[int](), slots - 1
    for number in reversed(range(count)):
        found.append(int(starts[number, last]))
        last = found[-1] - 1
    return found

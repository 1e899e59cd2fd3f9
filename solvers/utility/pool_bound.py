"""Upper bounds from prices of pooled capacities and packing cuts; no LP solver involved.

Every schedule that the scorer accepts obeys, in each slot t and on each side, with c the tolerant
capacities (:mod:`models.tolerance`),

- pooled capacities: ``sum_i w_i^r n_i(t) <= sum_h c_h^r``;
- packing cuts: ``sum_i u_i n_i(t) <= sum_h max {u y : y whole, sum_i w_i y_i <= c_h}``,
  for any nonnegative weights u.

Prices ``p^r(t)`` and ``q`` of these rows make a worker of job i cost
``pi_i(t) = sum_r p^r(t) w_i^r + sum_cuts q u_i``, and by weak duality

    OPT <= sum_i max(0, best payoff of job i at pi_i) + sum p C + sum q (right-hand side).

Without cuts this is (19) at prices equal on all servers of a side. With them it is stronger than
the LP of (14), which lets two jobs share a server in fractions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from models.utility.instance import UtilityInstance
from solvers.utility.packing_groups import most_worth, packing_groups
from solvers.utility.totals import TotalsOracle

__all__ = ["PoolPrices", "PricedCut", "pool_bound", "rounded"]

_OUTWARD = 1e-9
_DIGITS = 7


@dataclass(frozen=True, eq=False)
class PricedCut:
    """A packing cut and its price.

    Parameters
    ----------
    side : int
        0 = workers, 1 = parameter servers.
    slot : int
    price : float
        q.
    weight : ndarray, shape (I,)
        u.
    """

    side: int
    slot: int
    price: float
    weight: np.ndarray


@dataclass(frozen=True, eq=False)
class PoolPrices:
    """Prices that prove a bound.

    Parameters
    ----------
    worker, ps : ndarray, shape (T, R)
        ``p^r(t)`` of the pooled worker servers and parameter servers.
    cuts : tuple of PricedCut
    """

    worker: np.ndarray
    ps: np.ndarray
    cuts: tuple[PricedCut, ...] = ()


def rounded(prices: PoolPrices) -> PoolPrices:
    """Prices clipped at 0, with 7 significant digits: short to store, and accurate to 1e-7.

    The weights of the cuts are not rounded. Mostly they are whole numbers in some unit, and the
    search for the best packing skips ties, which it could not recognise after rounding.
    """
    return PoolPrices(
        _short(prices.worker),
        _short(prices.ps),
        tuple(replace(cut, price=float(_short(np.array(cut.price)))) for cut in prices.cuts),
    )


def _short(values: np.ndarray) -> np.ndarray:
    numbers = [float(f"{max(x, 0.0):.{_DIGITS}g}") for x in values.ravel().tolist()]
    return np.array(numbers).reshape(values.shape)


def pool_bound(instance: UtilityInstance, prices: PoolPrices) -> float:
    """The bound above, rounded up by 1e-9 relative.

    Negative prices and weights count as 0. The right-hand sides of the cuts are computed anew.

    Raises
    ------
    ValueError
        If a shape is wrong, a slot or side does not exist, or a number is not finite.
    """
    cluster, jobs = instance.cluster.tolerant, instance.jobs
    demand = [
        np.array([job.worker for job in jobs]).reshape(-1, len(cluster.resources)),
        np.array([job.ps for job in jobs]).reshape(-1, len(cluster.resources)),
    ]
    servers = (cluster.worker_servers, cluster.ps_servers)
    limit = np.array([job.chunks for job in jobs], dtype=np.int64)
    total = 0.0
    cost = []
    for side, given in enumerate((prices.worker, prices.ps)):
        price = _nonnegative(given, (cluster.slots, len(cluster.resources)))
        total += float((price * servers[side].sum(axis=0)).sum())
        cost.append(demand[side] @ price.T)  # [I, T]
    groups = [packing_groups(side) for side in servers]
    for cut in prices.cuts:
        if cut.side not in (0, 1) or not 0 <= cut.slot < cluster.slots:
            raise ValueError(f"no side {cut.side} or slot {cut.slot}")
        weight = _nonnegative(cut.weight, (len(jobs),))
        paid = float(_nonnegative(np.array(cut.price), ()))
        total += paid * most_worth(groups[cut.side], demand[cut.side], weight, limit)
        cost[cut.side][:, cut.slot] += paid * weight
    for job in jobs:
        column = TotalsOracle(job, cluster).best(cost[0][job.index], cost[1][job.index])
        if column is not None:
            total += max(0.0, column.payoff)
    return total * (1.0 + _OUTWARD)


def _nonnegative(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if values.shape != shape:
        raise ValueError(f"shape {values.shape}, expected {shape}")
    if not np.isfinite(values).all():
        raise ValueError("a number is not finite")
    return np.maximum(values, 0.0)

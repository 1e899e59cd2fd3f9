"""Upper bounds from prices of pooled capacities and packing cuts; no LP solver involved.

Every schedule that the scorer accepts obeys, in each slot t and on each side, with c the tolerant
capacities (:mod:`models.tolerance`),

- pooled capacities: ``sum_i w_i^r n_i(t) <= sum_h c_h^r``;
- packing cuts: ``sum_i u_i n_i(t) <= sum_h max {u y : y whole, sum_i w_i y_i <= c_h}``,
  for any nonnegative weights u, where no y_i is above what job i may run at all in the slot.

Prices ``p^r(t)`` and ``q`` of these rows make a worker of job i cost
``pi_i(t) = sum_r p^r(t) w_i^r + sum_cuts q u_i``, and by weak duality

    OPT <= sum_i max(0, best payoff of job i at pi_i) + sum p C + sum q (right-hand side).

Without cuts this is (19) at prices equal on all servers of a side. With them it is stronger than
the LP of (14), which lets two jobs share a server in fractions.

Where only some deadlines and numbers of workers are allowed
(:mod:`solvers.utility.deadline_tree`), the same holds with payoffs over these alone; the payoff of
a job that may not stay out counts even if it is negative. The largest bound over the leaves of a
tree is a bound on all schedules.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from models.utility.instance import UtilityInstance
from solvers.branching_tree import leaves
from solvers.packing_groups import most_worth, packing_groups
from solvers.utility.deadline_tree import Allowed, Branch
from solvers.utility.totals import TotalsOracle

__all__ = ["PoolBounds", "PoolPrices", "PricedCut", "pool_bound", "rounded"]

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
    tree : tuple of Branch and PoolPrices
        Branchings, and the prices of the leaves, in preorder
        (:func:`solvers.branching_tree.leaves`); if it is empty, there is none.
    """

    worker: np.ndarray
    ps: np.ndarray
    cuts: tuple[PricedCut, ...] = ()
    tree: tuple[Branch | PoolPrices, ...] = ()


def rounded(prices: PoolPrices) -> PoolPrices:
    """Prices clipped at 0, with 7 significant digits: short to store, and accurate to 1e-7.

    The weights of the cuts are not rounded. Mostly they are whole numbers in some unit, and the
    search for the best packing skips ties, which it could not recognise after rounding.
    """
    return PoolPrices(
        _short(prices.worker),
        _short(prices.ps),
        tuple(replace(cut, price=float(_short(np.array(cut.price)))) for cut in prices.cuts),
        tuple(node if isinstance(node, Branch) else rounded(node) for node in prices.tree),
    )


def _short(values: np.ndarray) -> np.ndarray:
    numbers = [float(f"{max(x, 0.0):.{_DIGITS}g}") for x in values.ravel().tolist()]
    return np.array(numbers).reshape(values.shape)


def pool_bound(instance: UtilityInstance, prices: PoolPrices) -> float:
    """The bound above, rounded up by 1e-9 relative; with a tree, that of the tree if it is better.

    Negative prices and weights count as 0. The right-hand sides of the cuts are computed anew.

    Raises
    ------
    ValueError
        If a shape is wrong, a slot or side does not exist, a number is not finite, or the tree is
        none.
    """
    bounds = PoolBounds(instance)
    everything = Allowed.all(len(instance.jobs), instance.cluster.slots)
    root = bounds.at(prices, everything)
    if not prices.tree:
        return root
    # No schedule is worth less than nothing: so much is left where a leaf proves that it is empty.
    return min(root, max(0.0, *(bounds.at(*leaf) for leaf in leaves(prices.tree, everything))))


class PoolBounds:
    """Bounds of one instance; what is the same at all prices is computed once.

    Parameters
    ----------
    instance : UtilityInstance
    """

    def __init__(self, instance: UtilityInstance) -> None:
        self._cluster = cluster = instance.cluster.tolerant
        jobs = instance.jobs
        self._demand, self._servers = instance.demand, cluster.sides
        self._groups = [packing_groups(side) for side in self._servers]
        self._limit = np.array([job.chunks for job in jobs], dtype=np.int64)
        self._oracles = [TotalsOracle(job, cluster) for job in jobs]
        self._worths: dict[tuple[int, bytes, bytes], float] = {}

    def at(self, prices: PoolPrices, allowed: Allowed) -> float:
        """What prices, without their tree, prove of the schedules with what is allowed.

        Minus infinity if some job cannot do what it has to, infinity if a number is too large.
        Raises ValueError as :func:`pool_bound` does.
        """
        slots = self._cluster.slots
        total = lost = 0.0
        cost = []
        for side, given in enumerate((prices.worker, prices.ps)):
            price = _nonnegative(given, (slots, len(self._cluster.resources)))
            total += float((price * self._servers[side].sum(axis=0)).sum())
            cost.append(self._demand[side] @ price.T)  # [I, T]
        for cut in prices.cuts:
            if cut.side not in (0, 1) or not 0 <= cut.slot < slots:
                raise ValueError(f"no side {cut.side} or slot {cut.slot}")
            weight = _nonnegative(cut.weight, (len(self._oracles),))
            paid = float(_nonnegative(np.array(cut.price), ()))
            total += paid * self._most_worth(cut.side, weight, allowed.most[:, cut.slot])
            cost[cut.side][:, cut.slot] += paid * weight
        for i, oracle in enumerate(self._oracles):
            first, last = int(allowed.first[i]), int(allowed.last[i])
            workers = allowed.least[i], allowed.most[i]
            try:
                column = oracle.best(cost[0][i], cost[1][i], first, last, workers)
            except OverflowError:
                return math.inf
            if last == slots:
                total += max(0.0, column.payoff) if column is not None else 0.0
            elif column is None:
                return -math.inf  # no schedule is so
            else:
                total += column.payoff
                lost += max(0.0, -column.payoff)
        # The margin is for all that was added up; what was lost has been added with both signs.
        bound = total * (1.0 + _OUTWARD) + 2.0 * lost * _OUTWARD
        return bound if math.isfinite(bound) else math.inf

    def _most_worth(self, side: int, weight: np.ndarray, workers: np.ndarray) -> float:
        pairs = zip(self._oracles, workers.tolist(), strict=True)
        limit = np.array([o.most_ps(n) if side else min(o.most, n) for o, n in pairs])
        limit = np.where(weight > 0, np.minimum(limit, self._limit), 0)
        key = side, weight.tobytes(), limit.tobytes()
        if key not in self._worths:
            groups, demand = self._groups[side], self._demand[side]
            self._worths[key] = most_worth(groups, demand, weight, limit)
        return self._worths[key]


def _nonnegative(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if values.shape != shape:
        raise ValueError(f"shape {values.shape}, expected {shape}")
    if not np.isfinite(values).all():
        raise ValueError("a number is not finite")
    return np.maximum(values, 0.0)

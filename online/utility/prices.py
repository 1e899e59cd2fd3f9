"""Price books of the ``utility`` problem: free capacities and current prices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.utility.column import Column, Resources
from models.utility.instance import Cluster, Job
from online.price_function import PriceFunction
from online.price_range import resource_scale
from online.utility.price_bounds import PriceBounds
from solvers.utility.oracle import full_capacity, zero_prices

__all__ = ["ExponentialPrices", "ZeroPrices"]


class ZeroPrices:
    """Everything is free of charge until it is taken.

    Parameters
    ----------
    cluster : Cluster
    """

    def __init__(self, cluster: Cluster) -> None:
        full = full_capacity(cluster)
        self.free = Resources(full.worker.copy(), full.ps.copy())
        self.prices = zero_prices(cluster)

    def take(self, job: Job, column: Column) -> Mapping[str, Any]:
        """Take a column's resources."""
        for free, rows, demand in (
            (self.free.worker, column.workers, job.worker),
            (self.free.ps, column.ps, job.ps),
        ):
            free[rows[:, 0], rows[:, 1]] -= rows[:, 2:3] * demand
        return {}


class ExponentialPrices:
    """The price functions (22): ``L (U/L)^(g/c)``, updated where resources are taken.

    Parameters
    ----------
    cluster : Cluster
    bounds : PriceBounds

    Attributes
    ----------
    prices, free : Resources
        Current prices per unit of the instance, and free capacities. A resource with
        capacity 0, or that nobody demands, has price 0.
    initial_dual : float
        ``D_0``, the dual objective before the first job.
    """

    def __init__(self, cluster: Cluster, bounds: PriceBounds) -> None:
        full = full_capacity(cluster)
        self._cluster = cluster
        self.free = Resources(full.worker.copy(), full.ps.copy())
        self.reprice(bounds)
        self.initial_dual = float(
            (self.prices.worker * full.worker).sum() + (self.prices.ps * full.ps).sum()
        )

    def reprice(self, bounds: PriceBounds) -> None:
        """Set the prices to what other bounds make of what is free now."""
        servers = self._cluster.worker_servers, self._cluster.ps_servers
        self._worker, self._ps = (
            PriceFunction(capacity, side.upper, side.lower, resource_scale(capacity, bounds.units))
            for capacity, side in zip(servers, bounds.sides, strict=True)
        )
        self.prices = Resources(self._worker.at(self.free.worker), self._ps.at(self.free.ps))

    def take(self, job: Job, column: Column) -> Mapping[str, Any]:
        """Take a column's resources and raise the prices (lines 7-10 of Alg. 1).

        Returns
        -------
        dict
            ``primal_step`` and ``dual_step`` (``P_i - P_{i-1}``, ``D_i - D_{i-1}``) and
            ``alpha_i``, the largest ``(e^(a d) - 1) / d`` over what is touched, with
            ``a = ln(U/L)`` and d = amount taken / capacity: the step inequality
            ``primal_step >= dual_step / max(1, alpha_i)`` always holds.
        """
        alpha, dual = 0.0, column.payoff
        for side, free, price, rows, demand in (
            (self._worker, self.free.worker, self.prices.worker, column.workers, job.worker),
            (self._ps, self.free.ps, self.prices.ps, column.ps, job.ps),
        ):
            slots, servers = rows[:, 0], rows[:, 1]
            touched, rise = side.take(free, price, slots, servers, rows[:, 2:3] * demand)
            alpha, dual = max(alpha, touched), dual + rise
        return {"primal_step": column.value, "dual_step": dual, "alpha_i": alpha}

"""Price books of the ``utility`` problem: free capacities and current prices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from models.utility.column import Column, Resources
from models.utility.instance import Cluster, Job
from online.utility.price_bounds import PriceBounds, resource_scales
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
        self.free = Resources(full.worker.copy(), full.ps.copy())
        scales = resource_scales(cluster, bounds.units)
        self._worker = _Side(cluster.worker_servers, bounds.U1, bounds.L1, scales[0])
        self._ps = _Side(cluster.ps_servers, bounds.U2, bounds.L2, scales[1])
        self.prices = Resources(self._worker.start(cluster.slots), self._ps.start(cluster.slots))
        self.initial_dual = float(
            (self.prices.worker * full.worker).sum() + (self.prices.ps * full.ps).sum()
        )

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
            touched, rise = side.take(free, price, rows, demand)
            alpha, dual = max(alpha, touched), dual + rise
        return {"primal_step": column.value, "dual_step": dual, "alpha_i": alpha}


class _Side:
    """Prices of the servers of one side."""

    def __init__(
        self, capacity: np.ndarray, upper: np.ndarray, lower: float, scale: np.ndarray
    ) -> None:
        self._capacity = capacity
        priced = (upper > 0) & (capacity > 0)  # [S, R]
        self._log = np.where(priced, np.log(np.where(upper > 0, upper, 1.0) / (lower or 1.0)), 0.0)
        self._start = np.where(priced, lower / scale, 0.0)

    def start(self, slots: int) -> np.ndarray:
        """Prices before the first job, shape (T, S, R)."""
        return np.repeat(self._start[None], slots, axis=0)

    def take(
        self, free: np.ndarray, price: np.ndarray, rows: np.ndarray, demand: np.ndarray
    ) -> tuple[float, float]:
        """Update free capacity and prices in place; returns alpha_i and the rise of D."""
        slots, servers = rows[:, 0], rows[:, 1]
        capacity, log = self._capacity[servers], self._log[servers]
        amount = rows[:, 2:3] * demand
        free[slots, servers] -= amount
        share = np.divide(amount, capacity, out=np.zeros_like(amount), where=capacity > 0)
        old = price[slots, servers]
        new = old * np.exp(log * share)
        price[slots, servers] = new
        touched = (share > 0) & (log > 0)
        if not touched.any():
            return 0.0, 0.0
        alpha = np.expm1(log[touched] * share[touched]) / share[touched]
        return float(alpha.max()), float((capacity * (new - old)).sum())

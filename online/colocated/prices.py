"""The price book of PD-ORS: free capacities and current prices of shared servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from models.colocated.cluster import Cluster, Job
from models.colocated.column import Column
from online.colocated.price_bounds import PriceBounds, Sides
from online.price_function import PriceFunction
from online.price_range import resource_scale

__all__ = ["ExponentialPrices"]


class ExponentialPrices:
    """The price function (12): ``L (U/L)^(rho/C)``, updated where resources are taken.

    Parameters
    ----------
    cluster : Cluster
    bounds : PriceBounds
    sides : Sides, optional
        The servers of each of the two ranges of the bounds; without, there is one of all servers.

    Attributes
    ----------
    prices, free : ndarray, shape (T, H, R)
        Current prices per unit of the instance, and free capacities. A resource with
        capacity 0, or that nobody demands, has price 0.
    initial_dual : float
        The dual objective (10) before the first job.
    """

    def __init__(self, cluster: Cluster, bounds: PriceBounds, sides: Sides | None = None) -> None:
        servers = cluster.servers
        upper, scale = np.zeros_like(servers), np.ones_like(servers)
        lower = np.zeros((len(servers), 1))
        for side, limits in zip(sides or (np.arange(len(servers)),), bounds.ranges, strict=True):
            if len(side):
                upper[side], lower[side] = limits.upper, limits.lower
                scale[side] = resource_scale(servers[side], bounds.units)
        self._function = PriceFunction(servers, upper, lower, scale)
        self.free = np.repeat(servers[None], cluster.slots, axis=0)
        self.prices = self._function.at(self.free)
        self.initial_dual = float((self.prices * servers).sum())

    def take(self, job: Job, column: Column) -> Mapping[str, Any]:
        """Take a column's resources and raise the prices (step 3 of Alg. 1).

        Returns
        -------
        dict
            ``primal_step`` and ``dual_step``, by how much the objectives (8) and (10) rise, and
            ``alpha_i``, the largest ``(e^(a d) - 1) / d`` over what is touched, with
            ``a = ln(U/L)`` and d = amount taken / capacity: the step inequality
            ``primal_step >= dual_step / max(1, alpha_i)`` always holds.
        """
        rows = np.concatenate([column.workers, column.ps])
        amounts = np.concatenate([column.workers[:, 2:3] * job.worker, column.ps[:, 2:3] * job.ps])
        keys, place = np.unique(rows[:, :2], axis=0, return_inverse=True)
        amount = np.zeros((len(keys), amounts.shape[1]))
        np.add.at(amount, place.ravel(), amounts)
        alpha, rise = self._function.take(self.free, self.prices, keys[:, 0], keys[:, 1], amount)
        return {
            "primal_step": column.value,
            "dual_step": column.payoff + rise,
            "alpha_i": alpha,
        }

"""The oracle of the ``reward`` problem: a bound from any multipliers, without a solver.

The penalty of a copy m of a port is a largest element, so the least bound by a mean of them:
``max_k beta_k Y_mk = max over lambda in the simplex of sum_k lambda_k beta_k Y_mk``. For any
fixed ``lambda`` the reward is therefore at most one that separates by server and device, and
there a rent ``mu >= 0`` on the capacity separates it by channel:

``sum_rk mu_rk c_rk + sum_m sum_channels max_y w_m (f(y) - lambda_mk beta_k y) - mu_rk y``.

This is a bound for every ``lambda`` and ``mu``, and for weights 0 and 1 it is a sum over the
copies that have a job: one pair (lambda, mu) bounds the slot of every arrival pattern.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from models.reward.instance import Cluster
from models.reward.reward import RewardFunction
from solvers.reward.oracle_kernels import earnings, respond

__all__ = ["Lagrangian", "Oracle", "Response", "normalised"]

#: More than what the scorer lets pass of (3) and (4): what it accepts cannot beat a bound.
_SLACK = 1.01e-9
_OUTWARD = 1e-9  # relative, for the sums
_TERM = 1e-14  # relative to the terms of the differences in a sum


@dataclass(frozen=True)
class Response:
    """Best allocation at the prices of a copy's devices.

    Parameters
    ----------
    y : ndarray, shape (C, K)
        A feasible allocation.
    rent : ndarray, shape (R, K)
        Multipliers of the capacities.
    """

    y: np.ndarray
    rent: np.ndarray


@dataclass(frozen=True)
class Lagrangian:
    """Bound of a weighted reward, by copies.

    Parameters
    ----------
    base : float
        What the capacities are worth at their rents.
    earned : ndarray, shape (M,)
        What each copy earns beyond.
    """

    base: float
    earned: np.ndarray

    @property
    def value(self) -> float:
        """No feasible allocation has a larger weighted reward."""
        return float(self.base + self.earned.sum())


def normalised(multipliers: np.ndarray) -> np.ndarray:
    """Nonnegative rows scaled to the simplex; rows of zeros become uniform."""
    total = multipliers.sum(axis=1, keepdims=True)
    share = 1.0 / multipliers.shape[1]
    return np.where(total > 0.0, multipliers / np.where(total > 0.0, total, 1.0), share)


@dataclass(frozen=True, eq=False)
class Oracle:
    """What of a cluster the compiled kernels need.

    Parameters
    ----------
    cluster : Cluster
    """

    cluster: Cluster

    @cached_property
    def copy(self) -> np.ndarray:
        """Copy of each channel, shape (C,)."""
        return np.ascontiguousarray(self.cluster.lane_copy[self.cluster.lane])

    @cached_property
    def channels(self) -> tuple[np.ndarray, np.ndarray]:
        """Channels sorted by copy, shape (C,), and where those of each begin, shape (M + 1,)."""
        order = np.argsort(self.copy, kind="stable")
        return order, np.searchsorted(self.copy[order], np.arange(self.copies + 1))

    @cached_property
    def reward(self) -> RewardFunction:
        """The reward (5) of the cluster, gang rules included."""
        return RewardFunction(self.cluster)

    @cached_property
    def without_gangs(self) -> Oracle:
        """The same cluster without its gang rules, which only take rewards away."""
        if not self.cluster.has_gangs:
            return self
        none = np.zeros_like(self.cluster.minimum_running)
        return Oracle(replace(self.cluster, minimum_running=none))

    @property
    def copies(self) -> int:
        """Number M of copies."""
        return len(self.cluster.copy_port)

    def totals(self, y: np.ndarray) -> np.ndarray:
        """Devices that each copy gets on all servers, shape (M, K)."""
        table = np.zeros((self.copies, y.shape[1]))
        np.add.at(table, self.copy, y)
        return table

    def respond(self, weights: np.ndarray, multipliers: np.ndarray) -> Response:
        """Maximise the separated reward.

        Parameters
        ----------
        weights : ndarray, shape (M,)
            How often each copy is rewarded.
        multipliers : ndarray, shape (M, K)
            Rows in the simplex.
        """
        cluster = self.cluster
        y = np.empty(cluster.shape)
        rent = np.empty(cluster.capacities.shape)
        respond(
            weights.astype(float), multipliers * cluster.beta, self.copy, cluster.upper,
            cluster.capacities, cluster.server_start, cluster.kind, cluster.alpha, y, rent,
        )  # fmt: skip
        return Response(y, rent)

    def lagrangian(
        self, weights: np.ndarray, multipliers: np.ndarray, rent: np.ndarray
    ) -> Lagrangian:
        """Bound at any multipliers and rents, rounded outward by 1e-9 relative.

        It holds for whatever the scorer lets pass: (3) and (4) up to 1e-9, any gang rule.

        Parameters
        ----------
        weights : ndarray, shape (M,)
        multipliers : ndarray, shape (M, K)
            Rows in the simplex.
        rent : ndarray, shape (R, K)
            At least 0.
        """
        cluster = self.cluster
        earned, size = np.empty(self.copies), np.empty(self.copies)
        earnings(
            weights.astype(float), multipliers * cluster.beta, self.copy, cluster.upper,
            cluster.server_start, cluster.kind, cluster.alpha, rent, _SLACK, earned, size,
        )  # fmt: skip
        capacity = cluster.capacities + _SLACK * np.maximum(1.0, cluster.capacities)
        base = float((rent * capacity).sum())
        return Lagrangian(base * (1.0 + _OUTWARD), earned * (1.0 + _OUTWARD) + _TERM * size)

    def bound(self, weights: np.ndarray, multipliers: np.ndarray) -> float:
        """The best bound at these multipliers: the dual value."""
        return self.lagrangian(weights, multipliers, self.respond(weights, multipliers).rent).value

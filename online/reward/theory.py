"""The paper's Theorem 1 on OGASched: its constants, its bound, and its proof checked on a run.

The theorem is about the *regret*: reward of the best fixed decision in hindsight minus the
reward achieved. It holds for the constant step ``D / (G sqrt T)``, whatever the arrivals, and it
says nothing about the ratio to the optimum of every slot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from models.reward.instance import Cluster
from models.reward.utilities import slope_at_zero

__all__ = ["GradientPath", "diameter", "gradient_bound", "regret_bound"]


def diameter(cluster: Cluster) -> float:
    """Upper bound D of the distance of two feasible allocations, (25).

    Lanes stand for ports where several jobs arrive or jobs have components.
    """
    most = cluster.lane_request.max(axis=0)
    return math.sqrt(2.0 * float(most @ cluster.capacities.sum(axis=0)))


def gradient_bound(cluster: Cluster) -> float:
    """Upper bound G of the Euclidean norm of every gradient, the root of (22)."""
    steepest = slope_at_zero(cluster.kind, cluster.alpha).max(axis=1)
    per_server = cluster.beta.max() ** 2 + len(cluster.devices) * steepest**2
    return math.sqrt(float(per_server[cluster.server].sum()))


def regret_bound(cluster: Cluster) -> float:
    """The bound (14) on the regret over all T slots: ``D G sqrt T``.

    Notes
    -----
    It grows with the root of T, but its constant is large: at the sizes of Table 1 it exceeds the
    best fixed reward itself as long as T is below about 5,000, and so holds for any policy.
    """
    return diameter(cluster) * gradient_bound(cluster) * math.sqrt(cluster.slots)


@dataclass
class GradientPath:
    """Sums over the moves of one run of projected gradient ascent.

    With steps ``eta_t`` and gradients ``g_t`` at ``y_t``, the first lines of the proof, (15),
    summed over the slots, hold for any step sizes and any feasible y*::

        sum_t eta_t g_t . (y* - y_t)  <=  |y_1 - y*|^2 / 2 + sum_t eta_t^2 |g_t|^2 / 2

    For a constant step, divided by it, this is the first inequality of (16), whose left side is
    at least the regret. It is tighter than (14), and can fail only if the projection or the
    gradient is wrong.

    Parameters
    ----------
    start : ndarray, shape (C, K)
        ``y_1``.
    moves : ndarray, shape (C, K)
        ``sum_t eta_t g_t``.
    along : float
        ``sum_t eta_t g_t . y_t``.
    squares : float
        ``sum_t eta_t^2 |g_t|^2``.
    """

    start: np.ndarray
    moves: np.ndarray
    along: float = 0.0
    squares: float = 0.0

    def inequality(self, best: np.ndarray) -> tuple[float, float]:
        """Left and right side for a feasible allocation y*, shape (C, K)."""
        left = float(np.vdot(self.moves, best)) - self.along
        distance = self.start - best
        return left, 0.5 * float(np.vdot(distance, distance)) + 0.5 * self.squares

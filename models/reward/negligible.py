"""Rewards too small to tell from 0, since the constraints are judged with a tolerance."""

from __future__ import annotations

import numpy as np

from models.reward.instance import Cluster, RewardInstance
from models.reward.utilities import slope_at_zero

__all__ = ["negligible", "negligible_of"]

#: What the scorer lets pass of (3) and (4), and as much for the digits of multipliers in a file.
_TOLERANCE = 2e-9


def negligible(instance: RewardInstance) -> float:
    """Reward that the tolerances of the scorer may be worth over all slots.

    Bounds cover whatever the scorer accepts, so where the optimum is 0 they end this near to it.
    It scales with the utilities.
    """
    return negligible_of(instance.cluster, instance.weights)


def negligible_of(cluster: Cluster, weights: np.ndarray) -> float:
    """The same for weights of the copies, shape (M,): in how many slots each has a job.

    A copy may have ``2e-9 max(1, a)`` too much of every device on every server of its, at a
    reward of at most ``f'(0) + beta`` for each.
    """
    slope = slope_at_zero(cluster.kind, cluster.alpha)[cluster.server] + cluster.beta
    excess = (slope * np.maximum(1.0, cluster.upper)).sum(axis=1)
    return float(_TOLERANCE * (weights[cluster.lane_copy[cluster.lane]] @ excess))

"""Load of an instance: how much its jobs request of what the servers have."""

from __future__ import annotations

import numpy as np

from models.reward.instance import RewardInstance

__all__ = ["load", "mean_share"]


def load(instance: RewardInstance) -> float:
    """Mean over the slots of the largest share, over device types, that is requested.

    Jobs of this problem need nothing to complete: they last one slot and take what they get.
    What is requested in a slot is ``a_l^k`` for each job that arrives, once, though (3) lets a
    port have as much on every server; what there is of a device type is the capacity of all
    servers. A device type that no server has counts for nothing.
    """
    cluster = instance.cluster
    return mean_share(instance.arrivals, cluster.requests, cluster.capacities)


def mean_share(arrivals: np.ndarray, requests: np.ndarray, capacities: np.ndarray) -> float:
    """The load of arrivals, (T, L), requests, (L, K), and capacities, (R, K)."""
    capacity = capacities.sum(axis=0)
    there = capacity > 0.0
    if not there.any():
        return 0.0
    requested = arrivals @ requests[:, there]
    return float((requested / capacity[there]).max(axis=1).mean())

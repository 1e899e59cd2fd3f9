"""FAIRNESS: every port gets its proportional share of every server."""

from __future__ import annotations

import numpy as np
from numba import njit

from models.reward.instance import Cluster
from online.policy import Decision, Policy
from online.reward.events import Commit, RewardEvent
from online.reward.gangs import drop_gangs
from online.reward.layout import Layout

__all__ = ["Fairness", "proportional_shares"]


class Fairness(Policy):
    """Divide each device type of each server among its ports in proportion to their requests.

    A port that has a job gets ``c_r^k a_l^k / sum_{l in L_r} a_l^k`` of server r, at most
    ``a_l^k`` (Sec. 4). The sum goes over all ports connected to the server, as the paper writes
    it: what would be the share of a port without jobs stays unused. Where several jobs may come
    to a port, each of the J_l counts as a port.

    The components of a job (Sec. 3.5) have shares of their own. A job of which too few run is
    allocated nothing, and its share stays unused.

    Parameters
    ----------
    arrived_only : bool
        Let the sum go over the jobs that have arrived only, so that nothing stays unused that
        somebody could use.
    """

    name = "fairness"

    def __init__(self, *, arrived_only: bool = False) -> None:
        self.arrived_only = arrived_only

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with the shares of all ports."""
        self._cluster = public
        self._layout = Layout.of(public)
        self._all = np.ones(len(public.copy_port), dtype=bool)
        self._y = np.zeros(public.shape)
        self._free = np.zeros_like(public.capacities)

    def step(self, event: RewardEvent) -> Decision:
        """Wait for the arrivals, then divide."""
        if isinstance(event, Commit):
            return Decision()
        cluster = self._cluster
        active = cluster.active(event.arrived)
        counted = active if self.arrived_only else self._all
        _divide(cluster, counted, active, self._y)
        if cluster.has_gangs:
            drop_gangs(self._y, self._free, cluster.lane_request, self._layout)
        return Decision(allocation=self._y)


def proportional_shares(cluster: Cluster) -> np.ndarray:
    """The shares of all ports, as if every one had its most jobs; feasible, shape (C, K)."""
    shares = np.zeros(cluster.shape)
    everybody = np.ones(len(cluster.copy_port), dtype=bool)
    _divide(cluster, everybody, everybody, shares)
    return shares


def _divide(cluster: Cluster, counted: np.ndarray, served: np.ndarray, out: np.ndarray) -> None:
    lane_copy = cluster.lane_copy[cluster.lane]
    _shares(
        cluster.upper, cluster.capacities, cluster.server_start, lane_copy, counted, served, out
    )


@njit(cache=True)
def _shares(upper, capacity, server_start, copy, counted, served, out):  # type: ignore[no-untyped-def]
    """Shares of the copies ``served`` among those ``counted``; 0 for the others."""
    devices = upper.shape[1]
    total = np.empty(devices)
    for r in range(server_start.shape[0] - 1):
        total[:] = 0.0
        for c in range(server_start[r], server_start[r + 1]):
            if counted[copy[c]]:
                for k in range(devices):
                    total[k] += upper[c, k]
        for c in range(server_start[r], server_start[r + 1]):
            for k in range(devices):
                out[c, k] = 0.0
                # A server that has enough for all gives each what it requests.
                if served[copy[c]] and total[k] > 0.0:
                    out[c, k] = upper[c, k] * min(1.0, capacity[r, k] / total[k])

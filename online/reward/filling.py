"""Heuristics that serve the jobs of a slot one after the other, each with what is still free."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numba import njit

from models.reward.instance import Cluster
from online.policy import Decision, Policy
from online.reward.events import Commit, RewardEvent
from online.reward.gangs import drop_copy, lane_runs
from online.reward.layout import Layout

__all__ = ["Filling"]


class Filling(Policy):
    """Serve the jobs that have arrived in some order, each from servers in some order.

    A job takes of every device type what it requests, as far as the servers at its port still
    have it. A job with components is served component by component; where fewer run than have to
    (Sec. 3.5), it gives back all that it took before the next job is served, so nothing is spent
    on a gang that does not run.

    Parameters
    ----------
    per_server : bool
        The cap on what a job takes. By default its total of a device type is at most its request
        ``a_l^k``. If true, it takes up to the request on every server, which (3) allows; then
        the order of the servers makes no difference.
    """

    favour: ClassVar[float]
    """Order of the servers: 1 most used first, -1 least used first, 0 by index."""

    def __init__(self, *, per_server: bool = False) -> None:
        self.per_server = per_server

    @abstractmethod
    def order(self, cluster: Cluster) -> np.ndarray:
        """Copies in the order in which they are served, shape (M,)."""

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Lay out the channels."""
        self._cluster = public
        self._layout = Layout.of(public)
        self._order = self.order(public)
        self._y = np.zeros(public.shape)
        self._free = np.empty_like(public.capacities)

    def step(self, event: RewardEvent) -> Decision:
        """Wait for the arrivals, then fill the empty cluster."""
        if isinstance(event, Commit):
            return Decision()
        cluster = self._cluster
        self._y[:] = 0.0
        self._free[:] = cluster.capacities
        active = cluster.active(event.arrived)
        _fill(
            self._y,
            self._free,
            self._order[active[self._order]],
            self.favour,
            self.per_server,
            cluster.capacities,
            cluster.lane_request,
            self._layout,
        )
        return Decision(allocation=self._y)


@njit(cache=True)
def _fill(y, free, order, favour, per_server, capacity, request, layout):  # type: ignore[no-untyped-def]
    """Serve the copies of ``order``; ``y`` is all 0 and ``free`` the capacities at first."""
    for m in order:
        running = 0
        for n in range(layout.copy_lane[m], layout.copy_lane[m + 1]):
            _serve(y, free, n, favour, per_server, capacity, request, layout)
            if layout.minimum[m] > 0 and lane_runs(y, request, layout, n):
                running += 1
        if running < layout.minimum[m]:
            drop_copy(y, free, layout, m)


@njit(cache=True)
def _serve(y, free, n, favour, per_server, capacity, request, layout):  # type: ignore[no-untyped-def]
    """Serve one lane."""
    devices = y.shape[1]
    channels = layout.channels[layout.lane_start[n] : layout.lane_start[n + 1]]
    if favour != 0.0 and not per_server:
        used = np.empty(channels.shape[0])
        for place in range(channels.shape[0]):
            used[place] = -favour * _utilisation(free, capacity, layout.server[channels[place]])
        channels = channels[np.argsort(used, kind="mergesort")]
    left = request[n].copy()
    for c in channels:
        r = layout.server[c]
        for k in range(devices):
            taken = min(left[k], free[r, k])
            y[c, k] = taken
            free[r, k] -= taken
            if not per_server:
                left[k] -= taken


@njit(cache=True)
def _utilisation(free, capacity, r):  # type: ignore[no-untyped-def]
    """Mean over the device types that server r has of the share in use."""
    total = 0.0
    kinds = 0
    for k in range(capacity.shape[1]):
        if capacity[r, k] > 0.0:
            total += 1.0 - free[r, k] / capacity[r, k]
            kinds += 1
    return total / kinds if kinds > 0 else 0.0

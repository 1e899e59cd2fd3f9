"""Servers aggregated by type, and the way back from types to servers."""

from __future__ import annotations

import numpy as np
from numba import njit

from models.tolerance import count_fitting

__all__ = ["ServerGroups"]


class ServerGroups:
    """Servers of one pool, grouped by their capacities of all resources but bandwidth.

    Machine types differ in GPUs, processors, memory and storage. Bandwidth varies from server
    to server of a type, so that with it every server could be a type of its own.

    Parameters
    ----------
    capacity : ndarray, shape (S, R)
        Capacities of the pool's servers.
    bandwidth : int, optional
        Index of the bandwidth, if it is one of the resources.

    Attributes
    ----------
    capacity : ndarray, shape (S, R)
    group : ndarray of int64, shape (S,)
        Group of every server.
    total : ndarray, shape (G, R)
        Capacity of every group, summed over its servers.
    """

    def __init__(self, capacity: np.ndarray, bandwidth: int | None = None) -> None:
        self.capacity = capacity
        kept = capacity if bandwidth is None else np.delete(capacity, bandwidth, axis=1)
        types, group = np.unique(kept, axis=0, return_inverse=True)
        self.group = group.ravel().astype(np.int64)
        self.total = np.zeros((len(types), capacity.shape[1]))
        np.add.at(self.total, self.group, capacity)

    def _sum(self, values: np.ndarray, servers: np.ndarray | slice = slice(None)) -> np.ndarray:
        sums = np.bincount(self.group[servers], weights=values, minlength=len(self.total))
        return sums.astype(np.int64)

    def room(self, demand: np.ndarray) -> np.ndarray:
        """Copies of one demand that every empty group holds, server by server, shape (G,)."""
        return self._sum(count_fitting(self.capacity, demand))

    def counts(self, rows: np.ndarray) -> np.ndarray:
        """Rows (server, count) added up by group, shape (G,)."""
        return self._sum(rows[:, 1], rows[:, 0])

    def pack(
        self, free: np.ndarray, demand: np.ndarray, count: int, wanted: np.ndarray
    ) -> np.ndarray:
        """Put copies of one demand on servers, as far as there is room, and take that room.

        The total of a group does not say how its room is split up, so not every copy may find a
        server. Copies go, one by one, to the fullest server of their group with room (the least
        sum of free shares; ties: the lowest index). Those without a place there go to the fullest
        one of any group.

        Parameters
        ----------
        free : ndarray, shape (S, R)
            Free capacities; reduced.
        demand : ndarray, shape (R,)
        count : int
            Copies to place.
        wanted : ndarray of int64, shape (G,)
            Copies that are to go to each group, as far as ``count`` reaches.

        Returns
        -------
        ndarray of int64, shape (S,)
            Copies on every server; their sum may be less than asked for.
        """
        counts: np.ndarray = _pack(free, self.capacity, demand, count, wanted, self.group)
        return counts


@njit(cache=True)
def _pack(free, capacity, demand, count, wanted, group):  # type: ignore[no-untyped-def]
    counts = np.zeros(free.shape[0], dtype=np.int64)
    left = count
    for g in range(wanted.shape[0] + 1):
        anywhere = g == wanted.shape[0]
        for _ in range(left if anywhere else min(left, wanted[g])):
            s = _fullest(free, capacity, demand, group, -1 if anywhere else g)
            if s < 0:
                break
            free[s] -= demand
            counts[s] += 1
            left -= 1
    return counts


@njit(cache=True)
def _fullest(free, capacity, demand, group, g):  # type: ignore[no-untyped-def]
    """Fullest server with room for one copy, of group ``g`` (-1: of any); -1 if none."""
    best, least = -1, np.inf
    for s in range(free.shape[0]):
        if g >= 0 and group[s] != g:
            continue
        fits = True
        share = 0.0
        for r in range(free.shape[1]):
            if demand[r] > 0.0 and free[s, r] < demand[r]:
                fits = False
                break
            if capacity[s, r] > 0.0:
                share += free[s, r] / capacity[s, r]
        if fits and share < least - 1e-12:
            best, least = s, share
    return best

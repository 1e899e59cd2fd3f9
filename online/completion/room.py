"""What is free on the servers from now on, and how many workers of which jobs it holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from models.completion.cluster import Cluster
from models.tolerance import usable
from online.completion.plan import Share
from solvers.completion.kernels import fitting, workers_outside

__all__ = ["Request", "Room"]

_TIE = 1e-12  # shares this close are equal: the earlier job goes on


class Request(NamedTuple):
    """Types, and a number of workers."""

    worker_type: int
    ps_type: int
    workers: int


class Room:
    """What is free on every server; at first, all of an empty cluster.

    A given number of workers is placed on one server if any holds it with a parameter server:
    the first. Otherwise all parameter servers are on one server (more would only add to (2i)):
    where fewest are needed, then where most of the workers are beside them, then the first. The
    other workers go to the first servers with room.

    Parameters
    ----------
    cluster : Cluster
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._free = usable(cluster.servers)
        self._ps_types = cluster.ps_types.reshape(-1, len(cluster.resources))
        self._types = (cluster.worker_types, self._ps_types, cluster.bandwidth)

    def take(self, share: Share, copies: int = 1) -> None:
        """Take what a share holds (``copies=-1`` gives it back)."""
        self._free[share.servers] -= copies * share.amounts(self._cluster)

    def holds(self, share: Share) -> bool:
        """Whether a share fits as it stands."""
        return bool((share.amounts(self._cluster) <= self._free[share.servers]).all())

    def place(self, request: Request) -> Share | None:
        """Places for all workers asked for, which are not taken; None if they do not fit."""
        workers, ps = np.zeros((2, len(self._free)), dtype=np.int64)
        fits = _place(self._free, *request, *self._types, workers, ps)
        return _share(request, workers, ps) if fits else None

    def fill(self, requests: Sequence[Request]) -> list[Share | None]:
        """Max-min fair dominant shares in whole workers; takes what they hold.

        The job with the least dominant share (ties: the first) gets one more worker, all of its
        workers being placed anew, until it has those it asks for or the next one does not fit;
        then it drops out, and the filling goes on with the others. The dominant share is the
        largest, over resources, of what workers and parameter servers hold of all capacity.

        Parameters
        ----------
        requests : sequence of Request
            With the most workers that each may get.

        Returns
        -------
        list
            The share of each; None without workers.
        """
        if not requests:
            return []
        wanted = np.array(requests, dtype=np.int64)
        total = self._cluster.servers.sum(axis=0)
        workers, ps = _fill(self._free, total, wanted, *self._types)
        return [
            _share(request, y, s) if y.any() else None
            for request, y, s in zip(requests, workers, ps, strict=True)
        ]


def _share(request: Request, workers: np.ndarray, ps: np.ndarray) -> Share:
    at = np.flatnonzero(workers + ps)
    return Share(request.worker_type, request.ps_type, at, workers[at], ps[at])


@njit(cache=True)
def _fill(free, total, wanted, worker_types, ps_types, bandwidth):  # type: ignore[no-untyped-def]
    """Workers and parameter servers of every job on every server; ``free`` is used up."""
    jobs, servers = wanted.shape[0], free.shape[0]
    y, s = np.zeros((jobs, servers), np.int64), np.zeros((jobs, servers), np.int64)
    new_y, new_s = np.empty(servers, np.int64), np.empty(servers, np.int64)
    n = np.zeros(jobs, np.int64)
    share = np.zeros(jobs)
    growing = wanted[:, 2] > 0
    while True:
        j, least = -1, np.inf
        for i in range(jobs):
            if growing[i] and share[i] < least - _TIE:
                j, least = i, share[i]
        if j < 0:
            return y, s
        m, p = wanted[j, 0], wanted[j, 1]
        _hold(free, y[j], s[j], worker_types, ps_types, m, p, -1)
        if _place(free, m, p, n[j] + 1, worker_types, ps_types, bandwidth, new_y, new_s):
            y[j], s[j] = new_y, new_s
            n[j] += 1
            growing[j] = n[j] < wanted[j, 2]
            held = n[j] * worker_types[m]
            if p >= 0:
                held = held + s[j].sum() * ps_types[p]
            for r in range(total.shape[0]):
                if held[r] > 0.0:
                    share[j] = max(share[j], held[r] / total[r])
        else:
            growing[j] = False
        _hold(free, y[j], s[j], worker_types, ps_types, m, p, 1)


@njit(cache=True)
def _hold(free, y, s, worker_types, ps_types, m, p, copies):  # type: ignore[no-untyped-def]
    """Take what a job has on the servers, or give it back (copies = -1)."""
    for h in range(free.shape[0]):
        if y[h] > 0:
            free[h] -= copies * y[h] * worker_types[m]
        if s[h] > 0:
            free[h] -= copies * s[h] * ps_types[p]


@njit(cache=True)
def _place(free, m, p, number, worker_types, ps_types, bandwidth, y, s):  # type: ignore
    """Fill in workers y and parameter servers s on every server; False if they do not fit."""
    servers = free.shape[0]
    demand = worker_types[m]
    y[:] = 0
    s[:] = 0
    room = np.empty(servers, np.int64)
    for h in range(servers):
        room[h] = min(number, fitting(free[h], demand))
        if room[h] == number:
            need = number * demand
            if p >= 0:
                need = need + ps_types[p]
            if (need <= free[h]).all():
                y[h], s[h] = number, 1 if p >= 0 else 0
                return True
    everywhere = room.sum()
    if everywhere < number:
        return False
    at, least, most = -1, 0, -1
    for h in range(servers):
        for count in range(1, fitting(free[h], ps_types[p]) + 1 if p >= 0 else 0):
            if at >= 0 and count > least:
                break
            outside = workers_outside(count, worker_types, ps_types, m, p, bandwidth)
            beside = min(number - 1, fitting(free[h] - count * ps_types[p], demand))
            if beside >= number - outside and everywhere - room[h] + beside >= number:
                if at < 0 or count < least or beside > most:
                    at, least, most = h, count, beside
                break
            if outside >= number:
                break
    if p >= 0:
        if at < 0:
            return False
        y[at], s[at] = most, least
    rest = number - y.sum()
    for h in range(servers):
        if h != at:
            y[h] = min(rest, room[h], number - 1)
            rest -= y[h]
    return rest == 0

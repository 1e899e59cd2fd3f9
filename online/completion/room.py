"""What jobs ask for in the ideal case, and what is free on the servers from now on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numba import njit

from models.completion.cluster import Cluster, Job
from models.completion.rates import ROUND_OFF, minibatch_time
from models.tolerance import usable
from online.completion.plan import Share
from solvers.completion.modes import MORE, PS_TYPE, WORKER_TYPE, WORKERS, fitting, placeable

__all__ = ["Request", "Room", "ideal_request"]

_TIE = 1e-12  # shares this close are equal: the earlier job goes on


class Request(NamedTuple):
    """Types, and a number of workers."""

    worker_type: int
    ps_type: int
    workers: int


def ideal_request(job: Job, cluster: Cluster, most: int | None = None) -> Request:
    """The paper's "ideal case": the types that train a job fastest, and as many workers as may be.

    The paper derives it "according to recent literature", and has all baselines use its types.
    Here they are the pair whose mini-batches take the least time when ``N = D`` workers run
    spread over servers, of those of which one worker can run on the empty cluster; ties go to the
    lower types. Workers are D, or ``most``, or as many as fit on the empty cluster.
    """
    choices = range(len(cluster.worker_types)), cluster.ps_choices, [1]
    m, p = _fitting(job, cluster, *choices)[:, [WORKER_TYPE, PS_TYPE]].T
    fastest = minibatch_time(job, m, p, np.full_like(m, job.chunks), False).argmin()
    types = int(m[fastest]), int(p[fastest])
    numbers = range(1, min(job.chunks, most or job.chunks) + 1)
    fits = _fitting(job, cluster, types[:1], types[1:], numbers)
    return Request(*types, int(fits[:, WORKERS].max()))


def _fitting(job: Job, cluster: Cluster, *choices: Iterable[int]) -> np.ndarray:
    """The modes of some worker types, PS types and numbers that fit on the empty cluster."""
    rows = list(product((1, 0), *choices, [0]))
    return placeable(job, cluster, np.array(rows, dtype=np.int64))


class Room:
    """What is free on every server; at first, all of a cluster.

    A given number of workers is placed on one server if any holds it with a parameter server:
    the first. Otherwise all parameter servers are on one server (more would only add to (2i)):
    where fewest are needed, then where most of the workers are beside them, then the first. The
    other workers go to the first servers with room.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._free = usable(cluster.servers)
        self._types = (cluster.worker_types, cluster.ps_types, cluster.bandwidth)

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
        largest, over resources, of what workers and parameter servers hold of all capacity. A job
        without workers has None.
        """
        wanted = np.array(requests, dtype=np.int64).reshape(-1, 3)
        total = self._cluster.servers.sum(axis=0)
        unit = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0.0)
        workers, ps = _fill(self._free, unit, wanted, *self._types)
        return [
            _share(request, y, s) if y.any() else None
            for request, y, s in zip(requests, workers, ps, strict=True)
        ]


def _share(request: Request, workers: np.ndarray, ps: np.ndarray) -> Share:
    at = np.flatnonzero(workers + ps)
    return Share(request.worker_type, request.ps_type, at, workers[at], ps[at])


@njit(cache=True)
def _fill(free, unit, wanted, worker_types, ps_types, bandwidth):  # type: ignore[no-untyped-def]
    """Workers and parameter servers of every job on every server; ``free`` is used up."""
    jobs, servers = wanted.shape[0], free.shape[0]
    y, s = np.zeros((jobs, servers), np.int64), np.zeros((jobs, servers), np.int64)
    new_y, new_s = np.empty(servers, np.int64), np.empty(servers, np.int64)
    held = np.zeros((jobs, *free.shape))
    share = np.zeros(jobs)
    growing = wanted[:, 2] > 0
    while growing.any():
        j, least = -1, np.inf
        for i in range(jobs):
            if growing[i] and share[i] < least - _TIE:
                j, least = i, share[i]
        m, p, number = wanted[j, 0], wanted[j, 1], y[j].sum() + 1
        spare = free + held[j]
        if _place(spare, m, p, number, worker_types, ps_types, bandwidth, new_y, new_s):
            y[j], s[j] = new_y, new_s
            held[j] = np.outer(new_y, worker_types[m])
            if p >= 0:
                held[j] += np.outer(new_s, ps_types[p])
            free[:] = spare - held[j]
            share[j] = (held[j].sum(axis=0) * unit).max()
            growing[j] = number < wanted[j, 2]
        else:
            growing[j] = False
    return y, s


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
    ratio = ps_types[p, bandwidth] / demand[bandwidth] * (1.0 + ROUND_OFF) if p >= 0 else 0.0
    for h in range(servers if p >= 0 else 0):
        for outside in range(1, number + 1):
            count = max(1, int(min(np.ceil(outside / ratio), MORE)))  # (2i)
            if count > fitting(free[h], ps_types[p]) or (at >= 0 and count > least):
                break
            beside = min(number - 1, fitting(free[h] - count * ps_types[p], demand))
            if beside >= number - outside and everywhere - room[h] + beside >= number:
                if at < 0 or count < least or beside > most:
                    at, least, most = h, count, beside
                break
    if p >= 0:
        if at < 0:
            return False
        y[at], s[at] = most, least
    rest = number - y.sum()
    for h in range(servers):
        if h != at:
            y[h] = min(rest, room[h], number if p >= 0 else number - 1)
            rest -= y[h]
    return rest == 0

"""Progressive filling on dominant shares, server by server (compiled)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numba import njit

from models.tolerance import SCORER, usable
from models.utility.instance import Cluster, Job
from online.utility.placement import Placement, rows_of
from online.utility.pools import unit_shares

__all__ = ["FairShares"]

_TIE = 1e-12  # shares this close are equal: the job that arrived first goes on


class FairShares:
    """Max-min fair dominant shares in whole workers.

    From the empty cluster, the job with the least dominant share
    (:func:`~online.utility.pools.unit_shares`; ties: the earlier arrival) gets one more worker
    and the parameter servers that (6) then asks for, until it has N workers, or as many as it
    has worker-slots left, or the next ones fit on no server; then it drops out, and the
    filling goes on with the others.

    A worker goes where its job had one before, if that place is still free when its turn
    comes; else to the next server with room, in round-robin order. Parameter servers
    likewise.

    Parameters
    ----------
    cluster : Cluster
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def fill(
        self, jobs: Sequence[Job], left: Sequence[int], before: Mapping[int, Placement]
    ) -> dict[int, Placement]:
        """Fill the cluster.

        Parameters
        ----------
        jobs : sequence of Job
            Unfinished jobs, in the order of arrival.
        left : sequence of int
            Their work left in worker-slots.
        before : Mapping[int, Placement]
            Placement of the running jobs, by ``job.index``.

        Returns
        -------
        dict
            Placement of every job that gets a worker, by ``job.index``.
        """
        if not jobs:
            return {}
        cluster = self._cluster
        old_y = np.zeros((len(jobs), len(cluster.worker_servers)), dtype=np.int64)
        old_z = np.zeros((len(jobs), len(cluster.ps_servers)), dtype=np.int64)
        for j, job in enumerate(jobs):
            placement = before.get(job.index)
            if placement is not None:
                old_y[j, placement.workers[:, 0]] = placement.workers[:, 1]
                old_z[j, placement.ps[:, 0]] = placement.ps[:, 1]
        unit = np.array([unit_shares(cluster, job) for job in jobs])
        chunks = [job.chunks for job in jobs]
        y, z = _fill(
            np.array([job.worker for job in jobs]),
            np.array([job.ps for job in jobs]),
            np.array([job.worker_gbps for job in jobs]),
            np.array([job.ps_gbps for job in jobs]),
            unit,
            np.where(np.isfinite(unit).all(axis=1), np.minimum(left, chunks), 0),
            usable(cluster.worker_servers),
            usable(cluster.ps_servers),
            old_y,
            old_z,
        )
        return {
            job.index: Placement(rows_of(y[j]), rows_of(z[j]))
            for j, job in enumerate(jobs)
            if y[j].any()
        }


@njit(cache=True)
def _fill(worker, ps, b, big_b, unit, limit, free_y, free_z, old_y, old_z):  # type: ignore[no-untyped-def]
    """Progressive filling; ``free_y`` and ``free_z`` are used up.

    Returns
    -------
    y, z : ndarray of int64, shapes (J, H) and (J, K)
        Workers and parameter servers of every job on every server.
    """
    jobs = worker.shape[0]
    y, z = np.zeros_like(old_y), np.zeros_like(old_z)
    n = np.zeros(jobs, dtype=np.int64)
    m = np.zeros(jobs, dtype=np.int64)
    growing = limit > 0
    turn_y, turn_z = 0, 0
    while True:
        j = -1
        least = np.inf
        for i in range(jobs):
            if growing[i]:
                share = max(n[i] * unit[i, 0], m[i] * unit[i, 1])
                if share < least - _TIE:
                    j, least = i, share
        if j < 0:
            return y, z
        h = _place(free_y, worker[j], y[j], old_y[j], turn_y)
        if h < 0:
            growing[j] = False
            continue
        have = m[j] * big_b[j]
        if (n[j] + 1) * b[j] > have + SCORER * max(1.0, have):  # (6); one more serves, as b <= B
            k = _place(free_z, ps[j], z[j], old_z[j], turn_z)
            if k < 0:
                growing[j] = False
                continue
            free_z[k] -= ps[j]
            z[j, k] += 1
            m[j] += 1
            turn_z = (k + 1) % free_z.shape[0]
        free_y[h] -= worker[j]
        y[j, h] += 1
        n[j] += 1
        turn_y = (h + 1) % free_y.shape[0]
        if n[j] == limit[j]:
            growing[j] = False


@njit(cache=True)
def _place(free, demand, now, before, turn):  # type: ignore[no-untyped-def]
    """Server for one more copy: a former one, else the next in turn; -1 if none has room."""
    servers = free.shape[0]
    for s in range(servers):
        if now[s] < before[s] and _fits(free[s], demand):
            return s
    for step in range(servers):
        s = (turn + step) % servers
        if _fits(free[s], demand):
            return s
    return -1


@njit(cache=True)
def _fits(free, demand):  # type: ignore[no-untyped-def]
    for r in range(free.shape[0]):
        if demand[r] > 0.0 and free[r] < demand[r]:
            return False
    return True

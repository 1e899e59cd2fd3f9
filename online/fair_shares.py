"""Progressive filling on dominant shares, server by server (compiled)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba import njit

from online.placements import Free, Placement, rows_of
from online.pools import Pools

__all__ = ["FairShares"]

_TIE = 1e-12  # shares this close are equal: the job that arrived first goes on


class FairShares:
    """Max-min fair dominant shares in whole workers.

    From the empty cluster, the job with the least dominant share
    (:meth:`~online.pools.Pools.shares`; ties: the earlier arrival) gets one more worker and the
    parameter servers that are then needed, until it has as many workers as it may have, or the
    next ones fit on no server; then it drops out, and the filling goes on with the others.

    A worker goes where its job had one before, if that place is still free when its turn comes;
    else, if workers and parameter servers share the servers, to one where its job is already;
    else to the next server with room, in round-robin order. Parameter servers likewise.

    Parameters
    ----------
    pools : Pools
    """

    def __init__(self, pools: Pools) -> None:
        self._pools = pools

    def fill(
        self, jobs: Sequence[Any], limits: Sequence[int], before: Mapping[int, Placement]
    ) -> dict[int, Placement]:
        """Fill the cluster.

        Parameters
        ----------
        jobs : sequence of Job
            Unfinished jobs, in the order of arrival.
        limits : sequence of int
            Most workers of each.
        before : Mapping[int, Placement]
            Placement of the running jobs, by ``job.index``.

        Returns
        -------
        dict
            Placement of every job that gets a worker, by ``job.index``.
        """
        if not jobs:
            return {}
        pools = self._pools
        old_y = np.zeros((len(jobs), len(pools.workers)), dtype=np.int64)
        old_z = np.zeros((len(jobs), len(pools.ps)), dtype=np.int64)
        for j, job in enumerate(jobs):
            placement = before.get(job.index)
            if placement is not None:
                old_y[j, placement.workers[:, 0]] = placement.workers[:, 1]
                old_z[j, placement.ps[:, 0]] = placement.ps[:, 1]
        unit = np.array([[pools.shares(job, 1, 0), pools.shares(job, 0, 1)] for job in jobs])
        limit = np.where(np.isfinite(unit).all(axis=(1, 2)), limits, 0)
        tables = [job.ps_needed_table(most) for job, most in zip(jobs, limit.tolist(), strict=True)]
        free = Free(pools)
        y, z = _fill(
            np.array([job.worker for job in jobs]),
            np.array([job.ps for job in jobs]),
            np.concatenate(tables),
            unit,
            limit,
            free.workers,
            free.ps,
            pools.shared,
            old_y,
            old_z,
        )
        return {
            job.index: Placement(rows_of(y[j]), rows_of(z[j]))
            for j, job in enumerate(jobs)
            if y[j].any()
        }


@njit(cache=True)
def _fill(worker, ps, needed, unit, limit, free_y, free_z, shared, old_y, old_z):  # type: ignore[no-untyped-def]
    """Progressive filling; ``free_y`` and ``free_z``, one array if shared, are used up.

    ``needed`` has the parameter servers of 0, 1, ... ``limit[j]`` workers, job after job.

    Returns
    -------
    y, z : ndarray of int64, shapes (J, H) and (J, K)
        Workers and parameter servers of every job on every server.
    """
    jobs = worker.shape[0]
    y, z = np.zeros_like(old_y), np.zeros_like(old_z)
    n = np.zeros(jobs, dtype=np.int64)
    m = np.zeros(jobs, dtype=np.int64)
    share = np.zeros(jobs)
    growing = limit > 0
    first = np.cumsum(limit + 1) - (limit + 1)
    turn_y, turn_z = 0, 0
    while True:
        j = -1
        least = np.inf
        for i in range(jobs):
            if growing[i] and share[i] < least - _TIE:
                j, least = i, share[i]
        if j < 0:
            return y, z
        own = y[j] + z[j] if shared else np.zeros_like(y[j])
        h = _place(free_y, worker[j], y[j], old_y[j], own, turn_y)
        if h < 0:
            growing[j] = False
            continue
        kept_y, kept_z, kept = free_y.copy(), free_z.copy(), z[j].copy()
        free_y[h] -= worker[j]
        y[j, h] += 1
        count = needed[first[j] + n[j] + 1]
        placed = m[j]
        after = turn_z
        while placed < count:
            own = y[j] + z[j] if shared else np.zeros_like(z[j])
            k = _place(free_z, ps[j], z[j], old_z[j], own, after)
            if k < 0:
                break
            free_z[k] -= ps[j]
            z[j, k] += 1
            placed += 1
            after = (k + 1) % free_z.shape[0]
        if placed < count:
            free_y[:], free_z[:], z[j] = kept_y, kept_z, kept
            y[j, h] -= 1
            growing[j] = False
            continue
        n[j] += 1
        m[j] = count
        turn_y, turn_z = (h + 1) % free_y.shape[0], after
        share[j] = (n[j] * unit[j, 0] + m[j] * unit[j, 1]).max()
        if n[j] == limit[j]:
            growing[j] = False


@njit(cache=True)
def _place(free, demand, now, before, own, turn):  # type: ignore[no-untyped-def]
    """Server for one more copy: a former one, else one of its job, else the next; -1 if none."""
    servers = free.shape[0]
    for s in range(servers):
        if now[s] < before[s] and _fits(free[s], demand):
            return s
    for s in range(servers):
        if own[s] > 0 and _fits(free[s], demand):
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

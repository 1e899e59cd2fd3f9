"""Configurations of a job: how long it takes with how much of each resource, all servers pooled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from models.completion.cluster import Cluster, Job
from models.tolerance import usable
from solvers.completion.kernels import fitting, workers_outside
from solvers.completion.modes import (
    DURATION,
    INTERNAL,
    PS_TYPE,
    WORKER_TYPE,
    WORKERS,
    modes_of,
)

__all__ = ["Configurations", "configurations", "placeable"]


@dataclass(frozen=True, eq=False)
class Configurations:
    """What a job can be run with, as far as prices that are the same on all servers can tell.

    Parameters
    ----------
    duration : ndarray of int64, shape (n,)
        Slots that it takes; not falling.
    amounts : ndarray, shape (n, R)
        Of each resource in each of these slots.
    modes : ndarray of int64, shape (n, 5)
        The rows of :func:`solvers.completion.modes.modes_of` behind them.
    ps : ndarray of int64, shape (n,)
        Parameter servers.
    outside : ndarray of int64, shape (n,)
        Workers that these allow on other servers, (2i).
    """

    duration: np.ndarray
    amounts: np.ndarray
    modes: np.ndarray
    ps: np.ndarray
    outside: np.ndarray


def configurations(job: Job, cluster: Cluster) -> Configurations:
    """Those that fit on the empty cluster, without those that another one beats or equals.

    One beats another if it takes no longer and no more of any resource. Numbers of parameter
    servers between 1 and ``ceil(N b / B)`` count where some workers are beside them.
    """
    return _configurations(job, cluster, apart=())


def placeable(job: Job, cluster: Cluster) -> Configurations:
    """The same, but one on one server and one on several do not beat each other, nor do types.

    What takes more, in smaller pieces, may find room where the other does not.
    """
    return _configurations(job, cluster, apart=(INTERNAL, WORKER_TYPE))


def _configurations(job: Job, cluster: Cluster, apart: tuple[int, ...]) -> Configurations:
    """Undominated ones among those that agree in some columns of the modes."""
    modes = modes_of(job, cluster)
    ps_types = cluster.ps_types.reshape(-1, len(cluster.resources))
    chosen, ps, outside = _fitting_modes(
        modes, usable(cluster.servers), cluster.worker_types, ps_types, cluster.bandwidth
    )
    table = modes[chosen]
    amounts = table[:, WORKERS, None] * cluster.worker_types[table[:, WORKER_TYPE]]
    if not cluster.allreduce:
        amounts = amounts + ps[:, None] * ps_types[table[:, PS_TYPE]]
    key = np.column_stack([table[:, DURATION], amounts])
    order = np.lexsort(key.T[::-1])
    group = np.unique(table[:, list(apart)], axis=0, return_inverse=True)[1].ravel()
    kept = order[_undominated(np.ascontiguousarray(key[order]), group[order])]
    return Configurations(table[kept, DURATION], amounts[kept], table[kept], ps[kept], outside[kept])


@njit(cache=True)
def _undominated(rows, group):  # type: ignore[no-untyped-def]
    """Places of rows, in lexicographic order, that no earlier one of their group is below."""
    kept = np.empty(rows.shape[0], dtype=np.int64)
    count = 0
    for place in range(rows.shape[0]):
        beaten = False
        for other in range(count):
            if group[kept[other]] == group[place] and (rows[kept[other]] <= rows[place]).all():
                beaten = True
                break
        if not beaten:
            kept[count] = place
            count += 1
    return kept[:count]


@njit(cache=True)
def _fitting_modes(modes, capacity, worker_types, ps_types, bandwidth):  # type: ignore
    """Rows of modes and numbers of PSs that fit on the empty cluster."""
    found = [(0, 0, 0) for _ in range(0)]
    servers = capacity.shape[0]
    for mode in range(modes.shape[0]):
        internal, m, p, workers, _ = modes[mode]
        demand = worker_types[m]
        room = np.array([fitting(capacity[h], demand) for h in range(servers)])
        if p < 0:
            if (internal and room.max() >= workers) or (
                not internal and np.minimum(room, workers - 1).sum() >= workers
            ):
                found.append((mode, 0, workers))
            continue
        if internal:
            for h in range(servers):
                if fitting(capacity[h] - ps_types[p], demand) >= workers:
                    found.append((mode, 1, workers))
                    break
            continue
        before, number = workers, 0
        while before > 0:
            number += 1
            outside = workers_outside(number, worker_types, ps_types, m, p, bandwidth)
            forced = max(0, workers - outside)
            if forced >= before:
                continue
            before = forced
            for h in range(servers):
                if fitting(capacity[h], ps_types[p]) < number:
                    continue
                most = min(workers - 1, fitting(capacity[h] - number * ps_types[p], demand))
                if forced <= most and room.sum() - room[h] + most >= workers:
                    found.append((mode, number, outside))
                    break
    table = np.array(found, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]

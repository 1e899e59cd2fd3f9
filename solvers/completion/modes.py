"""Modes of a job: all of a schedule but its start and its servers."""

from __future__ import annotations

import numpy as np
from numba import njit

from models.completion.cluster import Cluster, Job
from models.completion.rates import ROUND_OFF, least_duration
from models.tolerance import count_fitting, usable

__all__ = [
    "DURATION",
    "FORCED",
    "INTERNAL",
    "PS",
    "PS_TYPE",
    "WORKERS",
    "WORKER_TYPE",
    "amounts_of",
    "fitting",
    "modes_of",
    "placeable",
    "shorter",
    "undominated",
]

INTERNAL, WORKER_TYPE, PS_TYPE, WORKERS, DURATION, PS, FORCED = range(7)
"""Columns of a table of modes: q, m, p, N, d, parameter servers, and the fewest workers that have
to be on one server: that of so few parameter servers, (2i), or the only one; 1 without either.

All parameter servers are on one server: dropping those on others keeps every constraint and the
rate, and frees what they hold.
"""


def modes_of(job: Job, cluster: Cluster, *, pooled: bool = False) -> np.ndarray:
    """Modes that fit on the empty cluster, without those that another one beats.

    One beats another if it needs no more in any slot of a window that is no longer, wherever the
    other one is placed: no more workers, none of which takes more, no more of them on one server,
    and parameter servers that take no more altogether; but one on several servers beats none on
    one. Algorithm 4 enumerates durations, and so finds the same numbers of workers.

    If ``pooled``, one also beats another with the same q and worker type if it takes no more
    altogether. That leaves far fewer, but where room is left in pieces not always the best.

    Returns
    -------
    ndarray of int64, shape (n, 7)
        By duration, then by worker type, those on one server first; at least one row.
    """
    table = placeable(job, cluster, shorter(job, cluster))
    q, m = table[:, INTERNAL], table[:, WORKER_TYPE]
    if pooled:
        key = [table[:, DURATION], amounts_of(table, cluster), q, -q, m, -m]
    else:
        held = table[:, [PS]] * _ps_amounts(cluster, table)
        key = [table[:, [DURATION, WORKERS, FORCED]], 1 - q, cluster.worker_types[m], held]
    table = table[undominated(np.column_stack(key))]
    order = (*table[:, ::-1].T[:-1], -table[:, INTERNAL], table[:, WORKER_TYPE], table[:, DURATION])
    return table[np.lexsort(order)]


def amounts_of(modes: np.ndarray, cluster: Cluster) -> np.ndarray:
    """Of each resource, what a mode holds on all servers together in a slot, shape (n, R)."""
    workers = modes[:, [WORKERS]] * cluster.worker_types[modes[:, WORKER_TYPE]]
    return np.asarray(workers + modes[:, [PS]] * _ps_amounts(cluster, modes))


def _ps_amounts(cluster: Cluster, modes: np.ndarray) -> np.ndarray:
    """Demands of a parameter server of each row."""
    if cluster.allreduce:
        return np.zeros((len(modes), len(cluster.resources)))
    return cluster.ps_types[modes[:, PS_TYPE]]


def shorter(job: Job, cluster: Cluster) -> np.ndarray:
    """Rows (q, m, p, N, d) whose d is less than with fewer workers; N is at most D."""
    found = []
    for m in range(len(cluster.worker_types)):
        for internal in (1, 0):
            least = 1 if internal or not cluster.allreduce else 2  # (15a): on two servers
            workers = np.arange(least, job.chunks + 1)
            for p in cluster.ps_choices if len(workers) else ():
                duration = least_duration(job, m, p, workers, bool(internal))
                best = np.minimum.accumulate(duration)
                better = np.concatenate([[True], best[1:] < best[:-1]])
                rows = np.column_stack([workers, duration])[better]
                found.append(np.column_stack([np.tile([internal, m, p], (len(rows), 1)), rows]))
    return np.concatenate(found).astype(np.int64)


def placeable(job: Job, cluster: Cluster, rows: np.ndarray) -> np.ndarray:
    """Complete rows (q, m, p, N, d) by numbers of PSs, as many ways as fit on the empty cluster."""
    kinds, number = np.unique(cluster.servers, axis=0, return_counts=True)
    room = np.array([count_fitting(kinds, worker) for worker in cluster.worker_types])
    source, ps, forced = _with_ps(
        rows,
        usable(kinds),
        number,
        np.minimum(room, job.chunks),
        cluster.worker_types,
        cluster.ps_types,
        cluster.bandwidth,
    )
    return np.column_stack([rows[source], ps, forced])


def undominated(rows: np.ndarray) -> np.ndarray:
    """Indices of rows that no other one is below; of equal ones the first."""
    order = np.lexsort(rows.T[::-1])
    return np.asarray(order[_undominated(np.ascontiguousarray(rows[order], dtype=float))])


@njit(cache=True)
def _undominated(rows):  # type: ignore[no-untyped-def]
    """Places of those rows, which are in lexicographic order."""
    kept = np.empty(rows.shape[0], dtype=np.int64)
    count = 0
    for place in range(rows.shape[0]):
        beaten = False
        for other in range(count):
            beaten = True
            for k in range(rows.shape[1]):
                if rows[kept[other], k] > rows[place, k]:
                    beaten = False
                    break
            if beaten:  # what beats one row beats many: look there first
                kept[other], kept[other // 2] = kept[other // 2], kept[other]
                break
        if not beaten:
            kept[count] = place
            count += 1
    return np.sort(kept[:count])


@njit(cache=True)
def fitting(room, demand):  # type: ignore[no-untyped-def]
    """Copies of a demand, shape (R,), that fit into a room of usable capacity, shape (R,)."""
    copies = 1e9
    for r in range(demand.shape[0]):
        if demand[r] > 0.0:
            copies = min(copies, np.floor(room[r] / demand[r]))
    return max(0, int(copies))


@njit(cache=True)
def _with_ps(rows, kinds, number, room, worker_types, ps_types, bandwidth):  # type: ignore
    """Rows that fit on kinds of servers, so many of each, with numbers of PSs and FORCED."""
    found = [(0, 0, 0) for _ in range(0)]
    for row in range(rows.shape[0]):
        internal, m, p, workers, _ = rows[row]
        everywhere = (room[m] * number).sum()
        if p < 0:
            if internal and room[m].max() >= workers:
                found.append((row, 0, workers))
            elif not internal and (np.minimum(room[m], workers - 1) * number).sum() >= workers:
                found.append((row, 0, 1))
            continue
        if internal:
            for h in range(kinds.shape[0]):
                beside = fitting(kinds[h] - ps_types[p], worker_types[m])
                if fitting(kinds[h], ps_types[p]) > 0 and beside >= workers:
                    found.append((row, 1, workers))
                    break
            continue
        ratio = ps_types[p, bandwidth] / worker_types[m, bandwidth] * (1.0 + ROUND_OFF)
        ratio = max(ratio, 1e-300)  # the quotient may be too small for a float
        before, ps = workers, 0
        while before > 0:
            # The fewest PSs with which one more worker may be elsewhere.
            ps = max(ps + 1, int(min(np.ceil((workers - before + 1) / ratio), 1e9)))
            forced = max(0, workers - int(min(np.floor(ps * ratio), 1e9)))
            room_for_ps = False
            for h in range(kinds.shape[0]):
                if fitting(kinds[h], ps_types[p]) < ps:
                    continue
                room_for_ps = True
                most = min(workers - 1, fitting(kinds[h] - ps * ps_types[p], worker_types[m]))
                if forced <= most and everywhere - room[m, h] + most >= workers:
                    if forced < before:
                        found.append((row, ps, forced))
                    break
            if not room_for_ps:
                break
            before = min(before, forced)
    found.append((0, 0, 0))  # of no row no table can be made here
    table = np.array(found, dtype=np.int64).reshape(-1, 3)[:-1]
    return table[:, 0], table[:, 1], table[:, 2]

"""Modes of a job: all of a schedule but its start and its servers."""

from __future__ import annotations

import numpy as np
from numba import njit

from models.completion.cluster import Cluster, Job
from models.completion.rates import ROUND_OFF, least_duration
from models.tolerance import usable

__all__ = [
    "DURATION",
    "FORCED",
    "INTERNAL",
    "MORE",
    "PS",
    "PS_TYPE",
    "WORKERS",
    "WORKER_TYPE",
    "amounts_of",
    "fitting",
    "least_held",
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

MORE = 2e9  # than any number of copies that fits
_NEVER = np.iinfo(np.int64).max
_BLOCK = 16  # rows
_FEW = 50  # modes that are looked at first


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
        key = [q, -q, m, -m, table[:, DURATION], amounts_of(table, cluster)]
    else:
        held = table[:, [PS]] * _ps_amounts(cluster, table)
        key = [cluster.worker_types[m], 1 - q, table[:, [WORKERS, DURATION, FORCED]], held]
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
    """Rows (q, m, p, N, d) whose d is less than with fewer or smaller workers; N <= D, and fits."""
    types = np.array(cluster.ps_choices)
    _, number, room, _ = cluster.kinds
    most = np.minimum(np.column_stack([room.max(axis=1), room @ number]), job.chunks)
    every, n = np.arange(len(most))[:, None, None, None], np.arange(1, most.max() + 1)[:, None]
    duration = least_duration(job, every, types, n, np.array([True, False])[:, None, None])
    if cluster.allreduce:  # (15a): on two servers
        duration[:, 1, :1] = _NEVER
    best = np.minimum.accumulate(duration, axis=2)
    better = (n <= most[:, :, None, None]) & (duration < _NEVER)
    better[:, :, 1:] &= best[:, :, 1:] < best[:, :, :-1]
    less = np.asarray((cluster.worker_types[:, None] >= cluster.worker_types).all(axis=2))
    for one, k in np.argwhere(less).tolist():  # type k takes no more: if it is as fast
        if k < one or not less[k, one]:
            better[one] &= best[k] > duration[one]
    m, spread, n, p = np.nonzero(better)
    return np.column_stack([1 - spread, m, types[p], n + 1, duration[better]])


def least_held(job: Job, cluster: Cluster) -> float:
    """Least sum of what a schedule of a job holds, over slots, servers and resources."""
    rows = shorter(job, cluster)
    first = np.column_stack([rows, np.full(len(rows), not cluster.allreduce)])  # no PS, or one
    hopes = rows[:, DURATION] * amounts_of(first, cluster).sum(axis=1)
    limit = np.sort(hopes)[:_FEW].max(initial=0.0)
    while True:
        table = placeable(job, cluster, rows[hopes <= limit])
        least = (table[:, DURATION] * amounts_of(table, cluster).sum(axis=1)).min(initial=np.inf)
        if least <= limit:  # the others hold more
            return float(least)
        limit = least


def placeable(job: Job, cluster: Cluster, rows: np.ndarray) -> np.ndarray:
    """Complete rows (q, m, p, N, d) by numbers of PSs, as many ways as fit on the empty cluster.

    Where d is known, not 0, without those that PSs of another type beat at the same q, m and N.
    """
    kinds, number, room, ps_room = cluster.kinds
    source, ps, forced = _with_ps(
        rows,
        usable(kinds),
        number,
        np.minimum(room, job.chunks),
        ps_room,
        cluster.worker_types,
        cluster.ps_types,
        cluster.bandwidth,
    )
    return np.column_stack([rows[source], ps, forced])


def undominated(rows: np.ndarray) -> np.ndarray:
    """Indices of rows that no other is below, in lexicographic order; of equal ones the first."""
    order = np.lexsort(rows.T[::-1])
    return np.asarray(order[_undominated(np.ascontiguousarray(rows[order], dtype=float))])


@njit(cache=True)
def _undominated(rows):  # type: ignore[no-untyped-def]
    """Places of those rows, which are in lexicographic order: what is below one is before it."""
    kept, count = np.empty(rows.shape[0], dtype=np.int64), 0
    # A block of rows is passed over if its least number of some column is larger.
    least = np.full((rows.shape[0] // _BLOCK + 1, rows.shape[1]), np.inf)
    for place in range(rows.shape[0]):
        row, beaten = rows[place], False
        for block in range((count - 1) // _BLOCK, -1, -1):
            if _below(least[block], row):
                for other in kept[block * _BLOCK : min(count, (block + 1) * _BLOCK)]:
                    beaten = beaten or _below(rows[other], row)
            if beaten:
                break
        if not beaten:
            kept[count] = place
            least[count // _BLOCK] = np.minimum(least[count // _BLOCK], row)
            count += 1
    return kept[:count]


@njit(cache=True)
def _below(one, other):  # type: ignore[no-untyped-def]
    for k in range(one.shape[0]):
        if one[k] > other[k]:
            return False
    return True


@njit(cache=True)
def fitting(room, demand, others=0, other_demand=None):  # type: ignore[no-untyped-def]
    """Copies of a demand, shape (R,), that fit into usable capacity, beside so many others."""
    copies = 0.5 * MORE
    for r in range(demand.shape[0]):
        if demand[r] > 0.0:
            left = room[r]
            if other_demand is not None:
                left -= others * other_demand[r]
            copies = min(copies, np.floor(left / demand[r]))
    return max(0, int(copies))


@njit(cache=True)
def _with_ps(rows, kinds, number, room, ps_room, worker_types, ps_types, bandwidth):  # type: ignore
    """Rows that fit on kinds of servers, so many of each, with numbers of PSs and FORCED."""
    found = [(0, 0, 0) for _ in range(0)]
    by_worker = worker_types[:, bandwidth].copy().reshape(-1, 1)
    # The quotient may be too small for a float.
    ratios = np.maximum(ps_types[:, bandwidth] / by_worker * (1.0 + ROUND_OFF), 1e-300)
    first = 0  # of the rows with the same q, m and N
    for row in range(rows.shape[0]):
        internal, m, p, workers, _ = rows[row]
        if rows[first, 0] != internal or rows[first, 1] != m or rows[first, 3] != workers:
            first = row
        everywhere = (room[m] * number).sum()
        if p < 0:
            if internal and room[m].max() >= workers:
                found.append((row, 0, workers))
            elif not internal and (np.minimum(room[m], workers - 1) * number).sum() >= workers:
                found.append((row, 0, 1))
            continue
        if internal:
            for h in range(kinds.shape[0]):
                beside = fitting(kinds[h], worker_types[m], 1, ps_types[p])
                if ps_room[p, h] > 0 and beside >= workers:
                    found.append((row, 1, workers))
                    break
            continue
        before, ps = workers, 0
        while before > 0:
            # The fewest PSs with which one more worker may be elsewhere.
            ps = max(ps + 1, int(min(np.ceil((workers - before + 1) / ratios[m, p]), MORE)))
            if ps > ps_room[p].max():
                break
            forced = max(0, workers - int(min(np.floor(ps * ratios[m, p]), 1e9)))
            fewer, before = forced < before, min(before, forced)
            if not fewer or _beaten(rows, first, row, ps, forced, ratios[m], ps_types):
                continue
            for h in range(kinds.shape[0]):
                if ps_room[p, h] < ps:
                    continue
                most = min(workers - 1, fitting(kinds[h], worker_types[m], ps, ps_types[p]))
                if forced <= most and everywhere - room[m, h] + most >= workers:
                    found.append((row, ps, forced))
                    break
    found.append((0, 0, 0))  # of no row no table can be made here
    table = np.array(found, dtype=np.int64).reshape(-1, 3)[:-1]
    return table[:, 0], table[:, 1], table[:, 2]


@njit(cache=True)
def _beaten(rows, first, row, ps, forced, ratios, ps_types):  # type: ignore[no-untyped-def]
    """Whether PSs of another type take less, and so fit wherever these do: of equals the first."""
    _, m, p, workers, duration = rows[row]
    for other in range(first, rows.shape[0]):
        internal, its_m, its_p, its_workers, its_duration = rows[other]
        if internal or its_m != m or its_workers != workers:
            break
        fewest = max(1, int(min(np.ceil((workers - forced) / ratios[its_p]), MORE)))
        its_forced = max(0, workers - int(min(np.floor(fewest * ratios[its_p]), 1e9)))
        beats = other != row and 0 < its_duration <= duration and its_forced <= forced
        less = other < row or its_duration < duration or its_forced < forced
        for r in range(ps_types.shape[1]):
            needed, held = fewest * ps_types[its_p, r], ps * ps_types[p, r]
            beats, less = beats and needed <= held, less or needed < held
        if beats and less:
            return True
    return False

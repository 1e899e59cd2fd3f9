"""The compiled kernel of pooled machines: the cheapest work of one job, slot by slot.

In a slot, w workers and the parameter servers that they need cost ``w a + s(w) b`` wherever they
stand, if prices are the same on all machines. What they do depends on where: ``w speedup``
external worker-slots on one machine (internal), w on several (external). The lower convex hull of
these points, progress against cost, is what mixtures of them in one slot can do; along the hulls
of all slots the cheapest progress comes first, whatever the completion slot is.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = ["cheapest_work"]

_ROUND_OFF = 1e-12  # of progress, relative


@njit(cache=True)
def cheapest_work(  # type: ignore[no-untyped-def]
    worker_price, ps_price, internal, external, speedup, needed, ends, work, value, whole
):
    """Maximise the value of the completion slot less the cost of the work.

    Parameters
    ----------
    worker_price, ps_price : ndarray, shape (S,)
        a and b in each slot, nonnegative.
    internal, external : ndarray of int64, shape (S,)
        Most workers on one machine, and on several.
    speedup : float
        At least 1.
    needed : ndarray of int64
        s(w), from w = 0 to the largest number that is asked for.
    ends : ndarray of int64
        The w, rising, with s(w + 1) > s(w): the corners of a hull are there or at the limits.
    work : float
        External worker-slots.
    value : ndarray, shape (S,)
        Worth of completing in each slot, not rising.
    whole : bool
        Whether counts are to be whole: then the last piece that the hulls give in part is
        replaced by the cheapest whole number of workers that does as much.

    Returns
    -------
    slot : int
        In which the job completes; -1 if there is too little room.
    cost : float
    workers, ps : ndarray, shape (S,)
    inside : ndarray of bool, shape (S,)
        Whether whole counts are meant for one machine.
    """
    slots = len(value)
    most = 2 * len(ends) + 2
    slope, gain, price = np.empty(slots * most), np.empty(slots * most), np.empty(slots * most)
    at = np.empty(slots * most, dtype=np.int64)
    # Corners of a hull: progress, cost, workers, whether internal.
    corner = np.empty((slots, most + 1, 4))
    pieces = 0
    for t in range(slots):
        size = 1
        corner[t, 0] = 0.0
        for side in range(2):
            limit, pace = (external[t], 1.0) if side else (internal[t], speedup)
            k = 0
            while k <= len(ends):
                w = ends[k] if k < len(ends) and ends[k] < limit else limit
                k = k + 1 if w < limit else len(ends) + 1
                progress, paid = w * pace, w * worker_price[t] + needed[w] * ps_price[t]
                if progress <= corner[t, size - 1, 0]:
                    continue  # internal at the same price does as much
                while size > 1:
                    wide = corner[t, size - 1, 0] - corner[t, size - 2, 0]
                    rise = corner[t, size - 1, 1] - corner[t, size - 2, 1]
                    if rise * (progress - corner[t, size - 1, 0]) < wide * (
                        paid - corner[t, size - 1, 1]
                    ):
                        break
                    size -= 1
                corner[t, size, 0], corner[t, size, 1] = progress, paid
                corner[t, size, 2], corner[t, size, 3] = w, 1.0 - side
                size += 1
        for k in range(1, size):
            gain[pieces] = corner[t, k, 0] - corner[t, k - 1, 0]
            price[pieces] = corner[t, k, 1] - corner[t, k - 1, 1]
            slope[pieces] = price[pieces] / gain[pieces]
            at[pieces] = t
            pieces += 1
    order = np.argsort(slope[:pieces], kind="mergesort")
    enough = work * (1.0 - _ROUND_OFF)
    best, best_slot, best_cost = -np.inf, -1, np.inf
    room = np.zeros(slots)
    for k in range(pieces):
        room[at[k]] += gain[k]
    room = np.cumsum(room)
    for t in range(slots):
        if best_slot >= 0 and value[t] <= best:
            break  # costs are nonnegative and values do not rise
        if room[t] < enough:
            continue
        done, cost = 0.0, 0.0
        for k in order:
            if at[k] > t:
                continue
            if done + gain[k] >= enough:
                cost += price[k] * max(0.0, min(1.0, (work - done) / gain[k]))
                break
            done += gain[k]
            cost += price[k]
        if best_slot < 0 or value[t] - cost > best:
            best, best_slot, best_cost = value[t] - cost, t, cost
    workers, ps, inside = np.zeros(slots), np.zeros(slots), np.zeros(slots, dtype=np.bool_)
    if best_slot < 0:
        return best_slot, best_cost, workers, ps, inside
    reached = np.zeros(slots, dtype=np.int64)
    done, last, share = 0.0, -1, 0.0
    for k in order:
        t = at[k]
        if t > best_slot:
            continue
        if done + gain[k] >= enough:
            last, share = t, max(0.0, min(1.0, (work - done) / gain[k]))
            break
        done += gain[k]
        reached[t] += 1
    for t in range(best_slot + 1):
        w = int(corner[t, reached[t], 2])
        workers[t], ps[t], inside[t] = w, needed[w], corner[t, reached[t], 3] > 0.5
    if last < 0:  # all there is, up to round-off
        return best_slot, best_cost, workers, ps, inside
    k = reached[last]
    if not whole:
        more = int(corner[last, k + 1, 2])
        ps[last] += share * (needed[more] - needed[int(corner[last, k, 2])])
        workers[last] += share * (more - corner[last, k, 2])
        return best_slot, best_cost, workers, ps, inside
    rest = (work - done + corner[last, k, 0]) * (1.0 - _ROUND_OFF)
    alone = math.ceil(rest / speedup)
    inside[last] = alone <= internal[last]
    w = int(alone if inside[last] else math.ceil(rest))
    workers[last], ps[last] = w, needed[w]
    best_cost = 0.0
    for t in range(best_slot + 1):
        best_cost += workers[t] * worker_price[t] + ps[t] * ps_price[t]
    return best_slot, best_cost, workers, ps, inside

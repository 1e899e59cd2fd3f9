"""Compiled kernels of pooled machines: the cheapest work of one job, slot by slot.

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

__all__ = ["deadline_costs", "hulls", "split_work"]

_ROUND_OFF = 1e-12  # of progress, relative


@njit(cache=True)
def hulls(worker_price, ps_price, internal, external, speedup, needed, ends):  # type: ignore[no-untyped-def]
    """The lower convex hull of every slot.

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

    Returns
    -------
    corner : ndarray, shape (S, n, 4)
        Progress, cost, workers, and 1 if internal.
    piece : ndarray, shape (m, 4)
        Slope, progress, cost and slot of the pieces between corners, by slot.
    """
    slots, most = len(worker_price), 2 * len(ends) + 2
    corner, piece = np.zeros((slots, most + 1, 4)), np.empty((slots * most, 4))
    pieces = 0
    for t in range(slots):
        size = 1
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
                    more, further = progress - corner[t, size - 1, 0], paid - corner[t, size - 1, 1]
                    if rise * more < wide * further:
                        break
                    size -= 1
                corner[t, size, 0], corner[t, size, 1] = progress, paid
                corner[t, size, 2], corner[t, size, 3] = w, 1.0 - side
                size += 1
        for k in range(1, size):
            gain = corner[t, k, 0] - corner[t, k - 1, 0]
            price = corner[t, k, 1] - corner[t, k - 1, 1]
            piece[pieces, 0], piece[pieces, 1] = price / gain, gain
            piece[pieces, 2], piece[pieces, 3] = price, t
            pieces += 1
    return corner, piece[:pieces]


@njit(cache=True)
def deadline_costs(piece, slots, work):  # type: ignore[no-untyped-def]
    """Least cost of the work by the end of each slot, shape (S,); infinite if there is no room.

    Pieces of :func:`hulls` come sorted by slope, those of equal slope by slot.
    """
    cost = np.full(slots, np.inf)
    for t in range(slots):
        done, total = 0.0, 0.0
        for k in range(len(piece)):
            if piece[k, 3] > t:
                continue
            gain = piece[k, 1]
            if done + gain >= work * (1.0 - _ROUND_OFF):
                cost[t] = total + piece[k, 2] * max(0.0, min(1.0, (work - done) / gain))
                break
            done += gain
            total += piece[k, 2]
    return cost


@njit(cache=True)
def split_work(deadline, corner, piece, internal, speedup, needed, work, whole):  # type: ignore[no-untyped-def]
    """Workers and parameter servers in each slot, of what :func:`deadline_costs` prices.

    Parameters
    ----------
    deadline : int
        Slot by whose end the work can be done.
    corner, piece, internal, speedup, needed, work
        As there.
    whole : bool
        Whether counts are to be whole: then the last piece, of which only a part is needed, is
        replaced by the fewest workers that do as much.

    Returns
    -------
    workers, ps : ndarray, shape (S,)
    inside : ndarray of bool, shape (S,)
        Whether whole counts are meant for one machine.
    """
    slots = len(corner)
    workers, ps, inside = np.zeros(slots), np.zeros(slots), np.zeros(slots, dtype=np.bool_)
    reached = np.zeros(slots, dtype=np.int64)
    done, last, share = 0.0, -1, 0.0
    for k in range(len(piece)):
        gain, t = piece[k, 1], int(piece[k, 3])
        if t > deadline:
            continue
        if done + gain >= work * (1.0 - _ROUND_OFF):
            last, share = t, max(0.0, min(1.0, (work - done) / gain))
            break
        done += gain
        reached[t] += 1
    for t in range(deadline + 1):
        w = int(corner[t, reached[t], 2])
        workers[t], ps[t], inside[t] = w, needed[w], corner[t, reached[t], 3] > 0.5
    here, following = corner[last, reached[last]], corner[last, reached[last] + 1]
    if whole:
        rest = (work - done + here[0]) * (1.0 - _ROUND_OFF)
        alone = math.ceil(rest / speedup)
        inside[last] = alone <= internal[last]
        w = int(alone if inside[last] else math.ceil(rest))
        workers[last], ps[last] = w, needed[w]
    else:
        workers[last] += share * (following[2] - here[2])
        ps[last] += share * (needed[int(following[2])] - needed[int(here[2])])
    return workers, ps, inside

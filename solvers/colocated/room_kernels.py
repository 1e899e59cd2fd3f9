"""Compiled kernels of machines with something on them: what still fits, and where it goes."""

from __future__ import annotations

import numpy as np
from numba import njit

from models.tolerance import ROUND_OFF

__all__ = ["largest_counts", "placed_rows"]


@njit(cache=True)
def _copies(free, demand, most):  # type: ignore[no-untyped-def]
    """How many copies of a demand fit into what is free, at most ``most``."""
    fit = float(most)
    for r in range(len(demand)):
        if demand[r] > 0.0:
            # Sums of allocations carry round-off: a hair below an integer is the integer.
            fit = min(fit, np.floor(free[r] * (1.0 + ROUND_OFF) / demand[r]))
    return max(0, int(fit))


@njit(cache=True)
def _fits(held, free):  # type: ignore[no-untyped-def]
    """Whether a machine has room for that, up to round-off."""
    for r in range(len(held)):
        if held[r] > 0.0 and held[r] > free[r] * (1.0 + ROUND_OFF):
            return False
    return True


@njit(cache=True)
def _together(free, worker, ps, needed, most):  # type: ignore[no-untyped-def]
    """Most workers, up to ``most``, that fit on one machine with what they need."""
    low, high = 0, _copies(free, worker, most)
    while low < high:
        w = (low + high + 1) // 2
        if _fits(w * worker + needed[w] * ps, free):
            low = w
        else:
            high = w - 1
    return low


@njit(cache=True)
def _tightest_first(free, worker, most, weight, fit):  # type: ignore[no-untyped-def]
    """Machines in the order in which workers fill them, and how many fit on each.

    Those that are left with the least, weighted by resource, come first.
    """
    left = np.empty(len(free))
    for h in range(len(free)):
        fit[h] = _copies(free[h], worker, most)
        left[h] = np.inf
        if fit[h] > 0:
            left[h] = ((free[h] - fit[h] * worker) * weight).sum()
    return np.argsort(left, kind="mergesort")


@njit(cache=True)
def _spread(free, order, fit, worker, ps, workers, servers, count):  # type: ignore[no-untyped-def]
    """Fill machines in order with workers, then with PSs; whether all found room.

    PSs go first where no worker fits, then beside the workers, then to the machines last in order.
    """
    machines, left, used = len(order), workers, 0
    count[:] = 0
    while used < machines and left > 0:
        h = order[used]
        count[h, 0] = min(left, fit[h])
        left -= count[h, 0]
        used += 1
    left_ps = servers
    for part in range(2):
        for k in range(machines - 1, -1, -1):
            if left_ps == 0:
                break
            h = order[k]
            if (fit[h] == 0 or k < used) == (part == 0):
                count[h, 1] = _copies(free[h] - count[h, 0] * worker, ps, left_ps)
                left_ps -= count[h, 1]
    return left == 0 and left_ps == 0


@njit(cache=True)
def placed_rows(free, workers, ps, inside, worker, server, weight):  # type: ignore[no-untyped-def]
    """Place the counts of every slot on its machines.

    What is meant for one machine goes to that which is left with the least.

    Parameters
    ----------
    free : ndarray, shape (T, H, R)
    workers, ps : ndarray, shape (T,)
        Whole numbers.
    inside : ndarray of bool, shape (T,)
        Whether they are meant for one machine.
    worker, server, weight : ndarray, shape (R,)
        Demands of a worker and of a PS, weights of what is left.

    Returns
    -------
    complete : bool
        Whether all found room.
    rows : ndarray of int64, shape (n, 4)
        (slot, machine, workers, PSs).
    """
    slots, machines = free.shape[0], free.shape[1]
    rows, size = np.empty((slots * machines, 4), dtype=np.int64), 0
    fit, count = np.empty(machines, dtype=np.int64), np.zeros((machines, 2), dtype=np.int64)
    for t in range(slots):
        w, s = int(workers[t]), int(ps[t])
        if w == 0:
            continue
        if inside[t]:
            held, best, least = w * worker + s * server, -1, np.inf
            for h in range(machines):
                left = ((free[t, h] - held) * weight).sum()
                if left < least and _fits(held, free[t, h]):
                    best, least = h, left
            count[:] = 0
            if best >= 0:
                count[best, 0], count[best, 1] = w, s
            complete = best >= 0
        else:
            order = _tightest_first(free[t], worker, w, weight, fit)
            complete = _spread(free[t], order, fit, worker, server, w, s, count)
        if not complete:
            return False, rows[:0]
        for h in range(machines):
            if count[h, 0] > 0 or count[h, 1] > 0:
                rows[size, 0], rows[size, 1] = t, h
                rows[size, 2], rows[size, 3] = count[h, 0], count[h, 1]
                size += 1
    return True, rows[:size].copy()


@njit(cache=True)
def largest_counts(free, worker, ps, needed, weight, first):  # type: ignore[no-untyped-def]
    """Most workers that find room with what they need, on one machine and on several, in each slot.

    Parameters
    ----------
    free : ndarray, shape (T, H, R)
    worker, ps : ndarray, shape (R,)
    needed : ndarray of int64
        PSs for 0, 1, ... workers.
    weight : ndarray, shape (R,)
        Of what is left, by resource.
    first : int
        Slots before are left out.

    Returns
    -------
    inside, outside : ndarray of int64, shape (T,)
    """
    slots, machines, most = free.shape[0], free.shape[1], len(needed) - 1
    inside, outside = np.zeros(slots, dtype=np.int64), np.zeros(slots, dtype=np.int64)
    fit, count = np.empty(machines, dtype=np.int64), np.zeros((machines, 2), dtype=np.int64)
    for t in range(first, slots):
        for h in range(machines):
            inside[t] = max(inside[t], _together(free[t, h], worker, ps, needed, most))
        order = _tightest_first(free[t], worker, most, weight, fit)
        low, high = inside[t], min(most, fit.sum())
        while low < high:
            w = (low + high + 1) // 2
            if _spread(free[t], order, fit, worker, ps, w, needed[w], count):
                low = w
            else:
                high = w - 1
        outside[t] = low
    return inside, outside

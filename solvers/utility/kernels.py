"""Compiled kernels of the ``utility`` oracle: slot costs, the dynamic programme, placement."""

from __future__ import annotations

import numpy as np
from numba import njit

from models.tolerance import ROUND_OFF

__all__ = ["cumulative_costs", "least_costs", "shortest_work", "take_cheapest"]


@njit(cache=True)
def cumulative_costs(price, free, demand, limit, first, slots):  # type: ignore[no-untyped-def]
    """Cost of the n cheapest places in every slot, n = 0..limit.

    Parameters
    ----------
    price, free : ndarray, shape (T, S, R)
        Prices and free capacities of the servers of one side.
    demand : ndarray, shape (R,)
        Demand of one worker (parameter server).
    limit : int
        Largest number asked for.
    first, slots : int
        Slots first..slots-1 are filled in; row 0 of the result is slot ``first``.

    Returns
    -------
    cost : ndarray, shape (slots - first, limit + 1)
        Cumulative cost, inf where fewer places are free.
    order : ndarray of int64, shape (slots - first, S)
        Servers by unit price, ties by index.
    room : ndarray of int64, shape (slots - first, S)
        Copies that fit on each server (at most ``limit``).
    """
    servers, resources = price.shape[1], price.shape[2]
    rows = max(0, slots - first)
    cost = np.full((rows, limit + 1), np.inf)
    order = np.empty((rows, servers), dtype=np.int64)
    room = np.empty((rows, servers), dtype=np.int64)
    unit = np.empty(servers)
    for row in range(rows):
        t = first + row
        for s in range(servers):
            fit = float(limit)
            total = 0.0
            for r in range(resources):
                if demand[r] > 0.0:
                    total += price[t, s, r] * demand[r]
                    # Sums of allocations carry round-off: a hair below an integer is the integer.
                    fit = min(fit, np.floor(free[t, s, r] * (1.0 + ROUND_OFF) / demand[r]))
            unit[s] = total
            room[row, s] = max(0, int(fit))
        order[row] = np.argsort(unit, kind="mergesort")
        cost[row, 0] = 0.0
        n = 0
        for j in range(servers):
            s = order[row, j]
            stop = min(limit, n + room[row, s])
            while n < stop:
                cost[row, n + 1] = cost[row, n] + unit[s]
                n += 1
            if n == limit:
                break
    return cost, order, room


@njit(cache=True)
def shortest_work(slot_cost, reach, work, value):  # type: ignore[no-untyped-def]
    """Best split of ``work`` worker-slots over slots, for every completion deadline at once.

    ``C[t, w] = min_n slot_cost[t, n] + C[t-1, w-n]`` is the cheapest way to do exactly w
    worker-slots by slot t (doing more is never cheaper: costs do not fall with n). The
    answer maximises ``value[t] - C[t, work]``; the earliest t wins a tie.

    Parameters
    ----------
    slot_cost : ndarray, shape (S, n + 1)
        Cost of 0..n workers in each slot from the arrival on.
    reach : ndarray of int64, shape (S,)
        Largest feasible number of workers in each slot.
    work : int
        W, at least 0.
    value : ndarray, shape (S,)
        Worth of completing in each slot, non-increasing.

    Returns
    -------
    t : int
        Completion slot relative to the arrival, -1 if the work cannot be done.
    cost : float
        Its cost.
    split : ndarray of int64, shape (S,)
        Workers in each slot.
    """
    slots = slot_cost.shape[0]
    split = np.zeros(slots, dtype=np.int64)
    if reach.sum() < work:
        return -1, np.inf, split
    table = np.full((slots + 1, work + 1), np.inf)
    table[0, 0] = 0.0
    best, best_t, best_cost = -np.inf, -1, np.inf
    done = 0  # most worker-slots that fit so far
    for t in range(slots):
        if best_t >= 0 and value[t] <= best:
            break  # costs are nonnegative and values do not rise: nothing later is better
        old, new = table[t], table[t + 1]
        done_next = min(work, done + reach[t])
        new[: done + 1] = old[: done + 1]
        for n in range(1, min(reach[t], work) + 1):
            price = slot_cost[t, n]
            top = min(done, work - n)
            for w in range(top + 1):
                new[w + n] = min(new[w + n], old[w] + price)
        done = done_next
        payoff = value[t] - new[work]
        if new[work] < np.inf and (best_t < 0 or payoff > best):
            best, best_t, best_cost = payoff, t, new[work]
    if best_t < 0:
        return best_t, best_cost, split
    w = work
    for t in range(best_t, -1, -1):
        # The smallest n that explains the value: work moves to earlier slots on ties.
        target = table[t + 1, w]
        for n in range(min(reach[t], w) + 1):
            if table[t, w - n] + slot_cost[t, n] == target:
                split[t] = n
                w -= n
                break
    return best_t, best_cost, split


@njit(cache=True)
def least_costs(cost, work, slots):  # type: ignore[no-untyped-def]
    """Least cost of ``work`` worker-slots in 1, 2, ... slots that all cost the same.

    Parameters
    ----------
    cost : ndarray, shape (n + 1,)
        Cost of 0..n workers in a slot, not falling; that of none is taken to be 0.
    work : int
        W, at least 0.
    slots : int

    Returns
    -------
    ndarray, shape (slots,)
        By number of slots; inf where the work cannot be done in so many.
    """
    least, most = np.full(slots, np.inf), min(len(cost) - 1, work)
    old = np.full(work + 1, np.inf)  # by work that is done so far
    old[0] = 0.0
    for t in range(slots):
        new = old.copy()
        for n in range(1, most + 1):
            for w in range(min(t * most, work - n) + 1):
                new[w + n] = min(new[w + n], old[w] + cost[n])
        old = new
        least[t] = new[work]
    return least


@njit(cache=True)
def take_cheapest(counts, order, room, first):  # type: ignore[no-untyped-def]
    """Place ``counts[row]`` copies on the cheapest servers of every slot.

    Returns
    -------
    ndarray of int64, shape (n, 3)
        Rows (slot, server, count), by slot, then in order of price.
    """
    size = 0
    for row in range(counts.shape[0]):
        if counts[row] > 0:
            size += order.shape[1]
    rows = np.empty((size, 3), dtype=np.int64)
    filled = 0
    for row in range(counts.shape[0]):
        left = counts[row]
        j = 0
        while left > 0:
            s = order[row, j]
            take = min(left, room[row, s])
            if take > 0:
                rows[filled, 0], rows[filled, 1], rows[filled, 2] = first + row, s, take
                filled += 1
                left -= take
            j += 1
    return rows[:filled]

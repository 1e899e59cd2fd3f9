"""Compiled kernels of the ``colocated`` oracle: what fits, placements, the programme over slots."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = [
    "cheapest_machine",
    "fill_each",
    "fill_up",
    "pack_machines",
    "packed_on",
    "room_beside",
    "shortest_units",
]


@njit(cache=True)
def room_beside(room, worker, ps, most, most_ps):  # type: ignore[no-untyped-def]
    """How many parameter servers fit beside 0..most workers, shape (H, most + 1).

    ``room`` is what policies may use of the machines, shape (H, R). -1 where the workers do not
    fit; never more than ``most_ps``.
    """
    table = np.full((room.shape[0], most + 1), -1)
    for h in range(room.shape[0]):
        for w in range(most + 1):
            count, fits = float(most_ps), True
            for r in range(room.shape[1]):
                left = room[h, r] - w * worker[r]
                if left < 0.0 and w > 0 and worker[r] > 0.0:
                    fits = False
                if ps[r] > 0.0:
                    count = min(count, np.floor(left / ps[r]))
            if not fits:
                break
            table[h, w] = max(0, int(count))
    return table


@njit(cache=True)
def cheapest_machine(worker_cost, ps_cost, room, ps_needed):  # type: ignore[no-untyped-def]
    """Cheapest machine for 1, 2, ... workers and their parameter servers, and its cost."""
    cost = np.full(ps_needed.shape[0], np.inf)
    server = np.full(ps_needed.shape[0], -1)
    for h in range(room.shape[0]):
        for w in range(1, room.shape[1]):
            if room[h, w] < ps_needed[w]:
                break
            total = w * worker_cost[h] + ps_needed[w] * ps_cost[h]
            if total < cost[w]:
                cost[w], server[w] = total, h
    return cost, server


@njit(cache=True)
def fill_up(  # type: ignore[no-untyped-def]
    workers, ps, worker_order, ps_order, room, most, most_ps, ps_first
):
    """Add to what is on the machines until there are so many; whether there was room.

    Machines are taken in the given orders, as far as what is there already leaves room.
    """
    left, left_ps = most - workers.sum(), most_ps - ps.sum()
    for turn in range(2):
        if (turn == 0) == ps_first:
            for h in ps_order:
                take = max(0, min(left_ps, room[h, workers[h]] - ps[h]))
                ps[h] += take
                left_ps -= take
        else:
            for h in worker_order:
                low, high = workers[h], min(workers[h] + max(0, left), room.shape[1] - 1)
                while low < high:  # the more workers, the less room
                    middle = (low + high + 1) // 2
                    if room[h, middle] >= ps[h]:
                        low = middle
                    else:
                        high = middle - 1
                left -= low - workers[h]
                workers[h] = low
    return left <= 0 and left_ps <= 0


@njit(cache=True)
def fill_each(  # type: ignore[no-untyped-def]
    worker_cost, ps_cost, worker_order, ps_order, room, ps_needed
):
    """Cost of 0, 1, ... workers placed by :func:`fill_up`, and whether PSs go first."""
    cost = np.full(ps_needed.shape[0], np.inf)
    first = np.ones(ps_needed.shape[0], dtype=np.bool_)
    cost[0] = 0.0
    for w in range(1, ps_needed.shape[0]):
        for ps_first in (True, False):
            workers = np.zeros(room.shape[0], dtype=np.int64)
            ps = np.zeros(room.shape[0], dtype=np.int64)
            if fill_up(workers, ps, worker_order, ps_order, room, w, ps_needed[w], ps_first):
                total = (workers * worker_cost + ps * ps_cost).sum()
                if total < cost[w]:
                    cost[w], first[w] = total, ps_first
    return cost, first


@njit(cache=True)
def pack_machines(worker_cost, ps_cost, room, most, most_ps, keep):  # type: ignore[no-untyped-def]
    """Least cost of exactly s parameter servers and w workers on the first machines, all s and w.

    Machine h takes any a workers and any ``b <= room[h, a]`` parameter servers. Workers are tried
    from many to few, so the least over b is known already for what leaves less room.

    Returns
    -------
    ndarray, shape (stages, most_ps + 1, most + 1)
        Before the first machine, after the first, ... if ``keep``, else only the last one.
    """
    machines = room.shape[0]
    depth = machines + 1 if keep else 2
    tables = np.full((depth, most_ps + 1, most + 1), np.inf)
    tables[0, 0, 0] = 0.0
    beside = np.empty((most_ps + 1, most + 1))
    reach, reach_ps = 0, 0
    for h in range(machines):
        old, new = tables[h % depth], tables[(h + 1) % depth]
        limit = 0
        while limit < most and limit + 1 < room.shape[1] and room[h, limit + 1] >= 0:
            limit += 1
        reach_ps = min(most_ps, reach_ps + room[h, 0])
        width = reach + 1
        reach = min(most, reach + limit)
        new[: reach_ps + 1, : reach + 1] = np.inf
        beside[: reach_ps + 1, :width] = old[: reach_ps + 1, :width]
        b = 0
        for a in range(limit, -1, -1):
            while b < min(room[h, a], reach_ps):
                b += 1
                cost = b * ps_cost[h]
                for s in range(b, reach_ps + 1):
                    _improve(beside[s, :width], old[s - b, :width], cost)
            cost = a * worker_cost[h]
            stop = min(width, most + 1 - a)
            for s in range(reach_ps + 1):
                _improve(new[s, a : a + stop], beside[s, :stop], cost)
    if not keep:
        return tables[machines % depth : machines % depth + 1]
    return tables


@njit(cache=True)
def _improve(target, source, cost):  # type: ignore[no-untyped-def]
    """``target = min(target, source + cost)``, in a form that is vectorised."""
    for i in range(target.shape[0]):
        target[i] = min(target[i], source[i] + cost)


@njit(cache=True)
def packed_on(tables, worker_cost, ps_cost, room, workers, ps):  # type: ignore[no-untyped-def]
    """Workers and parameter servers on each machine, shape (2, machines), from kept tables."""
    machines = room.shape[0]
    found = np.zeros((2, machines), dtype=np.int64)
    for h in range(machines - 1, -1, -1):
        best, take, take_ps = np.inf, 0, 0
        for a in range(min(workers, room.shape[1] - 1) + 1):
            for b in range(min(room[h, a], ps) + 1):
                cost = tables[h, ps - b, workers - a] + b * ps_cost[h] + a * worker_cost[h]
                if cost < best:
                    best, take, take_ps = cost, a, b
        found[0, h], found[1, h] = take, take_ps
        workers -= take
        ps -= take_ps
    return found


@njit(cache=True)
def shortest_units(units, cost, need, value):  # type: ignore[no-untyped-def]
    """Best choice of an option in every slot, for every completion slot at once, (21).

    Parameters
    ----------
    units : ndarray of int64, shape (S, n)
        Progress of the options of each slot, at least 1; 0 marks the end of a shorter list.
    cost : ndarray, shape (S, n)
    need : int
        Units that complete the job, at least 1; more is as good.
    value : ndarray, shape (S,)
        Worth of completing in each slot, non-increasing.

    Returns
    -------
    t : int
        Completion slot, -1 if there is none; the earliest of equal ones.
    cost : float
    choice : ndarray of int64, shape (S,)
        Option of each slot, -1 for none.
    """
    slots = units.shape[0]
    choice = np.full(slots, -1)
    rest, most = np.zeros(slots + 1, dtype=np.int64), np.zeros(slots, dtype=np.int64)
    for t in range(slots - 1, -1, -1):
        for step in units[t]:
            most[t] = max(most[t], step)
        rest[t] = min(need, rest[t + 1] + most[t])
    best, best_t, best_cost = -np.inf, -1, np.inf
    if rest[0] < need:
        return best_t, best_cost, choice
    table = np.full((slots + 1, need + 1), np.inf)
    table[0, 0] = 0.0
    done = 0  # most units so far
    for t in range(slots):
        if best_t >= 0 and value[t] <= best:
            break  # costs are nonnegative and values do not rise: nothing later is better
        old, new = table[t], table[t + 1]
        low = need - rest[t + 1]  # with less than that the job is never completed
        new[low : done + 1] = old[low : done + 1]
        for j in range(units.shape[1]):
            step = units[t, j]
            if step == 0:
                break
            start, stop = max(0, low - step), min(done + 1, need - step)
            if stop > start:
                _improve(new[start + step : stop + step], old[start:stop], cost[t, j])
            for v in range(max(0, need - step), done + 1):
                new[need] = min(new[need], old[v] + cost[t, j])
        done = min(need, done + most[t])
        payoff = value[t] - new[need]
        if new[need] < np.inf and (best_t < 0 or payoff > best):
            best, best_t, best_cost = payoff, t, new[need]
    v = need
    for t in range(best_t, -1, -1):
        least, before = table[t, v], v
        for j in range(units.shape[1]):
            step = units[t, j]
            if step == 0:
                break
            for u in range(max(0, v - step), done + 1 if v == need else v - step + 1):
                if table[t, u] + cost[t, j] < least:
                    least, before, choice[t] = table[t, u] + cost[t, j], u, j
        v = before
    return best_t, best_cost, choice

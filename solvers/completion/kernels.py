"""Compiled inner loops of the oracle."""

from __future__ import annotations

import numpy as np
from numba import njit

from solvers.completion.modes import (
    DURATION,
    FORCED,
    INTERNAL,
    PS,
    PS_TYPE,
    WORKER_TYPE,
    WORKERS,
    fitting,
)

__all__ = ["find_best", "look", "window_minima"]

# What is best so far: numbers, and choices.
_PAYOFF, _COST, _USE = range(3)
_COMPLETION, _MODE, _SERVER = range(3)


@njit(cache=True)
def find_best(  # type: ignore[no-untyped-def]
    modes, prices, free, capacity, values, first, beyond, worker_types, ps_types
):
    """Best completion, mode and placement of one job at given prices.

    Modes of the same duration and worker type are a group. What a completion in a group is worth
    at best follows from the prices of the cheapest servers: of any in each slot, then in the whole
    window. The most promising are looked at first, and those that cannot win not at all.

    The parameters are those of :func:`solvers.completion.oracle.best_schedule`; ``free`` and
    ``capacity`` (of slot S and later) are usable capacities.

    Returns
    -------
    best : ndarray, shape (3,)
        Payoff, cost, and use: the sum of the shares of all capacity that it holds.
    choice : ndarray of int64, shape (3,)
        Completion; mode, -1 if there is no schedule; server (of all, or of the PSs; -1: neither).
    """
    slots, servers, resources = prices.shape
    best, choice = np.array([-np.inf, 0.0, np.inf]), np.full(3, -1)
    count = modes.shape[0]
    if count == 0:
        return best, choice
    starts = [0]
    for row in range(1, count):
        if modes[row, DURATION] != modes[row - 1, DURATION] or (
            modes[row, WORKER_TYPE] != modes[row - 1, WORKER_TYPE]
        ):
            starts.append(row)
    starts.append(count)
    groups = len(starts) - 1
    latest = min(slots + (modes[-1, DURATION] if beyond else 0), values.shape[0] - 1)
    total = np.zeros((slots + 1, servers, resources))
    least = np.zeros((slots + 1, resources))
    for t in range(slots):
        total[t + 1] = total[t] + prices[t]
        for r in range(resources):
            least[t + 1, r] = least[t, r] + prices[t, :, r].min()
    hopes = np.full((max(0, latest - first), groups), -np.inf)
    for group in range(groups):
        rows = modes[starts[group] : starts[group + 1]]
        demand = rows[:, WORKERS].min() * worker_types[rows[0, WORKER_TYPE]]
        for completion in range(first + rows[0, DURATION], latest + 1):
            begin, end = completion - rows[0, DURATION], min(completion, slots)
            if begin <= slots:
                hope = values[completion]
                for r in range(resources):
                    hope -= demand[r] * (least[end, r] - least[begin, r])
                hopes[completion - first - 1, group] = hope
    minima = window_minima(free)
    share = 1.0 / np.maximum(capacity.sum(axis=0), 1e-300)  # nobody holds of what there is none
    window, paid = np.empty((servers, resources)), np.empty((servers, resources))
    flat = hopes.ravel()
    for place in np.argsort(-flat, kind="mergesort"):  # of equals the earliest completion first
        completion, group = first + 1 + place // groups, place % groups
        hope, rows = flat[place], modes[starts[group] : starts[group + 1]]
        if hope < best[_PAYOFF] or hope == -np.inf:
            break
        at_best = (completion, -1, -1)
        if _worse(best, choice, hope, -np.inf, at_best):
            continue
        begin, end = completion - rows[0, DURATION], min(completion, slots)
        if choice[_MODE] >= 0:  # there is a schedule to beat: look closer
            demand, cheapest = worker_types[rows[0, WORKER_TYPE]], np.inf
            for h in range(servers):
                cost = 0.0
                for r in range(resources):
                    cost += demand[r] * (total[end, h, r] - total[begin, h, r])
                cheapest = min(cheapest, cost)
            hope = min(hope, values[completion] - rows[:, WORKERS].min() * max(cheapest, 0.0))
            if _worse(best, choice, hope, -np.inf, at_best):
                continue
        look(begin, end, minima, capacity, window)
        paid[:] = np.maximum(total[end] - total[begin], 0.0)  # against round-off
        where = (values[completion], completion, starts[group])
        _try_group(rows, where, window, paid, share, worker_types, ps_types, best, choice)
    return best, choice


@njit(cache=True)
def _try_group(  # type: ignore[no-untyped-def]
    rows, where, window, paid, share, worker_types, ps_types, best, choice
):
    """Keep the best of some modes of one duration and worker type in one window."""
    value, completion, number = where
    servers, resources = window.shape
    demand = worker_types[rows[0, WORKER_TYPE]]
    length = rows[0, DURATION] * share
    cost, ps_cost = np.empty(servers), np.zeros(servers)
    room = np.empty(servers, dtype=np.int64)
    for h in range(servers):
        cost[h] = 0.0
        for r in range(resources):
            cost[h] += demand[r] * paid[h, r]
        room[h] = fitting(window[h], demand)
    order = np.argsort(cost, kind="mergesort")
    seen, cheapest_ps = -1, 0.0
    ps_demand = np.zeros(resources)
    for row in range(rows.shape[0]):
        p, workers, ps = rows[row, PS_TYPE], rows[row, WORKERS], rows[row, PS]
        hope = value - _cheapest(order, cost, room, workers, -1, 0, workers)
        if hope == -np.inf or hope < best[_PAYOFF]:
            continue
        if p >= 0 and p != seen:
            seen, ps_demand = p, ps_types[p]
            for h in range(servers):
                ps_cost[h] = 0.0
                for r in range(resources):
                    ps_cost[h] += ps_demand[r] * paid[h, r]
            cheapest_ps = ps_cost.min()
        with_ps = hope - ps * cheapest_ps
        if with_ps < best[_PAYOFF]:
            continue
        need = workers * demand + ps * ps_demand
        use = (need * length).sum()
        what = (completion, number + row)
        if _worse(best, choice, with_ps, use, (*what, -1)):
            continue
        if rows[row, INTERNAL]:
            for h in range(servers):
                if room[h] >= workers and (need <= window[h]).all():
                    total_cost = workers * cost[h] + ps * ps_cost[h]
                    _keep(best, choice, value, total_cost, use, (*what, h))
        elif p < 0:
            total_cost = _cheapest(order, cost, room, workers, -1, 0, workers - 1)
            _keep(best, choice, value, total_cost, use, (*what, -1))
        else:
            forced = rows[row, FORCED]
            for h in range(servers):
                at_best = hope - ps * ps_cost[h]
                if room[h] < forced or _worse(best, choice, at_best, use, (*what, h)):
                    continue
                if fitting(window[h], ps_demand) < ps:
                    continue
                most = min(workers - 1, fitting(window[h], demand, ps, ps_demand))
                if forced <= most:
                    total_cost = ps * ps_cost[h] + _cheapest(
                        order, cost, room, workers, h, forced, most
                    )
                    _keep(best, choice, value, total_cost, use, (*what, h))


@njit(cache=True)
def _worse(best, choice, payoff, use, what):  # type: ignore[no-untyped-def]
    """Whether it is: less payoff, or later completion, more use, higher mode, server."""
    rank = (-payoff, what[_COMPLETION], use, what[_MODE], what[_SERVER])
    known = (-best[_PAYOFF], choice[_COMPLETION], best[_USE], choice[_MODE], choice[_SERVER])
    return payoff == -np.inf or rank > known


@njit(cache=True)
def _keep(best, choice, value, cost, use, what):  # type: ignore[no-untyped-def]
    """Remember it unless it is worse."""
    if _worse(best, choice, value - cost, use, what):
        return
    best[_PAYOFF], best[_COST], best[_USE] = value - cost, cost, use
    for place in range(3):
        choice[place] = what[place]


@njit(cache=True)
def look(start, stop, minima, capacity, window):  # type: ignore[no-untyped-def]
    """Fill in what is free throughout the slots from start to stop - 1; everything if none."""
    if stop <= start:
        window[:] = capacity
        return
    level = 0
    while 2 ** (level + 1) <= stop - start:
        level += 1
    other = stop - 2**level
    for h in range(window.shape[0]):
        for r in range(window.shape[1]):
            window[h, r] = min(minima[level, start, h, r], minima[level, other, h, r])


@njit(cache=True)
def window_minima(free):  # type: ignore[no-untyped-def]
    """Minima over windows of 1, 2, 4, ... slots, from which those over any window follow."""
    slots = free.shape[0]
    levels = 1
    while 2**levels <= slots:
        levels += 1
    table = np.empty((levels, *free.shape))
    table[0] = free
    for level in range(1, levels):
        half = 2 ** (level - 1)
        for t in range(slots - 2 * half + 1):
            for h in range(free.shape[1]):
                for r in range(free.shape[2]):
                    table[level, t, h, r] = min(
                        table[level - 1, t, h, r], table[level - 1, t + half, h, r]
                    )
    return table


@njit(cache=True)
def _cheapest(order, cost, room, workers, server, forced, most):  # type: ignore
    """Cost of the cheapest places for some workers; infinite if they do not fit.

    ``order`` has the servers by the cost of a worker, ``room`` how many fit there. On ``server``,
    that of the PSs, are at least ``forced`` and at most ``most`` of them; -1 if there are no PSs:
    then at most so many are on any server.
    """
    left = workers - forced
    paid = forced * cost[server] if forced else 0.0
    for place in range(order.shape[0]):
        if left == 0:
            break
        h = order[place]
        if h == server:
            take = min(left, most - forced)
        else:
            take = min(left, room[h] if server >= 0 else min(room[h], most))
        paid += take * cost[h]
        left -= take
    return paid if left == 0 else np.inf

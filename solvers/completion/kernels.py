"""Compiled inner loops of the oracle."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["find_best", "fitting", "window_minima", "workers_outside"]

_NONE = -1
_TOLERANT = 1.0 + 1e-9  # of (2i), as in `models.completion.rates`

# What is best so far: numbers, and choices.
_PAYOFF, _COST, _USE = range(3)
_COMPLETION, _MODE, _SERVER, _PS, _FORCED, _MOST = range(6)


@njit(cache=True)
def fitting(room, demand):  # type: ignore[no-untyped-def]
    """Copies of a demand, shape (R,), that fit into a room of usable capacity, shape (R,)."""
    copies = 1e9
    for r in range(demand.shape[0]):
        if demand[r] > 0.0:
            copies = min(copies, np.floor(room[r] / demand[r]))
    return max(0, int(copies))


@njit(cache=True)
def workers_outside(number, worker_types, ps_types, m, p, bandwidth):  # type: ignore
    """Workers that (2i) allows on other servers than that of so many parameter servers."""
    ratio = ps_types[p, bandwidth] / worker_types[m, bandwidth]
    return int(np.floor(min(number * ratio * _TOLERANT, 1e9)))


@njit(cache=True)
def find_best(  # type: ignore[no-untyped-def]
    modes, prices, free, capacity, values, first, beyond, worker_types, ps_types, bandwidth
):
    """Best completion, mode and placement of one job at given prices.

    Completions are tried one after the other, so that among equal payoffs the earliest wins; what
    cannot beat the best payoff so far is not looked at, since costs are nonnegative.

    Parameters
    ----------
    modes : ndarray of int64, shape (n, 5)
        Rows (q, m, p, N, d), by duration, then by q and m.
    prices, free : ndarray, shape (S, H, R)
        Nonnegative prices, and usable free capacities.
    capacity : ndarray, shape (H, R)
        Usable full capacities, which hold after slot S - 1.
    values : ndarray
        Worth of completing at 0, 1, ...; minus infinity where it must not.
    first : int
        Earliest start.
    beyond : bool
        Whether it may run after slot S - 1, at no price, if it starts by S.
    worker_types, ps_types : ndarray, shape (M, R), (P, R)
    bandwidth : int
        Index of a resource.

    Returns
    -------
    best : ndarray, shape (3,)
        Payoff, cost, and use: the sum of the shares of all capacity that it holds.
    choice : ndarray of int64, shape (6,)
        Completion; mode, -1 if there is no schedule; then, for :func:`solvers.completion.oracle`
        to place the workers, a server (of all, or of the PSs; -1 for neither), its PSs, and the
        fewest and the most workers on it.
    """
    slots, servers, resources = prices.shape
    total = np.zeros((slots + 1, servers, resources))
    for t in range(slots):
        total[t + 1] = total[t] + prices[t]
    minima = window_minima(free)
    share = _shares(capacity)
    best = np.array([-np.inf, 0.0, np.inf])
    choice = np.full(6, _NONE)
    window, paid = np.empty((servers, resources)), np.empty((servers, resources))
    cost, ps_cost = np.empty(servers), np.zeros(servers)
    room = np.empty(servers, dtype=np.int64)
    order = np.empty(servers, dtype=np.int64)
    count = modes.shape[0]
    latest = min((slots if beyond else 0) + modes[-1, 4] if count else 0, values.shape[0] - 1)
    latest = min(max(latest, slots), values.shape[0] - 1)
    for completion in range(first + 1, latest + 1):
        if not values[completion] > best[_PAYOFF]:
            continue
        if completion > slots and not beyond:
            break
        seen_duration, seen_type = _NONE, _NONE
        for mode in range(count):
            internal, m, p, workers, duration = modes[mode]
            start = completion - duration
            if start < first:
                break
            if start > slots:
                continue
            if duration != seen_duration:
                seen_duration, seen_type = duration, _NONE
                _look(start, min(completion, slots), total, minima, capacity, window, paid)
            if m != seen_type:
                seen_type = m
                for h in range(servers):
                    cost[h] = (worker_types[m] * paid[h]).sum()
                    room[h] = fitting(window[h], worker_types[m])
                order[:] = np.argsort(cost, kind="mergesort")
            hope = values[completion] - workers * cost[order[0]]
            if hope < best[_PAYOFF] or hope == -np.inf:
                continue
            if p >= 0:
                for h in range(servers):
                    ps_cost[h] = (ps_types[p] * paid[h]).sum()
            demand = worker_types[m]
            ps_demand = ps_types[p] if p >= 0 else np.zeros(resources)
            value, length = values[completion], duration * share
            if internal:
                need = workers * demand + ps_demand
                for h in range(servers):
                    if room[h] >= workers and (need <= window[h]).all():
                        what = (completion, mode, h, 1 if p >= 0 else 0, workers, workers)
                        total_cost = workers * cost[h] + ps_cost[h]
                        _keep(best, choice, value, total_cost, (need * length).sum(), what)
            elif p < 0:
                total_cost = _cheapest(order, cost, room, workers, _NONE, 0, workers - 1)
                what = (completion, mode, _NONE, 0, 0, workers - 1)
                _keep(best, choice, value, total_cost, (workers * demand * length).sum(), what)
            else:
                for h in range(servers):
                    if hope - ps_cost[h] < best[_PAYOFF]:
                        continue
                    before = workers
                    for number in range(1, fitting(window[h], ps_demand) + 1):
                        outside = workers_outside(number, worker_types, ps_types, m, p, bandwidth)
                        forced = max(0, workers - outside)
                        if forced >= before:  # one more PS that allows nothing new
                            continue
                        before = forced
                        beside = fitting(window[h] - number * ps_demand, demand)
                        most = min(workers - 1, beside)
                        if forced <= most:
                            total_cost = number * ps_cost[h] + _cheapest(
                                order, cost, room, workers, h, forced, most
                            )
                            use = ((workers * demand + number * ps_demand) * length).sum()
                            what = (completion, mode, h, number, forced, most)
                            _keep(best, choice, value, total_cost, use, what)
                        if forced == 0:
                            break
    return best, choice


@njit(cache=True)
def _keep(best, choice, value, cost, use, what):  # type: ignore[no-untyped-def]
    """Remember it if it is better: payoff, then (at the same completion) less use."""
    payoff = value - cost
    if payoff == -np.inf or payoff < best[_PAYOFF]:
        return
    if payoff == best[_PAYOFF] and (what[_COMPLETION] > choice[_COMPLETION] or use >= best[_USE]):
        return
    best[_PAYOFF], best[_COST], best[_USE] = payoff, cost, use
    for place in range(6):
        choice[place] = what[place]


@njit(cache=True)
def _look(start, stop, total, minima, capacity, window, paid):  # type: ignore[no-untyped-def]
    """Fill in what is free throughout the slots from start to stop - 1, and the sums of prices."""
    if stop <= start:
        window[:], paid[:] = capacity, 0.0
        return
    level = 0
    while 2 ** (level + 1) <= stop - start:
        level += 1
    window[:] = np.minimum(minima[level, start], minima[level, stop - 2**level])
    paid[:] = total[stop] - total[start]


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
            table[level, t] = np.minimum(table[level - 1, t], table[level - 1, t + half])
    return table


@njit(cache=True)
def _shares(capacity):  # type: ignore[no-untyped-def]
    """Share of all capacity that a unit of each resource is; 0 where there is none."""
    share = capacity.sum(axis=0)
    for r in range(share.shape[0]):
        share[r] = 1.0 / share[r] if share[r] > 0.0 else 0.0
    return share


@njit(cache=True)
def _cheapest(order, cost, room, workers, ps_server, forced, most):  # type: ignore
    """Cost of the cheapest places for some workers; infinite if they do not fit.

    Parameters
    ----------
    order : ndarray of int64, shape (H,)
        Servers by the cost of a worker.
    cost, room : ndarray, shape (H,)
        Cost of a worker on each server, and how many fit there.
    workers : int
        N.
    ps_server : int
        Server of the PSs; -1 if there are none.
    forced, most : int
        Fewest and most workers there; without PSs, ``most`` is of every server.
    """
    left = workers - forced
    paid = forced * cost[ps_server] if forced else 0.0
    for place in range(order.shape[0]):
        if left == 0:
            break
        h = order[place]
        if h == ps_server:
            take = min(left, most - forced)
        else:
            take = min(left, room[h] if ps_server >= 0 else min(room[h], most))
        paid += take * cost[h]
        left -= take
    return paid if left == 0 else np.inf

"""The most valuable set of workers on a server: an integer knapsack over several resources."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["best_packing", "best_packings"]

_UNLIMITED = 1e17


@njit(cache=True)
def _step(k, i, counts, demand, worth, left, value):  # type: ignore[no-untyped-def]
    """Go one level down with ``counts[k]`` of item i."""
    value[k + 1] = value[k] + counts[k] * worth[i]
    for r in range(demand.shape[1]):
        left[k + 1, r] = left[k, r] - counts[k] * demand[i, r]
    return k + 1


@njit(cache=True)
def best_packing(capacity, demand, worth, limit, max_nodes):  # type: ignore[no-untyped-def]
    """Maximise ``worth y`` over whole ``0 <= y <= limit`` with ``sum_i demand_i y_i <= capacity``.

    Depth-first search that takes the densest items first, and as many of each as fit. For every
    resource r, what is left of it times the largest worth per unit of r among the remaining items
    bounds their worth; a node is cut off if one of these bounds rules out anything better.

    Parameters
    ----------
    capacity : ndarray, shape (R,)
    demand : ndarray, shape (n, R)
    worth : ndarray, shape (n,)
        Nonnegative.
    limit : ndarray of int64, shape (n,)
    max_nodes : int
        Nodes after which the search gives up proving.

    Returns
    -------
    value : float
        Worth of the packing found.
    upper : float
        No packing is worth more; equal to ``value`` if the search ended by itself.
    counts : ndarray of int64, shape (n,)
    """
    items, resources = demand.shape
    key = np.empty(items)
    for i in range(items):
        share = 1e-12
        for r in range(resources):
            if demand[i, r] > 0.0:
                share = max(share, demand[i, r] / max(capacity[r], 1e-12))
        key[i] = -worth[i] / share
    order = np.argsort(key, kind="mergesort")
    # density[k, r]: most worth per unit of r among the items k, k+1, ... in that order
    density = np.zeros((items + 1, resources))
    tail = np.zeros(items + 1)
    for k in range(items - 1, -1, -1):
        i = order[k]
        tail[k] = tail[k + 1] + worth[i] * limit[i]
        for r in range(resources):
            unit = 0.0
            if worth[i] > 0.0:
                unit = worth[i] / demand[i, r] if demand[i, r] > 0.0 else 1e18
            density[k, r] = max(density[k + 1, r], unit)

    best, upper = 0.0, 0.0
    best_counts = np.zeros(items, dtype=np.int64)
    counts = np.zeros(items, dtype=np.int64)
    # left[k], value[k]: what the first k items leave, and what they are worth. Each level is
    # computed from the one above, so round-off does not add up over the search.
    left = np.empty((items + 1, resources))
    left[0] = capacity
    value = np.zeros(items + 1)
    k, nodes, down = 0, 0, True
    while True:
        if down:
            bound = tail[k]
            for r in range(resources):
                if density[k, r] < _UNLIMITED:
                    bound = min(bound, max(left[k, r], 0.0) * density[k, r])
            if k == items or value[k] + bound <= best * (1.0 + 1e-12):
                if value[k] > best:
                    best = value[k]
                    best_counts[:] = 0
                    best_counts[order[:k]] = counts[:k]
                down, k = False, k - 1
                continue
            nodes += 1
            if nodes > max_nodes:
                upper = max(upper, value[k] + bound)
                down, k = False, k - 1
                continue
            i = order[k]
            fit = limit[i]
            for r in range(resources):
                if demand[i, r] > 0.0:
                    most = left[k, r] + 1e-10 * capacity[r]
                    fit = min(fit, max(0, int(np.floor(min(most / demand[i, r], 1e9)))))
            counts[k] = fit
            k = _step(k, i, counts, demand, worth, left, value)
        else:
            if k < 0:
                break
            if counts[k] > 0:
                i = order[k]
                counts[k] -= 1
                k, down = _step(k, i, counts, demand, worth, left, value), True
            else:
                k -= 1
    # A node that was cut off may have been better by the tolerance above.
    return best, max(upper, best) * (1.0 + 1e-12), best_counts


@njit(cache=True)
def best_packings(capacities, demand, worth, limit, max_nodes):  # type: ignore[no-untyped-def]
    """:func:`best_packing` of each of several servers.

    Parameters
    ----------
    capacities : ndarray, shape (G, R)
    demand, worth, limit, max_nodes
        As there.

    Returns
    -------
    value, upper : ndarray, shape (G,)
    counts : ndarray of int64, shape (G, n)
    """
    groups = len(capacities)
    value, upper = np.empty(groups), np.empty(groups)
    counts = np.empty((groups, len(worth)), dtype=np.int64)
    for g in range(groups):
        value[g], upper[g], counts[g] = best_packing(capacities[g], demand, worth, limit, max_nodes)
    return value, upper, counts

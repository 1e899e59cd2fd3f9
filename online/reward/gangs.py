"""Gang scheduling (Sec. 3.5): jobs that earn nothing unless enough of their components run.

A component runs if the channels of its lane together hold what it requests of every device. The
kernels change an allocation in place; ``free`` is what it leaves of the capacities.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["complete_gangs", "drop_copy", "drop_gangs", "lane_runs"]

_ENOUGH = (
    1.0 - 1e-10
)  # share of a request that is enough: allows for round-off, within the scorer's 1e-9


@njit(cache=True)
def lane_runs(y, request, layout, n):  # type: ignore[no-untyped-def]
    """Whether the component of lane n runs."""
    for k in range(y.shape[1]):
        total = 0.0
        for place in range(layout.lane_start[n], layout.lane_start[n + 1]):
            total += y[layout.channels[place], k]
        if total < request[n, k] * _ENOUGH:
            return False
    return True


@njit(cache=True)
def _gang_runs(y, request, layout, m):  # type: ignore[no-untyped-def]
    running = 0
    for n in range(layout.copy_lane[m], layout.copy_lane[m + 1]):
        if lane_runs(y, request, layout, n):
            running += 1
    return running >= layout.minimum[m]


@njit(cache=True)
def drop_copy(y, free, layout, m):  # type: ignore[no-untyped-def]
    """Take back everything that copy m is allocated."""
    for place in range(layout.copy_start[m], layout.copy_start[m + 1]):
        c = layout.channels[place]
        for k in range(y.shape[1]):
            free[layout.server[c], k] += y[c, k]
            y[c, k] = 0.0


@njit(cache=True)
def drop_gangs(y, free, request, layout):  # type: ignore[no-untyped-def]
    """Take back everything from the copies whose gangs do not run."""
    for m in range(layout.minimum.shape[0]):
        if layout.minimum[m] > 0 and not _gang_runs(y, request, layout, m):
            drop_copy(y, free, layout, m)


@njit(cache=True)
def complete_gangs(wanted, y, free, request, layout):  # type: ignore[no-untyped-def]
    """Make every gang run, or take back everything that its copy is allocated.

    Gangs that run keep what they have, and copies that have nothing get nothing. All other copies
    first give everything back. Then they are served in the order of what they lack, least first
    (as a share of the request, summed over device types and over the ``m_l`` components that lack
    least). A copy gets back what it had, as far as it is still free; then ``m_l`` components are
    filled up to their requests, those that lack least first, from the servers by index. If that is
    not possible, the copy is dropped. Ties go to the lower index.

    Parameters
    ----------
    wanted : ndarray, shape (C, K)
        A feasible allocation.
    y : ndarray, shape (C, K)
        A copy of it, changed in place.
    free : ndarray, shape (R, K)
        What it leaves of the capacities; changed in place.
    request : ndarray, shape (N, K)
        Requests of the lanes.
    layout : Layout

    Returns
    -------
    int
        Copies dropped.
    """
    copies = layout.minimum.shape[0]
    lack = np.zeros(request.shape[0])
    short = np.full(copies, np.inf)
    for m in range(copies):
        least = layout.minimum[m]
        if least == 0 or not _has_something(y, layout, m) or _gang_runs(y, request, layout, m):
            continue
        first, last = layout.copy_lane[m], layout.copy_lane[m + 1]
        for n in range(first, last):
            for k in range(y.shape[1]):
                gap = request[n, k] - _total(y, layout, n, k)
                if gap > 0.0:
                    lack[n] += gap / request[n, k]
        short[m] = np.sort(lack[first:last])[:least].sum()
        drop_copy(y, free, layout, m)
    dropped = 0
    for m in np.argsort(short, kind="mergesort"):
        if short[m] == np.inf:
            break
        if not _complete(wanted, y, free, request, layout, lack, m):
            drop_copy(y, free, layout, m)
            dropped += 1
    return dropped


@njit(cache=True)
def _has_something(y, layout, m):  # type: ignore[no-untyped-def]
    for place in range(layout.copy_start[m], layout.copy_start[m + 1]):
        for k in range(y.shape[1]):
            if y[layout.channels[place], k] > 0.0:
                return True
    return False


@njit(cache=True)
def _total(y, layout, n, k):  # type: ignore[no-untyped-def]
    total = 0.0
    for place in range(layout.lane_start[n], layout.lane_start[n + 1]):
        total += y[layout.channels[place], k]
    return total


@njit(cache=True)
def _complete(wanted, y, free, request, layout, lack, m):  # type: ignore[no-untyped-def]
    """Give copy m back what it had, fill components up, and say whether enough run."""
    first, last = layout.copy_lane[m], layout.copy_lane[m + 1]
    running = 0
    for n in first + np.argsort(lack[first:last], kind="mergesort"):
        for place in range(layout.lane_start[n], layout.lane_start[n + 1]):
            c = layout.channels[place]
            for k in range(y.shape[1]):
                y[c, k] = max(0.0, min(wanted[c, k], free[layout.server[c], k]))
                free[layout.server[c], k] -= y[c, k]
        if running < layout.minimum[m]:
            _fill_up(y, free, request, layout, n)
            if lane_runs(y, request, layout, n):
                running += 1
    return running == layout.minimum[m]


@njit(cache=True)
def _fill_up(y, free, request, layout, n):  # type: ignore[no-untyped-def]
    """Add to lane n what it lacks, as far as it is free."""
    for k in range(y.shape[1]):
        gap = request[n, k] - _total(y, layout, n, k)
        for place in range(layout.lane_start[n], layout.lane_start[n + 1]):
            if gap <= 0.0:
                break
            c = layout.channels[place]
            r = layout.server[c]
            more = max(0.0, min(gap, request[n, k] - y[c, k], free[r, k]))
            y[c, k] += more
            free[r, k] -= more
            gap -= more

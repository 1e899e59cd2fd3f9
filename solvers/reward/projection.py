"""Euclidean projection on the feasible allocations, (3) and (4): exact, compiled, in place.

For every server r and device k the point is moved to ``min(max(z - theta, 0), upper)`` with the
least ``theta >= 0`` whose sum fits into the capacity. Algorithm 1 of the paper as printed is not
this projection: it subtracts from all alike before it caps at the requests.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["algorithm_1", "project", "project_pair"]

_MOST = 200  # steps; bisection alone needs about 60 until two doubles are neighbours
_ROUND_OFF = 2e-16


@njit(cache=True)
def project_pair(z, upper, capacity, first, last, k, out):  # type: ignore[no-untyped-def]
    """Project one device k of one server, whose channels are first..last-1, from z into out.

    Newton's method on the piecewise linear sum: a step that starts on the piece of the
    solution ends at the solution; one that leaves the bracket is replaced by a bisection.
    """
    if capacity <= 0.0:
        for c in range(first, last):
            out[c, k] = 0.0
        return
    total = 0.0
    top = 0.0
    moving = 0
    for c in range(first, last):
        value = z[c, k]
        if value > 0.0:
            top = max(top, value)
            limit = upper[c, k]
            if value <= limit:
                total += value
                moving += 1
            else:
                total += limit
    theta = 0.0
    if total > capacity:
        low, high = 0.0, top  # the sum is above the capacity at low, below it at high
        near = _ROUND_OFF * (last - first) * (top + capacity)
        for _ in range(_MOST):
            step = theta + (total - capacity) / moving if moving > 0 else high
            theta = step if low < step < high else 0.5 * (low + high)
            if theta <= low or theta >= high:
                theta = high
                break
            total, moving = 0.0, 0
            for c in range(first, last):
                value = z[c, k] - theta
                if value > 0.0:
                    limit = upper[c, k]
                    if value < limit:
                        total += value
                        moving += 1
                    else:
                        total += limit
            if abs(total - capacity) <= near:
                break
            if total > capacity:
                low = theta
            else:
                high = theta
    total = 0.0
    for c in range(first, last):
        value = min(max(z[c, k] - theta, 0.0), upper[c, k])
        out[c, k] = value
        total += value
    if total > capacity:  # by round-off
        scale = capacity / total
        for c in range(first, last):
            out[c, k] *= scale


@njit(cache=True)
def _project(z, upper, capacity, server_start, out):  # type: ignore[no-untyped-def]
    for r in range(server_start.shape[0] - 1):
        first, last = server_start[r], server_start[r + 1]
        for k in range(z.shape[1]):
            project_pair(z, upper, capacity[r, k], first, last, k, out)


def project(
    z: np.ndarray,
    upper: np.ndarray,
    capacity: np.ndarray,
    server_start: np.ndarray,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Nearest feasible allocation.

    Parameters
    ----------
    z : ndarray, shape (C, K)
        Any finite point, a row per channel.
    upper : ndarray, shape (C, K)
        Requests of the channels' lanes, (3).
    capacity : ndarray, shape (R, K)
        Devices of the servers, (4).
    server_start : ndarray of int64, shape (R + 1,)
        The channels of server r are rows ``server_start[r]:server_start[r + 1]``.
    out : ndarray, shape (C, K), optional
        Where to put the result; ``z`` itself by default.

    Returns
    -------
    ndarray, shape (C, K)
        ``out``. No memory is taken on the way.

    Notes
    -----
    Sums exceed a capacity by no more than the round-off of adding them up.
    """
    target = z if out is None else out
    _project(z, upper, capacity, server_start, target)
    return target


def algorithm_1(z: np.ndarray, most: np.ndarray, capacity: float) -> np.ndarray:
    """Lines 7 to 31 of Alg. 1 for one (r, k), as printed; z is in descending order."""
    ports = list(range(len(z)))
    y = np.zeros(len(z))
    full: list[int] = []
    free = ports.copy()
    while True:
        while free:
            rho = 2.0 / len(free) * (z[free].sum() - capacity + most[full].sum())  # (13)
            y[full] = most[full]
            y[free] = z[free] - rho / 2.0
            dropped = [place for place in free if y[place] < 0.0]
            if not dropped:
                break
            y[dropped[0] :] = 0.0
            free = [place for place in free if place < dropped[0]]
        if full or y[0] <= most[0]:
            return y
        full, free = [0], ports[1:]

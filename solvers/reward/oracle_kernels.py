"""Compiled kernels of the oracle: best response to prices, and what a job earns beyond them."""

from __future__ import annotations

from numba import njit

from solvers.reward.kernels import curvature, inverse_slope, slope, utility

__all__ = ["earnings", "respond"]

_MOST = 200  # steps; bisection alone needs about 60 until two doubles are neighbours
_NEAR = 1e-14


@njit(cache=True)
def _fill(weight, price, copy, upper, kind, alpha, rent, first, last, k, y):  # type: ignore[no-untyped-def]
    """Put the answer to a rent into y; return its sum, and how fast that falls with the rent."""
    total, fall = 0.0, 0.0
    for c in range(first, last):
        w = weight[copy[c]]
        if w <= 0.0:
            y[c, k] = 0.0
            continue
        limit = upper[c, k]
        value = inverse_slope(kind, alpha, price[copy[c], k] + rent / w, limit)
        y[c, k] = value
        total += value
        if 0.0 < value < limit:
            fall += 1.0 / (w * curvature(kind, alpha, value))
    return total, fall


@njit(cache=True)
def _respond(weight, price, copy, upper, capacity, kind, alpha, first, last, k, y):  # type: ignore[no-untyped-def]
    """Best response on one server and device; returns the rent."""
    total, fall = _fill(weight, price, copy, upper, kind, alpha, 0.0, first, last, k, y)
    if total <= capacity:
        return 0.0
    low, at_low = 0.0, total  # the answer is above the capacity at low, below it at high
    high, at_high = 0.0, 0.0
    for c in range(first, last):
        w = weight[copy[c]]
        high = max(high, w * (slope(kind, alpha, 0.0) - price[copy[c], k]))
    high = high * (1.0 + 1e-9) + 1e-300
    rent = 0.0
    for _ in range(_MOST):
        step = rent + (total - capacity) / fall if fall > 0.0 else high
        rent = step if low < step < high else 0.5 * (low + high)
        if rent <= low or rent >= high:
            break
        total, fall = _fill(weight, price, copy, upper, kind, alpha, rent, first, last, k, y)
        if abs(total - capacity) <= _NEAR * capacity:
            if total > capacity:
                for c in range(first, last):
                    y[c, k] *= capacity / total
            return rent
        if total > capacity:
            low, at_low = rent, total
        else:
            high, at_high = rent, total
    # Ties: between two neighbouring rents the answer jumps; a mixture of both fills the rest.
    share = (capacity - at_high) / (at_low - at_high)
    for c in range(first, last):
        w = weight[copy[c]]
        if w > 0.0:
            p, limit = price[copy[c], k], upper[c, k]
            least = inverse_slope(kind, alpha, p + high / w, limit)
            most = inverse_slope(kind, alpha, p + low / w, limit)
            y[c, k] = least + share * (most - least)
    return high


@njit(cache=True)
def respond(weight, price, copy, upper, capacity, server_start, kind, alpha, y, rent):  # type: ignore[no-untyped-def]
    """Maximise ``sum w (f(y) - p y)`` on every server and device; into ``y`` and ``rent``.

    Parameters
    ----------
    weight : ndarray, shape (M,)
        w of each copy, at least 0.
    price : ndarray, shape (M, K)
        p of each copy and device, at least 0.
    copy : ndarray of int64, shape (C,)
        Copy of each channel.
    upper : ndarray, shape (C, K)
    capacity : ndarray, shape (R, K)
    server_start : ndarray of int64, shape (R + 1,)
    kind, alpha : ndarray, shape (R, K)
    y : ndarray, shape (C, K)
        Written: the maximiser, feasible up to the round-off of a sum.
    rent : ndarray, shape (R, K)
        Written: multipliers of the capacities.
    """
    for r in range(capacity.shape[0]):
        first, last = server_start[r], server_start[r + 1]
        for k in range(capacity.shape[1]):
            rent[r, k] = _respond(
                weight, price, copy, upper, capacity[r, k], kind[r, k], alpha[r, k],
                first, last, k, y,
            )  # fmt: skip


@njit(cache=True)
def earnings(weight, price, copy, upper, server_start, kind, alpha, rent, slack, earned, size):  # type: ignore[no-untyped-def]
    """What each copy earns at most at fixed prices and rents, and how much room tolerance adds.

    ``earned[m]``: the sum over channels and devices of copy m of the largest
    ``w (f(y) - p y) - rent y`` over ``-slack <= y <= upper + slack max(1, upper)``, rounded up;
    ``size[m]``: the sum of the numbers it was computed from, which bounds its round-off.
    """
    earned[:] = 0.0
    size[:] = 0.0
    for r in range(rent.shape[0]):
        for c in range(server_start[r], server_start[r + 1]):
            m = copy[c]
            w = weight[m]
            if w <= 0.0:
                continue
            for k in range(rent.shape[1]):
                p, mu, limit = price[m, k], rent[r, k], upper[c, k]
                y = inverse_slope(kind[r, k], alpha[r, k], p + mu / w, limit)
                gain = w * utility(kind[r, k], alpha[r, k], y)
                paid = (w * p + mu) * y
                rise = w * (slope(kind[r, k], alpha[r, k], limit) - p) - mu
                beyond = max(rise, 0.0) * max(1.0, limit) + w * p + mu
                earned[m] += max(gain - paid, 0.0) + slack * beyond
                size[m] += gain + paid

"""The utilities (27) as compiled scalar functions, by kind code of ``models.reward.utilities``."""

from __future__ import annotations

import math

from numba import njit

__all__ = ["curvature", "inverse_slope", "slope", "utility"]

LINEAR, LOG, RECIPROCAL = 0, 1, 2  # else poly


@njit(cache=True, inline="always")
def utility(kind, alpha, y):  # type: ignore[no-untyped-def]
    """``f(y)``."""
    if kind == LINEAR:
        return alpha * y
    if kind == LOG:
        return alpha * math.log1p(y)
    if kind == RECIPROCAL:
        return y / (alpha * (y + alpha))
    return alpha * y / (math.sqrt(y + 1.0) + 1.0)


@njit(cache=True, inline="always")
def slope(kind, alpha, y):  # type: ignore[no-untyped-def]
    """``f'(y)``."""
    if kind == LINEAR:
        return alpha
    if kind == LOG:
        return alpha / (y + 1.0)
    if kind == RECIPROCAL:
        return 1.0 / ((y + alpha) * (y + alpha))
    return 0.5 * alpha / math.sqrt(y + 1.0)


@njit(cache=True, inline="always")
def curvature(kind, alpha, y):  # type: ignore[no-untyped-def]
    """``-f''(y)``, at least 0."""
    if kind == LINEAR:
        return 0.0
    if kind == LOG:
        return alpha / ((y + 1.0) * (y + 1.0))
    if kind == RECIPROCAL:
        return 2.0 / ((y + alpha) * (y + alpha) * (y + alpha))
    return 0.25 * alpha / ((y + 1.0) * math.sqrt(y + 1.0))


@njit(cache=True, inline="always")
def inverse_slope(kind, alpha, price, upper):  # type: ignore[no-untyped-def]
    """The y of [0, upper] that maximises ``f(y) - price y``; the largest on a tie."""
    if kind == LINEAR:
        return upper if price <= alpha else 0.0
    if price <= 0.0:
        return upper
    if kind == LOG:
        y = alpha / price - 1.0
    elif kind == RECIPROCAL:
        y = 1.0 / math.sqrt(price) - alpha
    else:
        root = 0.5 * alpha / price
        y = root * root - 1.0
    return min(max(y, 0.0), upper)

"""How much more than a capacity counts as the capacity: one rule for each side.

=====================  ===================================  ======================================
who                    accepts usage up to                  why
=====================  ===================================  ======================================
scorer                 ``c + 1e-6 max(1, c)``               fixed by the problem's definition
policies               ``c (1 + 1e-10)``                    round-off of sums, nothing else
bounds, formulations   1e-8 more than the scorer, relative  round-off of theirs must not matter
=====================  ===================================  ======================================

So every schedule that the scorer accepts is one that the bounds know of, and no run of a policy
beats a bound. The world that policies run in refuses what is above ``c + 1.01e-9 max(1, c)``:
also a policy that reckons with ``c + 1e-9`` can run in it.

The scorer shares no code with what it judges: it has its own constant, and a test holds this
module to it.
"""

from __future__ import annotations

import numpy as np

__all__ = ["ROUND_OFF", "SCORER", "count_fitting", "row_units", "tolerant", "usable"]

SCORER = 1e-6
ROUND_OFF = 1e-10
_MARGIN = 1e-8
_UNLIMITED = 1e9  # more copies than any job can have


def tolerant(capacity: np.ndarray) -> np.ndarray:
    """Capacities that bounds and formulations reckon with."""
    return (capacity + SCORER * np.maximum(1.0, capacity)) * (1.0 + _MARGIN)


def usable(capacity: np.ndarray) -> np.ndarray:
    """Capacities, or what is left of them, that policies reckon with.

    A hair more, since sums of allocations carry round-off. Relative, so that shares of a
    capacity stay below ``1 + 1e-9`` in any unit.
    """
    return capacity * (1.0 + ROUND_OFF)


def row_units(capacity: np.ndarray) -> np.ndarray:
    """Unit that a capacity is counted in: a power of two of its size where that is unusual.

    The tolerances of solvers are absolute, and numbers below 1e-9 count as 0.
    """
    unusual = (capacity > 0.0) & ((capacity < 1.0) | (capacity > 1e6))
    return np.exp2(np.floor(np.log2(np.where(unusual, capacity, 1.0))))


def count_fitting(free: np.ndarray, demand: np.ndarray) -> np.ndarray:
    """Copies of one demand vector that fit on each server.

    Parameters
    ----------
    free : ndarray, shape (..., R)
        Free capacity.
    demand : ndarray, shape (R,)
        Demand of one worker or parameter server.

    Returns
    -------
    ndarray of int64, shape (...)
        ``min_r floor(free_r / demand_r)`` over demanded resources, up to round-off of
        ``free`` (:func:`usable`); never more than 1e9.
    """
    needed = demand > 0
    room = free[..., needed]
    with np.errstate(over="ignore"):
        copies = np.floor(usable(room) / demand[needed])
    return copies.min(axis=-1, initial=_UNLIMITED).clip(0).astype(np.int64)

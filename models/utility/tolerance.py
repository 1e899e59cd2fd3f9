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

Constraint (6) is the same for all: m parameter servers are enough for n workers if
``n b <= m B + 1e-6 max(1, m B)``. So ``3 * 0.1 / 0.3`` is one parameter server, not two.

The scorer shares no code with what it judges: it has its own constant, and a test holds this
module to it.
"""

from __future__ import annotations

import math

import numpy as np

__all__ = [
    "ROUND_OFF",
    "SCORER",
    "least_ps",
    "least_ps_table",
    "row_units",
    "tolerant",
    "usable",
]

SCORER = 1e-6
ROUND_OFF = 1e-10
_MARGIN = 1e-8
_DOWN = 1.0 - 1e-9  # round-off of the quotients below


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


def least_ps(workers: int, b: float, big_b: float) -> int:
    """Least m with ``n b <= m B + 1e-6 max(1, m B)``, (6)."""
    need = workers * b
    # Equality in (6) where m B is below 1, and where it is above.
    real = min((need - SCORER) / big_b, need / (big_b * (1.0 + SCORER)))
    count = math.floor(max(0.0, real) * _DOWN)
    while need > count * big_b + SCORER * max(1.0, count * big_b):
        count += 1
    return count


def least_ps_table(most: int, b: float, big_b: float) -> np.ndarray:
    """:func:`least_ps` of 0..most workers, shape (most + 1,), int64."""
    need = np.arange(most + 1) * b
    real = np.minimum((need - SCORER) / big_b, need / (big_b * (1.0 + SCORER)))
    count = np.floor(np.maximum(0.0, real) * _DOWN)
    while True:
        have = count * big_b
        short = need > have + SCORER * np.maximum(1.0, have)
        if not short.any():
            return count.astype(np.int64)
        count += short

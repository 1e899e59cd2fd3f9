"""Constraint (6): how many parameter servers are enough for how many workers.

It is the same for all: m parameter servers are enough for n workers if
``n b <= m B + 1e-6 max(1, m B)``. So ``3 * 0.1 / 0.3`` is one parameter server, not two. The scorer
has its own code, and a test holds this module to it.
"""

from __future__ import annotations

import math

import numpy as np

from models.tolerance import SCORER

__all__ = ["least_ps", "least_ps_table"]

_DOWN = 1.0 - 1e-9  # round-off of the quotients below


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

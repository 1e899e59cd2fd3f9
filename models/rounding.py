"""Rounding that forgives the round-off of the division before it."""

from __future__ import annotations

import math

__all__ = ["ceil_tolerant"]


def ceil_tolerant(x: float) -> int:
    """``ceil(x (1 - 1e-12))``: 3 * 0.1 / 0.3 rounds up to 1 and not to 2."""
    return math.ceil(x * (1.0 - 1e-12))

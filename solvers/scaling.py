"""Factors that bring values to where HiGHS's tolerances suit them: these are absolute."""

from __future__ import annotations

import math

__all__ = ["factor_for"]

_EXPONENT = 7
_MOST = 1000  # keeps the factor of subnormal values finite


def factor_for(largest: float) -> float:
    """The power of two that brings the largest value, at least 0, into [64, 128); 1 for 0.

    Multiplying by a power of two changes no digit.
    """
    if largest <= 0.0:
        return 1.0
    exponent = _EXPONENT - math.frexp(largest)[1]
    return math.ldexp(1.0, max(-_MOST, min(exponent, _MOST)))

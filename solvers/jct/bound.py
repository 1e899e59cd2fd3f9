"""Bounds on the total JCT at full scale, and the prices that prove them."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from solvers.jct.pool import Pool
from solvers.jct.price_bound import PriceBound, price_bound, rounded
from solvers.jct.relaxation import Relaxation, relaxation

__all__ = ["Bounded", "bound"]


@dataclass(frozen=True, eq=False)
class Bounded:
    """What the bounds say of an instance.

    Parameters
    ----------
    prices : ndarray, shape (types, H)
        Rounded; 0 from slot H on.
    proven : PriceBound
        What they prove without a solver; at least the linear program's value, up to rounding.
    program : Relaxation or None
        Optimum of the linear program; None if time was up.
    seconds : float
    """

    prices: np.ndarray
    proven: PriceBound
    program: Relaxation | None
    seconds: float


def bound(pool: Pool, *, time_limit: float | None = None) -> Bounded | None:
    """Solve the strengthened linear program, and recompute its bound from its prices.

    Prices of 0 serve if the program is not solved in time. None if some job cannot complete
    before the horizon, even alone.
    """
    began = time.monotonic()
    program = relaxation(pool, time_limit=time_limit)
    prices = np.zeros((len(pool.workers), 1)) if program is None else rounded(program.prices)
    proven = price_bound(pool, prices)
    if proven is None:
        return None
    return Bounded(prices, proven, program, time.monotonic() - began)

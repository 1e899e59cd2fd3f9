"""Bounds on the total JCT at full scale, and the prices that prove them."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from solvers.jct.pool import Pool
from solvers.jct.pooled import generated_prices
from solvers.jct.price_bound import PriceBound, price_bound, rounded
from solvers.jct.relaxation import Relaxation, relaxation

__all__ = ["Bounded", "bound"]

_SHARE = 0.6  # of the time limit, at most, for the linear program
_ROOM = 2  # slots with prices if it has not told, as a multiple of what a lone job needs


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
    """Bound the total JCT by the best prices found.

    First those of the strengthened linear program (all 0 if it is not solved in time), then
    those of column generation over pooled schedules, if they prove more.

    Returns
    -------
    Bounded or None
        None if some job cannot complete before the horizon, even alone.
    """
    began = time.monotonic()
    share = None if time_limit is None else _SHARE * time_limit
    program = relaxation(pool, time_limit=share)
    if program is None:
        prices = np.zeros((len(pool.workers), _end(pool)))
    else:
        prices = rounded(program.prices)
    proven = price_bound(pool, prices)
    if proven is None:
        return None
    if program is None or prices.any():
        deadline = math.inf if time_limit is None else began + time_limit
        others = rounded(generated_prices(pool, prices.shape[1], deadline))
        better = price_bound(pool, others)
        if better is not None and better.value > proven.value:
            prices, proven = others, better
    return Bounded(prices, proven, program, time.monotonic() - began)


def _end(pool: Pool) -> int:
    """Slot before which prices may be of use."""
    ends = [job.release + _ROOM * job.alone() for job in pool.jobs if job.has_edge]
    return min(pool.slots, max(ends, default=1))

"""Bounds on the total JCT at full scale, and the prices that prove them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from solvers.jct.coarse import coarsened, grain, spread
from solvers.jct.pool import Pool
from solvers.jct.pooled import generated_prices
from solvers.jct.price_bound import PriceBound, price_bound, rounded
from solvers.jct.relaxation import Relaxation, relaxation

__all__ = ["Bounded", "bound"]

_SHARE = 0.6  # of the time limit, at most, for the linear program,
_SHARE_COARSE = 0.4  # and before for longer slots, where it has many,
_FINER = 4  # which become shorter by this factor, as prices of too long ones prove nothing
_ROOM = 2  # slots with prices if it has not told, as a multiple of what a lone job needs
_MOST_ROWS = 10**5  # that column generation adds in a few seconds
_MOST = 10**7  # prices in memory, and in the file of a certificate


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
        Optimum of the linear program; None if time or memory was short.
    seconds : float
    timed : bool
        Whether the clock ended any step on the way.
    """

    prices: np.ndarray
    proven: PriceBound
    program: Relaxation | None
    seconds: float
    timed: bool


def bound(pool: Pool, *, time_limit: float | None = None) -> Bounded | None:
    """Bound the total JCT by the best prices found.

    Those of the strengthened linear program, then those of column generation over pooled
    schedules. Where slots are many, first those of the same in longer slots; where they are so
    many that there is neither time nor memory for any prices, all are 0: every job is as good as
    alone.

    Returns
    -------
    Bounded or None
        None if some job cannot complete before the horizon, even alone.
    """
    began = time.monotonic()
    deadline = math.inf if time_limit is None else began + time_limit
    prices = np.zeros((len(pool.workers), 1))
    proven = price_bound(pool, prices)
    if proven is None:
        return None
    program, timed = None, False
    for found in _offers(pool, time_limit, deadline):
        if found is None:
            timed = True
            continue
        program = found if isinstance(found, Relaxation) else program
        offered = rounded(found.prices if isinstance(found, Relaxation) else found)
        better = price_bound(pool, offered)
        if better is not None and better.value > proven.value:
            prices, proven = offered, better
    return Bounded(prices, proven, program, time.monotonic() - began, timed)


def _offers(
    pool: Pool, time_limit: float | None, deadline: float
) -> Iterator[np.ndarray | Relaxation | None]:
    """Prices, the quickest first; None where the clock ended a step."""
    many = grain(pool)
    whole = many == 1
    coarse_end = math.inf if time_limit is None else deadline - (1 - _SHARE_COARSE) * time_limit
    while many > 1 and time.monotonic() < coarse_end:
        left = None if time_limit is None else coarse_end - time.monotonic()
        coarse = relaxation(coarsened(pool, many), time_limit=left)
        if coarse is not None:
            if many * coarse.prices.size > _MOST:
                break
            yield spread(coarse.prices, many, pool.slots)
        many //= _FINER
    if not whole and time.monotonic() >= coarse_end:
        yield None
    left = None if time_limit is None else _SHARE * (deadline - time.monotonic())
    until = math.inf if left is None else time.monotonic() + left
    program = None if left is not None and left <= 0.0 else relaxation(pool, time_limit=left)
    if time.monotonic() >= until:
        yield None
    if program is not None:
        yield program
        if not program.prices.any():
            return
    end = _end(pool) if program is None else program.prices.shape[1]
    if (whole or program is not None) and end * len(pool.workers) <= _MOST_ROWS:
        yield generated_prices(pool, end, deadline)
        if time.monotonic() >= deadline:
            yield None


def _end(pool: Pool) -> int:
    """Slot before which prices may be of use."""
    ends = [job.release + _ROOM * job.alone() for job in pool.jobs if job.has_edge]
    return min(pool.slots, max(ends, default=1))

"""Upper bounds from prices alone: weak duality of (14) and (19), no solver involved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.utility.instance import UtilityInstance
from models.utility.resources import Resources
from solvers.utility.oracle import best_schedule, full_capacity

__all__ = ["PriceBound", "price_bound"]

_OUTWARD = 1e-9  # relative; more than the round-off of the sums below


@dataclass(frozen=True, eq=False)
class PriceBound:
    """A certified upper bound and the prices that prove it.

    Parameters
    ----------
    value : float
        No schedule of the instance has a larger total utility.
    prices : Resources
        Nonnegative prices; anyone can recompute ``value`` from them with the oracle.
    """

    value: float
    prices: Resources


def price_bound(instance: UtilityInstance, prices: Resources) -> PriceBound:
    """Dual objective (19) at given prices: ``sum_i max(0, payoff_i) + p c + q c``.

    Valid for every nonnegative price vector, because ``mu_i = max(0, best payoff)`` over all
    schedules that fit alone in *full* capacities makes (20) hold, and any schedule of (1)
    is one of (14). The capacities c are the tolerant ones (:mod:`models.tolerance`),
    so no schedule that the scorer accepts is worth more. Negative prices are clipped at 0;
    the result is rounded up by 1e-9 relative.

    Parameters
    ----------
    instance : UtilityInstance
    prices : Resources
        Shapes (T, H, R) and (T, K, R), per unit of resource.

    Returns
    -------
    PriceBound

    Raises
    ------
    ValueError
        If a shape is wrong or a price is not finite.
    """
    full = full_capacity(instance.cluster.tolerant)
    sides = []
    for price, capacity in ((prices.worker, full.worker), (prices.ps, full.ps)):
        if price.shape != capacity.shape:
            raise ValueError(f"prices have shape {price.shape}, not {capacity.shape}")
        if not np.isfinite(price).all():
            raise ValueError("a price is not finite")
        sides.append(np.ascontiguousarray(np.maximum(price, 0.0), dtype=float))
    clipped = Resources(*sides)
    total = float((clipped.worker * full.worker).sum() + (clipped.ps * full.ps).sum())
    for job in instance.jobs:
        column = best_schedule(job, clipped, full)
        if column is not None:
            total += max(0.0, column.payoff)
    return PriceBound(total * (1.0 + _OUTWARD), clipped)

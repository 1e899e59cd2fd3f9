"""A tree on completions, for a bound that can be checked without a solver.

How it grows: :mod:`solvers.tree_search`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from models.colocated.instance import ColocatedInstance
from solvers.colocated.deadline_program import DeadlineProgram
from solvers.colocated.pool_bound import PoolBounds
from solvers.price_certificate import TreePrices
from solvers.tree_search import Branched, grown

__all__ = ["branched"]


def branched(
    instance: ColocatedInstance,
    prices: TreePrices,
    *,
    leaves: int,
    enough: float = 0.0,
    deadline: float = math.inf,
) -> Branched:
    """Prices with a tree that proves more than they do by themselves.

    Parameters
    ----------
    instance : ColocatedInstance
    prices : TreePrices
        Those of the column generation, say; what the whole tree begins with.
    leaves : int
        How many the tree may have.
    enough : float
        A bound at which to stop.
    deadline : float
        ``time.monotonic()`` at which to stop, with the tree as it is.

    Returns
    -------
    Branched
        For :func:`solvers.colocated.certificate.certify`. Without a tree if there is nothing to
        branch on, no time, or the program behind it would be too large.
    """
    bounds = PoolBounds(instance)
    if not any(oracle.feasible for oracle in bounds.oracles):
        return Branched(prices, "")

    def programs() -> Iterator[DeadlineProgram]:
        yield DeadlineProgram(bounds, deadline)

    _, tree, failure = grown(
        programs(),
        bounds.bound,
        bounds.everything(),
        prices.prices,
        leaves=leaves,
        enough=enough,
    )
    return Branched(replace(prices, tree=tree), failure)

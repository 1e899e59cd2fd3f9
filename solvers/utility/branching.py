"""A tree on deadlines first, for a bound that can be checked without a solver.

Where all deadlines are whole, parameter servers of a job in a slot are branched on, and then its
workers. How it grows: :mod:`solvers.tree_search`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from models.utility.instance import UtilityInstance
from solvers.tree_search import grown
from solvers.utility.deadline_relaxation import DeadlineRelaxation
from solvers.utility.deadline_tree import Allowed
from solvers.utility.pool_bound import PoolBounds, PoolPrices
from solvers.utility.separation import PackingCut

__all__ = ["branched"]


def branched(
    instance: UtilityInstance,
    prices: PoolPrices,
    cuts: Iterable[tuple[int, PackingCut]] = (),
    *,
    leaves: int,
    enough: float = 0.0,
    deadline: float = math.inf,
    work: float = math.inf,
) -> PoolPrices:
    """Prices with a tree that proves more than they do by themselves.

    Parameters
    ----------
    instance : UtilityInstance
    prices : PoolPrices
        Those of the column generation, say; what the whole tree begins with.
    cuts : iterable of (int, PackingCut)
        Packing cuts that are known, with their sides.
    leaves : int
        How many the tree may have.
    enough : float
        A bound at which to stop.
    deadline : float
        ``time.monotonic()`` at which to stop, with the tree as it is.
    work : float
        Likewise, units of work (:class:`solvers.utility.deadlines.DeadlineOptions`).

    Returns
    -------
    PoolPrices
        For :func:`solvers.utility.certificate.certify`. Without a tree if there is nothing to
        branch on, or no time.
    """
    bounds = PoolBounds(instance)
    root, tree = grown(
        lambda: DeadlineRelaxation(instance, cuts, deadline, work),
        bounds.at,
        Allowed.all(len(instance.jobs), instance.cluster.slots),
        replace(prices, tree=()),
        leaves=leaves,
        enough=enough,
    )
    return replace(root, tree=tree)

"""A tree on deadlines first, for a bound that can be checked without a solver.

Deadlines are branched on in a linear program on a grid of time, where a solve is quick. Where all
of them are whole, the program slot by slot takes over; and where they are whole there, too,
parameter servers of a job in a slot are branched on, and then its workers. How the tree grows:
:mod:`solvers.tree_search`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from models.utility.instance import UtilityInstance
from solvers.tree_search import Branched, grown
from solvers.utility.chosen_grid import chosen_grid
from solvers.utility.deadline_relaxation import DeadlineRelaxation
from solvers.utility.deadline_tree import Allowed
from solvers.utility.pool_bound import PoolBounds, PoolPrices
from solvers.utility.separation import PackingCut

__all__ = ["branched"]

# At 50x50x20+20, seeds 0 to 3, 30 units of work bring bounds to 834.5, 705.8, 791.2 and 472.2. With
# half as many intervals as slots, there are half as many leaves: 838.0, 708.1, 799.1 and 482.5.
_INTERVALS = 1 / 3
_COARSE = 1e-3  # of the bound, lost by treating deadlines alike


def branched(
    instance: UtilityInstance,
    prices: PoolPrices,
    cuts: Iterable[tuple[int, PackingCut]] = (),
    *,
    completions: np.ndarray | None = None,
    leaves: int,
    enough: float = 0.0,
    deadline: float = math.inf,
    work: float = math.inf,
) -> Branched:
    """Prices with a tree that proves more than they do by themselves.

    Parameters
    ----------
    instance : UtilityInstance
    prices : PoolPrices
        Those of the column generation, say; what the whole tree begins with.
    cuts : iterable of (int, PackingCut)
        Packing cuts that are known, with their sides.
    completions : ndarray, shape (T, I), optional
        Share of each job that completes in each slot in the solution of the column generation. The
        grid is chosen by the prices and these; without them, there is none.
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
    Branched
        Its prices are for :func:`solvers.utility.certificate.certify`. They have no tree if there
        is nothing to branch on, or no time.
    """
    bounds, prices = PoolBounds(instance), replace(prices, tree=())
    everything = Allowed.all(len(instance.jobs), instance.cluster.slots)
    programs: list[DeadlineRelaxation] = []

    def relaxations() -> Iterator[DeadlineRelaxation]:
        known, left = list(cuts), work
        if completions is not None:
            coarse = _COARSE * bounds.at(prices, everything) / max(1, len(instance.jobs))
            grid = chosen_grid(instance, prices, completions, _INTERVALS)
            on_grid = DeadlineRelaxation(instance, known, deadline, left, coarse=coarse, grid=grid)
            programs.append(on_grid)
            yield on_grid
            known, left = on_grid.cuts, on_grid.work_left
        programs.append(DeadlineRelaxation(instance, known, deadline, left))
        yield programs[-1]

    root, tree, failure = grown(
        relaxations(), bounds.at, everything, prices, leaves=leaves, enough=enough
    )
    failures = [*(program.failure for program in programs), failure]
    return Branched(replace(root, tree=tree), next(filter(None, failures), ""))

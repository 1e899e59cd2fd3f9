"""A tree on completions, for a bound that can be checked without a solver.

How it grows: :mod:`solvers.tree_search`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from models.completion.instance import CompletionInstance
from solvers.branching_tree import Deadlines
from solvers.completion.piece_bound import PieceOracle
from solvers.completion.piece_program import PieceProgram
from solvers.price_certificate import TreePrices, rounded
from solvers.tree_search import Branched, grown

__all__ = ["branched"]


def branched(
    instance: CompletionInstance,
    prices: TreePrices,
    *,
    leaves: int,
    enough: float = math.inf,
    deadline: float = math.inf,
) -> Branched:
    """Prices with a tree that proves more than they do by themselves.

    Parameters
    ----------
    instance : CompletionInstance
    prices : TreePrices
        Those of the column generation, say; the tree begins with what they say of pieces.
    leaves : int
        How many the tree may have, at least 1.
    enough : float
        A bound at which to stop.
    deadline : float
        ``time.monotonic()`` at which to stop, with the tree as it is.

    Returns
    -------
    Branched
        For :func:`solvers.completion.certificate.certify`. Without a tree if the program behind it
        would be too large, or there is nothing to gain by it.
    """
    if not instance.jobs or not PieceOracle.suits(instance):
        return Branched(prices, "")
    oracle = PieceOracle(instance)

    def bound(table: np.ndarray, allowed: Deadlines) -> float:
        return -oracle.bound(table, allowed)

    everything, first = oracle.everything(), rounded(prices.prices @ oracle.held.T)

    def programs() -> Iterator[PieceProgram]:
        yield PieceProgram(oracle, deadline)

    root, tree, failure = grown(
        programs(),
        bound,
        everything,
        first,
        leaves=leaves,
        enough=-enough,
    )
    if not tree and root is first:
        return Branched(prices, failure)
    return Branched(replace(prices, tree=tree or (root,)), failure)

"""Branch and bound, on deadlines first, for a bound that can be checked without a solver.

Best first: the leaf with the largest bound gets the packing cuts that its solution violates, and
then is branched. *Strong branching*: of the jobs whose deadlines are furthest from whole, that one
is taken whose branching lowers the relaxation most, on both sides. That costs linear programs of a
few simplex iterations, and saves leaves, each of which somebody has to check. Where all deadlines
are whole, the same goes for parameter servers of a job in a slot, and then for its workers. What is
counted is work, not time: the same number of leaves gives the same tree.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from models.utility.instance import UtilityInstance
from solvers.highs.engine import HighsError
from solvers.highs.growing import Optimum
from solvers.utility.deadline_relaxation import DeadlineRelaxation
from solvers.utility.deadline_tree import Allowed, Branch
from solvers.utility.pool_bound import PoolBounds, PoolPrices
from solvers.utility.separation import PackingCut

__all__ = ["branched"]

_CANDIDATES = 8  # jobs
_LEAST_DROP = 1e-6  # of a relaxation, relative; a side without any would hide what the other gains


@dataclass(eq=False)
class _Node:
    """A leaf of the tree, or what has been branched."""

    allowed: Allowed
    prices: PoolPrices
    bound: float
    waited: bool = False  # after further cuts, once at most
    parts: tuple[Branch, _Node, _Node] | None = None

    def offer(self, prices: PoolPrices, bounds: PoolBounds) -> None:
        """Take prices over if they prove more."""
        bound = bounds.at(prices, self.allowed)
        if bound < self.bound:
            self.prices, self.bound = prices, bound


def branched(
    instance: UtilityInstance,
    prices: PoolPrices,
    cuts: Iterable[tuple[int, PackingCut]] = (),
    *,
    leaves: int,
    enough: float = 0.0,
    deadline: float = math.inf,
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

    Returns
    -------
    PoolPrices
        For :func:`solvers.utility.certificate.certify`. Without a tree if there is nothing to
        branch on, or no time.
    """
    everything = Allowed.all(len(instance.jobs), instance.cluster.slots)
    bounds = PoolBounds(instance)
    root = _Node(everything, replace(prices, tree=()), bounds.at(prices, everything))
    # Out of time, or with numbers that HiGHS cannot cope with, what is there proves a bound.
    with suppress(HighsError):
        relaxation = DeadlineRelaxation(instance, cuts, deadline)
        _grow(root, relaxation, bounds, leaves, enough)
    return replace(root.prices, tree=() if root.parts is None else _preorder(root))


def _grow(
    root: _Node,
    relaxation: DeadlineRelaxation,
    bounds: PoolBounds,
    most: int,
    enough: float,
) -> None:
    """Branch until there are so many leaves, or the bound is good enough, or nothing is undecided.

    Whatever ends it, the tree is whole.
    """
    ahead, made, leaves = [(-root.bound, 0, root)], 0, 1
    while leaves < most and -ahead[0][0] > enough:
        _, order, node = heapq.heappop(ahead)
        optimum = _tightened(node, relaxation, bounds)
        if ahead and node.bound < -ahead[0][0] and not node.waited:  # another one is larger now
            node.waited = True
            heapq.heappush(ahead, (-node.bound, order, node))
            continue
        chosen = _choose(node, optimum, relaxation, enough)
        if chosen is None:
            return
        by, after = (
            _Node(part, node.prices, bounds.at(node.prices, part))
            for part in node.allowed.split(chosen)
        )
        node.parts = (chosen, by, after)
        for part in (by, after):
            if part.bound > -math.inf:
                part.offer(relaxation.prices(relaxation.solve(part.allowed)), bounds)
            made += 1
            heapq.heappush(ahead, (-part.bound, made, part))
        leaves += 1


def _tightened(node: _Node, relaxation: DeadlineRelaxation, bounds: PoolBounds) -> Optimum:
    """Solve a leaf with further cuts: once, or until there are none where all is decided."""
    optimum = relaxation.solve(node.allowed)
    while relaxation.separate(optimum):
        optimum = relaxation.solve(node.allowed)
        if relaxation.branchings(optimum):
            break
    node.offer(relaxation.prices(optimum), bounds)
    return optimum


def _choose(
    node: _Node, optimum: Optimum, relaxation: DeadlineRelaxation, enough: float
) -> Branch | None:
    """The branching that promises most; None if all is decided."""
    best, most = None, -1.0
    # It is of no use that a side falls below what is enough.
    useful = max(optimum.objective - relaxation.scaled(enough), 0.0)
    least = _LEAST_DROP * max(1.0, abs(optimum.objective))
    for branch in relaxation.branchings(optimum)[:_CANDIDATES]:
        drops = [
            max(min(optimum.objective - relaxation.glance(part), useful), least)
            for part in node.allowed.split(branch)
        ]
        if drops[0] * drops[1] > most:
            best, most = branch, drops[0] * drops[1]
        if max(drops) >= useful:
            return branch  # one side is done with
    return best


def _preorder(root: _Node) -> tuple[Branch | PoolPrices, ...]:
    found: list[Branch | PoolPrices] = []
    ahead = [root]
    while ahead:
        node = ahead.pop()
        if node.parts is None:
            found.append(node.prices)
        else:
            branch, by, after = node.parts
            found.append(branch)
            ahead += [after, by]
    return tuple(found)

"""Branch and bound, best first, for a tree whose leaves prove a bound by prices of their own.

The leaf with the largest bound gets the cuts that its solution violates, if there are any, and then
is branched. *Strong branching*: of a few branchings, of jobs that lowered the relaxation most when
last looked at, or that are furthest from decided, that one is taken which lowers it most, on both
sides. That costs linear programs of a few simplex iterations, and saves leaves, each of which
somebody has to check. The same number of leaves gives the same tree, unless time or work ends it.

All is a maximisation; a minimisation is given as the maximisation of minus the cost.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from solvers.branching_tree import Branch, Divisible
from solvers.highs.engine import HighsError
from solvers.highs.growing import Infeasible, Optimum, OutOfTime

__all__ = ["Branched", "Grown", "Relaxation", "TooLarge", "grown", "undecided"]

_CANDIDATES = 8  # branchings
_FRACTION = 1e-6  # up to which a number is whole
_LEAST_DROP = 1e-6  # of a relaxation, relative; a side without any would hide what the other gains


class TooLarge(Exception):
    """The linear program would have too many variables."""


class Relaxation(Protocol):
    """A linear program over what a part of the tree allows, whose duals are prices.

    Raises :class:`solvers.highs.engine.HighsError` where HiGHS fails or time is up.
    """

    def solve(self, allowed: Any) -> Optimum:
        """Solve it, with the cuts known that its solution would violate."""

    def glance(self, allowed: Any) -> float:
        """Its value with the cuts that are there; minus infinity if it has no solution."""
        try:
            return self.solve(allowed).objective
        except Infeasible:
            return -math.inf

    def scaled(self, bound: float) -> float:
        """A bound in the unit of its value."""

    def prices(self, optimum: Optimum) -> Any:
        """Its duals as prices."""

    def branchings(self, optimum: Optimum) -> Sequence[Branch]:
        """Branchings that part a solution, those furthest from decided first."""

    def separate(self, optimum: Optimum) -> bool:
        """Look for further cuts; whether there are any. A problem without need not define it."""
        return False


@dataclass(eq=False)
class _Node:
    """A leaf of the tree, or what has been branched."""

    allowed: Divisible
    prices: Any
    bound: float
    waited: bool = False  # after further cuts, once at most
    parts: tuple[Branch, _Node, _Node] | None = None


class _Search:
    def __init__(
        self,
        relaxations: Iterator[Relaxation],
        bound: Callable[[Any, Any], float],
        enough: float,
    ) -> None:
        self._relaxation, self._finer = next(relaxations), relaxations
        self._bound, self._enough = bound, enough
        self._drops: dict[int, float] = {}  # by job: of both sides, multiplied, when last looked at

    def node(self, allowed: Divisible, prices: Any) -> _Node:
        return _Node(allowed, prices, self._bound(prices, allowed))

    def _offer(self, node: _Node, optimum: Optimum) -> None:
        """Take the prices of a solution over if they prove more."""
        prices = self._relaxation.prices(optimum)
        bound = self._bound(prices, node.allowed)
        if bound < node.bound:
            node.prices, node.bound = prices, bound

    def grow(self, root: _Node, most: int) -> None:
        """Branch until there are so many leaves, or the bound is enough, or nothing is undecided.

        Whatever ends it, the tree is whole.
        """
        ahead, made, leaves = [(-root.bound, 0, root)], 0, 1
        while leaves < most and -ahead[0][0] > self._enough:
            _, order, node = heapq.heappop(ahead)
            optimum = self._tightened(node)
            behind = ahead and node.bound < -ahead[0][0] and not node.waited
            if behind or node.bound <= self._enough:  # another is larger now, or none matters
                node.waited = True
                heapq.heappush(ahead, (-node.bound, order, node))
                continue
            chosen = self._choose(node, optimum)
            if chosen is None:
                finer = next(self._finer, None)
                if finer is None:
                    return
                self._relaxation = finer
                heapq.heappush(ahead, (-node.bound, order, node))
                continue
            first, second = (self.node(part, node.prices) for part in node.allowed.split(chosen))
            node.parts = (chosen, first, second)
            for part in (first, second):
                if part.bound > -math.inf:
                    self._offer(part, self._relaxation.solve(part.allowed))
                made += 1
                heapq.heappush(ahead, (-part.bound, made, part))
            leaves += 1

    def _tightened(self, node: _Node) -> Optimum:
        """Solve a leaf with further cuts: once, or until there are none where all is decided."""
        relaxation = self._relaxation
        optimum = relaxation.solve(node.allowed)
        while relaxation.separate(optimum):
            optimum = relaxation.solve(node.allowed)
            if relaxation.branchings(optimum):
                break
        self._offer(node, optimum)
        return optimum

    def _candidates(self, branchings: Sequence[Branch]) -> list[Branch]:
        """Half are of jobs that lowered it most the last time; others are new, or least decided."""
        seen = [branch for branch in branchings if branch.job in self._drops]
        seen.sort(key=lambda branch: -self._drops[branch.job])
        best = seen[: _CANDIDATES // 2]
        others = [branch for branch in branchings if branch not in best]
        others.sort(key=lambda branch: branch.job in self._drops)
        return best + others[: _CANDIDATES - len(best)]

    def _choose(self, node: _Node, optimum: Optimum) -> Branch | None:
        """The branching that promises most; None if all is decided."""
        best, most = None, -1.0
        # It is of no use that a side falls below what is enough.
        useful = max(optimum.objective - self._relaxation.scaled(self._enough), 0.0)
        least = _LEAST_DROP * max(1.0, abs(optimum.objective))
        for branch in self._candidates(self._relaxation.branchings(optimum)):
            drops = [
                max(min(optimum.objective - self._relaxation.glance(part), useful), least)
                for part in node.allowed.split(branch)
            ]
            self._drops[branch.job] = drops[0] * drops[1]
            if drops[0] * drops[1] > most:
                best, most = branch, drops[0] * drops[1]
            if max(drops) >= useful:
                return branch  # one side is done with
        return best


class Branched(NamedTuple):
    """What a problem makes of a tree.

    Parameters
    ----------
    prices : object
        With the tree, if there is one.
    failure : str
        How HiGHS failed on the way, if it did; else empty.
    """

    prices: Any
    failure: str


class Grown(NamedTuple):
    """A tree.

    Parameters
    ----------
    prices : object
        Those of the root: the given ones, or better ones.
    tree : tuple
        In preorder (:func:`solvers.branching_tree.leaves`), with the prices of each leaf. Empty if
        nothing is branched.
    failure : str
        How HiGHS failed, if that ended the growth; else empty.
    """

    prices: Any
    tree: tuple[Any, ...]
    failure: str


def grown(
    relaxations: Iterator[Relaxation],
    bound: Callable[[Any, Any], float],
    everything: Divisible,
    prices: Any,
    *,
    leaves: int,
    enough: float,
) -> Grown:
    """Grow a tree.

    Out of time, with numbers that HiGHS cannot cope with, or if the program would be too large, the
    tree is what is there.

    Parameters
    ----------
    relaxations : iterator of Relaxation
        Linear programs, each made when it is asked for, which may raise :class:`TooLarge`. Where
        one has nothing left to branch on in the leaf with the largest bound, the next one, which is
        finer, takes over for all leaves.
    bound : callable
        ``(prices, allowed) -> float``: what prices prove of the schedules in a part of the tree,
        minus infinity if there are none.
    everything : Divisible
        What is left to schedules at the root.
    prices : object
        What the whole tree begins with.
    leaves : int
        How many the tree may have.
    enough : float
        A bound at which to stop.
    """
    root, failure = _Node(everything, prices, bound(prices, everything)), ""
    try:
        _Search(relaxations, bound, enough).grow(root, leaves)
    except (OutOfTime, TooLarge):
        pass
    except HighsError as error:
        failure = str(error)
    found: list[Any] = []
    ahead = [root] if root.parts is not None else []
    while ahead:
        node = ahead.pop()
        if node.parts is None:
            found.append(node.prices)
        else:
            branch, first, second = node.parts
            found.append(branch)
            ahead += [second, first]
    return Grown(root.prices, tuple(found), failure)


def undecided(done: np.ndarray) -> list[Branch]:
    """For each job of which a part is done by some slot, the slot by which it is nearest to half.

    Jobs nearest to a half come first.

    Parameters
    ----------
    done : ndarray, shape (I, n)
        Share of each job that completes by each slot.
    """
    far = np.minimum(done, 1.0 - done)
    slots, share = far.argmax(axis=1), far.max(axis=1, initial=0.0)
    order = np.argsort(-share, kind="stable")
    return [Branch(int(j), int(slots[j])) for j in order if share[j] > _FRACTION]

"""Trees of branchings whose leaves cover all cases by construction, and how a file has them.

A tree stands in preorder: a branching, then the part of its first case, then that of its second.
Of every schedule one of the two cases holds. So it belongs to some leaf, wherever the branchings
are and in whatever order.

The usual branching is on a job and a slot: the job completes by the slot, or later. No solver is
involved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np

__all__ = ["Branch", "Deadlines", "Divisible", "TreeError", "check_tree", "leaves"]


class TreeError(ValueError):
    """Nodes that are no tree.

    Parameters
    ----------
    fault : str
    node : int or None
        The node at which that shows; None if nodes are missing at the end.
    """

    def __init__(self, fault: str, node: int | None = None) -> None:
        super().__init__(fault)
        self.node = node

    @property
    def at(self) -> str:
        """The place in a certificate."""
        return "$.tree" if self.node is None else f"$.tree[{self.node}]"


@dataclass(frozen=True)
class Branch:
    """Either job ``job`` completes by ``slot``, or later, which may be never."""

    job: int
    slot: int


class Divisible(Protocol):
    """What is left to schedules in a part of a tree."""

    def split(self, branch: Any) -> tuple[Any, Any]:
        """What is left in either case; raises ValueError if nothing is left in one of them."""


LeftT = TypeVar("LeftT", bound=Divisible)


@dataclass(frozen=True, eq=False)
class Deadlines:
    """In which slots jobs may still complete.

    Parameters
    ----------
    first, last : ndarray of int64, shape (I,)
        The earliest and the latest. ``last`` is ``never`` until a branching lowers it; then the job
        has to complete by that slot.
    """

    first: np.ndarray
    last: np.ndarray

    @classmethod
    def all(cls, jobs: int, never: int) -> Deadlines:
        """No branching yet; ``never`` is above every slot that can be branched on."""
        return cls(np.zeros(jobs, dtype=np.int64), np.full(jobs, never, dtype=np.int64))

    def forbids(self, job: np.ndarray, slot: np.ndarray) -> np.ndarray:
        """Whether each of these jobs may not complete in its slot, shape (n,)."""
        return (slot < self.first[job]) | (slot > self.last[job])

    def split(self, branch: Any) -> tuple[Self, Self]:
        """What is left if the job completes by the slot, and if later; ValueError as above."""
        job, slot = branch.job, branch.slot
        if not self.first[job] <= slot < self.last[job]:
            left = f"{self.first[job]} to {self.last[job]}"
            raise ValueError(f"slot {slot} does not part what is left of the job, {left}")
        first, last = self.first.copy(), self.last.copy()
        last[job], first[job] = slot, slot + 1
        return replace(self, last=last), replace(self, first=first)


def leaves(tree: Sequence[Any], everything: LeftT) -> Iterator[tuple[Any, LeftT]]:
    """The leaves of a tree, and what is left to schedules in each, one after the other.

    Only parts that are still ahead are held in memory. They cover all cases only if the iterator
    comes to its end without an error.

    Parameters
    ----------
    tree : sequence
        Nodes in preorder: those of type :class:`Branch` are branchings, all others leaves.
    everything : Divisible
        What is left at the root.

    Raises
    ------
    TreeError
        If it is no tree.
    """
    parts = 1  # counted before any is made: they may need much memory
    for place, node in enumerate(tree):
        if not parts:
            raise TreeError("the tree has ended before this node", place)
        parts += 1 if isinstance(node, Branch) else -1
    if parts:
        raise TreeError(f"the tree ends {parts} parts too early")
    ahead = [everything]
    for place, node in enumerate(tree):
        left = ahead.pop()
        if not isinstance(node, Branch):
            yield node, left
            continue
        try:
            first, second = left.split(node)
        except ValueError as error:
            raise TreeError(str(error), place) from None
        ahead += [second, first]


def check_tree(tree: Sequence[Any], everything: Divisible) -> None:
    """Raise TreeError if it is no tree; parameters as in :func:`leaves`."""
    for _ in leaves(tree, everything):
        pass

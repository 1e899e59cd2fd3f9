"""What a search needs of a problem: where its jobs are undecided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from solvers.branching_tree import Branch, Deadlines
from solvers.highs.engine import HighsError
from solvers.highs.growing import OutOfTime
from solvers.tree_search import TooLarge, grown, undecided


def test_jobs_nearest_to_half_done_come_first() -> None:
    done = np.array([[0.0, 0.2, 0.2, 1.0], [0.0, 0.0, 1.0, 1.0], [0.1, 0.4, 0.9, 0.9]])
    assert undecided(done) == [Branch(2, 1), Branch(0, 1)]
    assert undecided(np.array([[0.0, 1e-9, 1.0]])) == []
    # It may stay out: then the last slot parts it.
    assert undecided(np.array([[0.0, 0.0, 0.5]])) == [Branch(0, 2)]


def test_without_a_program_there_is_no_tree() -> None:
    for error, failure in ((TooLarge, ""), (OutOfTime, ""), (HighsError, "no basis")):

        def none(error: type[Exception] = error) -> Iterator[Any]:
            raise error("no basis")
            yield

        everything = Deadlines.all(1, 3)
        tree = grown(none(), lambda *_: 1.0, everything, "p", leaves=9, enough=0.0)
        assert tree == ("p", (), failure)


class Toy:
    """Twelve jobs; of those that are parted, each lowers the value by what it is told to.

    Where all it may part is parted, nothing is left to branch on.
    """

    def __init__(self, drop: dict[int, float], jobs: Sequence[int] = range(12)) -> None:
        self._drop, self._jobs = drop, jobs
        self.looked: list[list[int]] = []  # jobs that were looked at after each solve
        self._known: list[int] = []  # those parted in the leaf solved last

    @staticmethod
    def _parted(allowed: Deadlines) -> list[int]:
        return np.flatnonzero((allowed.first > 0) | (allowed.last < 2)).tolist()

    def value(self, allowed: Deadlines) -> float:
        return 100.0 - sum(self._drop.get(j, 1.0) for j in self._parted(allowed))

    def solve(self, allowed: Deadlines) -> Any:
        self.looked.append([])
        self._known = self._parted(allowed)
        return SimpleNamespace(objective=self.value(allowed), allowed=allowed)

    def glance(self, allowed: Deadlines) -> float:
        self.looked[-1] += set(self._parted(allowed)) - set(self._known)
        return self.value(allowed)

    def scaled(self, bound: float) -> float:
        return bound

    def prices(self, optimum: Any) -> Any:
        return optimum.objective

    def branchings(self, optimum: Any) -> list[Branch]:
        parted = self._parted(optimum.allowed)
        return [Branch(j, 0) for j in self._jobs if j not in parted]

    def separate(self, optimum: Any) -> bool:
        return False


def grow(*relaxations: Toy, leaves: int) -> list[Branch]:
    """The branchings of a tree, in preorder."""
    _, tree, _ = grown(
        iter(relaxations),
        lambda price, _: price,
        Deadlines.all(12, 2),
        100.0,
        leaves=leaves,
        enough=0.0,
    )
    return [node for node in tree if isinstance(node, Branch)]


def test_strong_branching_remembers_the_best_jobs() -> None:
    toy = Toy({7: 9.0, 6: 5.0, 0: 4.0, 3: 3.0, 2: 2.0})
    (root, *_) = grow(toy, leaves=3)
    assert root == Branch(7, 0)  # of the first eight, it lowers the value most
    looks = [sorted(set(looked)) for looked in toy.looked if looked]
    # Then the four best of those looked at, and four that were not.
    assert looks == [[0, 1, 2, 3, 4, 5, 6, 7], [0, 2, 3, 6, 8, 9, 10, 11]]


def test_a_finer_program_takes_over_where_nothing_is_undecided() -> None:
    coarse, fine = Toy({}, jobs=[4]), Toy({}, jobs=[4, 5])
    assert grow(coarse, leaves=9) == [Branch(4, 0)]
    assert grow(coarse, fine, leaves=9) == [Branch(4, 0), Branch(5, 0), Branch(5, 0)]

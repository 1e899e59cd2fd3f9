"""What a search needs of a problem: where its jobs are undecided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from solvers.branching_tree import Branch, Deadlines
from solvers.highs.growing import OutOfTime
from solvers.tree_search import TooLarge, grown, undecided


def test_jobs_nearest_to_half_done_come_first() -> None:
    done = np.array([[0.0, 0.2, 0.2, 1.0], [0.0, 0.0, 1.0, 1.0], [0.1, 0.4, 0.9, 0.9]])
    assert undecided(done) == [Branch(2, 1), Branch(0, 1)]
    assert undecided(np.array([[0.0, 1e-9, 1.0]])) == []
    # It may stay out: then the last slot parts it.
    assert undecided(np.array([[0.0, 0.0, 0.5]])) == [Branch(0, 2)]


def test_without_a_program_there_is_no_tree() -> None:
    for error in (TooLarge, OutOfTime):

        def none(error: type[Exception] = error) -> Iterator[Any]:
            raise error
            yield

        everything = Deadlines.all(1, 3)
        assert grown(none(), lambda *_: 1.0, everything, "p", leaves=9, enough=0.0) == ("p", ())

"""Leaves of trees: they cover all cases, each of them once."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from solvers.branching_tree import Branch, Deadlines, TreeError, check_tree, leaves

NEVER = 4  # slots


def random_tree(rng: np.random.Generator, left: Deadlines, more: int) -> list[Branch | str]:
    branch = Branch(int(rng.integers(len(left.first))), int(rng.integers(NEVER)))
    try:
        by, after = left.split(branch)
    except ValueError:
        more = 0
    if not more:
        return ["leaf"]
    return [branch, *random_tree(rng, by, more - 1), *random_tree(rng, after, more - 1)]


@pytest.mark.parametrize("seed", range(20))
def test_every_case_is_in_one_leaf(seed: int) -> None:
    everything = Deadlines.all(3, NEVER)
    tree = random_tree(np.random.default_rng(seed), everything, 4)
    found = list(leaves(tree, everything))
    assert len(found) == (len(tree) + 1) // 2
    for case in product(range(NEVER + 1), repeat=3):
        within = [((left.first <= case) & (case <= left.last)).all() for _, left in found]
        assert sum(within) == 1


def test_what_is_left_by_hand() -> None:
    # Job 1 completes by slot 2, but not by slot 0; then job 0 never completes.
    tree = [Branch(1, 2), Branch(1, 0), "a", Branch(0, 3), "b", "c", "d"]
    found = leaves(tree, Deadlines.all(2, NEVER))
    limits = {name: (left.first.tolist(), left.last.tolist()) for name, left in found}
    assert limits == {
        "a": ([0, 0], [4, 0]),
        "b": ([0, 1], [3, 2]),
        "c": ([4, 1], [4, 2]),
        "d": ([0, 3], [4, 4]),
    }


@pytest.mark.parametrize(
    ("tree", "rule", "at"),
    [
        ([], "the tree ends 1 parts too early", "$.tree"),
        ([Branch(0, 1), "a"], "the tree ends 1 parts too early", "$.tree"),
        (["a", "b"], "the tree has ended before this node", "$.tree[1]"),
        ([Branch(0, 1), "a", "b", Branch(0, 2)], "the tree has ended", "$.tree[3]"),
        ([Branch(0, NEVER), "a", "b"], "slot 4 does not part what is left of the job", "$.tree[0]"),
        ([Branch(0, 1), Branch(0, 1), "a", "b", "c"], "slot 1 does not part", "$.tree[1]"),
        ([Branch(0, 1), "a", Branch(0, 1), "b", "c"], "slot 1 does not part", "$.tree[2]"),
    ],
)
def test_what_is_no_tree(tree: list[Branch | str], rule: str, at: str) -> None:
    with pytest.raises(TreeError, match=rule) as raised:
        check_tree(tree, Deadlines.all(1, NEVER))
    assert raised.value.at == at


class _Large:
    """What is left, where each part would need much memory."""

    def split(self, branch: object) -> tuple[_Large, _Large]:
        """Never, of a tree that is none."""
        raise AssertionError("split before the tree was counted")


@pytest.mark.parametrize("tree", [[Branch(0, 1)] * 3, [Branch(0, 1), "a"], [Branch(0, 1), *"abc"]])
def test_what_is_no_tree_is_refused_before_anything_is_split(tree: list[Branch | str]) -> None:
    with pytest.raises(TreeError, match="the tree"):
        check_tree(tree, _Large())

"""Rewards that say nothing: no more than what the scorer's tolerances are worth."""

from __future__ import annotations

import numpy as np
import pytest

from models.problem import problem
from models.reward import PROBLEM
from models.reward.reward import RewardFunction
from tests.models.reward.cases import random_reward
from tests.models.utility.small import instance, job


@pytest.mark.parametrize("seed", range(20))
def test_negligible_rewards_are_what_tolerances_are_worth(seed: int) -> None:
    ins = random_reward(np.random.default_rng(seed), ports=3, slots=5, most=2)
    cluster, worth = ins.cluster, PROBLEM.negligible(ins)
    # As much too much as the scorer lets pass of (3), from nothing and from all that is asked for.
    function = RewardFunction(cluster)
    for base in (np.zeros(cluster.shape), cluster.upper):
        excess = base + 1e-9 * np.maximum(1.0, cluster.upper)
        gained = function(excess).gain - function(base).gain
        assert 0.0 < ins.weights @ gained <= worth
    # And next to nothing beside what can be earned.
    assert worth < 1e-6 * ins.weights @ function(cluster.upper).gain


def test_other_problems_have_no_such_thing() -> None:
    # Their bounds of worthless instances are 0 itself.
    assert problem("utility").negligible(instance([job("a")])) == 0.0

"""Arrivals that adapt to a policy: by hand, and what they promise of its regret."""

from __future__ import annotations

import numpy as np
import pytest

from models.reward import RewardInstance, score
from online.policy import Decision, Event, Policy
from online.registry import find_policy
from online.reward.adversary import against
from online.reward.events import Reveal
from solvers.reward.hindsight import best_fixed
from tests.models.reward.cases import random_reward
from tests.models.reward.small import play, reward


class Waiting(Policy):
    """Gives the unit to the port that has a job, once it knows."""

    name = "waiting"

    def reset(self, public: object, rng: np.random.Generator) -> None:
        pass

    def step(self, event: Event) -> Decision:
        if isinstance(event, Reveal):
            return Decision(allocation=event.arrived.astype(float)[:, None])
        return Decision()


class Fixed(Waiting):
    """Commits to the unit for one port."""

    def __init__(self, port: int) -> None:
        self._y = np.eye(2)[:, [port]]

    def step(self, event: Event) -> Decision:
        return Decision(allocation=None if isinstance(event, Reveal) else self._y)


def pair(slots: int = 4) -> RewardInstance:
    """Two ports and one unit of one device, utility y."""
    return reward([[1.0], [1.0]], [[1.0]], [[1, 1]] * slots)


def meets(policy: Policy) -> list[list[int]]:
    return against(pair(), policy, np.random.default_rng(0)).arrivals.tolist()


def test_a_decision_that_is_committed_is_met_by_jobs_elsewhere() -> None:
    assert meets(Fixed(0)) == [[0, 1]] * 4
    assert meets(Fixed(1)) == [[1, 0]] * 4


def test_who_waits_is_met_by_what_its_last_decision_leaves_out() -> None:
    # Nothing is decided before slot 0, where both ports lack the same; then it is turn by turn.
    assert meets(Waiting()) == [[1, 0], [0, 1], [1, 0], [0, 1]]


def test_a_half_that_could_earn_more_is_short_of_more() -> None:
    # Shares are proportional to the requests, 1/5 and 4/5, and leave out 1/20 and 1/5.
    small = reward([[0.25], [1.0]], [[1.0]], [[1, 1]] * 3)
    met = against(small, find_policy("reward", "ogasched")(1e-9), np.random.default_rng(0))
    assert met.arrivals.tolist() == [[0, 1]] * 3


@pytest.mark.parametrize("name", ["ogasched", "ogasched-constant", "ogasched-literal"])
@pytest.mark.parametrize("seed", range(6))
def test_who_commits_has_no_negative_regret(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    base = random_reward(rng, slots=30, gangs=seed % 2 == 1, beta=(0.0, 0.5))
    met = against(base, find_policy("reward", name)(), np.random.default_rng(0))
    assert met.arrivals.max(initial=0) <= 1 and met.name == f"{base.name}-against-{name}"
    again = against(base, find_policy("reward", name)(), np.random.default_rng(0))
    assert met.hash == again.hash  # deterministic
    _, trace = play(met, find_policy("reward", name)())
    best = best_fixed(met.cluster, met.weights)
    assert best.bound - score(met, trace.schedule).objective >= -1e-5 * (1.0 + best.bound)


def test_switching_lets_a_learner_win_where_the_adversary_does_not() -> None:
    # Turns of 20 slots. Steps of 0.2 move 0.1 of the unit to the port whose turn it is: 0 to 0.9
    # in ten slots, then 1 in ten, is 14.5 of 20, and 18.5 in the first turn, from one half; the
    # best fixed decision earns 10. The adversary turns as soon as a port is ahead.
    slots = 400
    turns = np.eye(2, dtype=int)[np.arange(slots) // 20 % 2].tolist()
    found = []
    policy = find_policy("reward", "ogasched")
    calm = reward([[1.0], [1.0]], [[1.0]], turns)
    for ins in (calm, against(calm, policy(0.2, 1.0), np.random.default_rng(0))):
        achieved = score(ins, play(ins, policy(0.2, 1.0))[1].schedule).objective
        found.append(best_fixed(ins.cluster, ins.weights).value - achieved)
    assert found[0] == pytest.approx(200.0 - 18.5 - 19 * 14.5, abs=1e-3)
    assert found[1] > 0.0

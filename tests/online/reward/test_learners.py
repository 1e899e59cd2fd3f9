"""Policies beside OGASched that learn: a few slots of each worked by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from models.errors import InputError
from online.policy import Policy
from online.registry import find_policy
from online.reward.adagrad import AdaGrad
from online.reward.ftrl import FTRL
from online.reward.leader import FollowTheLeader
from online.reward.optimistic import Optimistic
from online.reward.seeing import OGASchedSeeing
from solvers.reward.hindsight import best_fixed
from tests.models.reward.cases import random_reward
from tests.models.reward.small import play, reward


def shares_of(policy: Policy, arrivals: list[list[int]], **how: Any) -> list[list[float]]:
    """What two ports, each of which wants it all, have of one unit; ``y(1)`` is a half each."""
    ins = reward([[1.0], [1.0]], [[1.0]], arrivals, **how)
    return [[row[0] for row in y] for y in play(ins, policy)[0]]


@pytest.mark.parametrize(
    ("absent", "found"),
    [
        # Projected together: (0.7, 0.5), (0.6, 0.6), (0.7, 0.7) less what is too much.
        ("kept", [[0.6, 0.4], [0.5, 0.5], [0.5, 0.5]]),
        # (0.6, 0.4) loses the 0.4; (0.6, 0.2) fits and loses the 0.6; (0.2, 0.4) fits.
        ("zeroed", [[0.6, 0.0], [0.0, 0.2], [0.2, 0.4]]),
        # 0.7 for port 0, 0.7 for port 1, each alone; then both ask for 0.9.
        ("arrived", [[0.7, 0.0], [0.0, 0.7], [0.5, 0.5]]),
    ],
)
def test_it_sees_the_arrivals_first(absent: Any, found: list[list[float]]) -> None:
    arrivals = [[1, 0], [0, 1], [1, 1]]
    policy = OGASchedSeeing(0.2, 1.0, absent=absent)
    assert shares_of(policy, arrivals) == found
    _, trace = play(reward([[1.0], [1.0]], [[1.0]], arrivals), policy)
    assert not any(row["committed"] for row in trace.decisions)
    # By default as the authors' code has it.
    assert OGASchedSeeing().absent == "zeroed"


def test_adagrad_has_a_step_for_every_device() -> None:
    # Slopes 1 - 0.5 (the first device is dominant) and 1. Ranges are 4: the first move is
    # 4 g / sqrt(2 g^2) = 4 / sqrt 2 on both, whatever g; the second, 4 / sqrt 4, is cut off.
    ins = reward([[4.0, 4.0]], [[4.0, 8.0]], [[1]] * 3, beta=[0.5, 0.0])
    first = round(4.0 / math.sqrt(2.0), 9)
    assert play(ins, AdaGrad(start="zero"))[0] == [[[0.0, 0.0]], [[first, first]], [[4.0, 4.0]]]
    # A port without jobs keeps its step: port 1, in slot 2, moves as far as port 0 in slot 0.
    ins = reward([[4.0], [4.0]], [[8.0]], [[1, 0], [0, 0], [0, 1], [0, 0]])
    found = play(ins, AdaGrad(start="zero"))[0]
    assert found[1:] == [[[first], [0.0]], [[first], [0.0]], [[first], [first]]]


def test_adagrad_lets_the_fast_give_way() -> None:
    # One unit, ranges 1, half each. Port 0 comes twice: 1 / sqrt 2, then 1 / sqrt 4 = 0.5 ahead.
    # Port 1, unseen, counts as seen once, at a pace of 1 / sqrt 2: it bears half of what is too
    # much first. Then port 0, at 1.354, is cut off at 1, and port 1 gives up its 0.146.
    root = math.sqrt(0.5)
    found = shares_of(AdaGrad(), [[1, 0], [1, 0], [0, 1], [0, 0]])
    assert found[:3] == [[0.5, 0.5], pytest.approx([0.5 + root / 2, 0.5 - root / 2]), [1.0, 0.0]]
    # Then port 1 asks for 1 / sqrt 2, which the two give up by their paces of 1/2 and 1 / sqrt 2.
    theirs = root * 0.5 / (0.5 + root)
    assert found[3] == pytest.approx([1.0 - theirs, theirs])


def test_ftrl_remembers_what_the_projection_cuts_off() -> None:
    # D = sqrt 2, G = sqrt 2, T = 9: eta = 1/3. After four jobs at port 0 its sum is 4/3 ahead, one
    # more than a share of 1 shows: the first job at port 1 changes nothing, then it moves by 1/6.
    found = shares_of(FTRL(rule="constant"), [[1, 0]] * 4 + [[0, 1]] * 5)
    sixths = [3, 4, 5, 6, 6, 6, 5, 4, 3]
    assert found == [[pytest.approx(n / 6), pytest.approx(1 - n / 6)] for n in sixths]


def test_optimistic_goes_a_step_ahead() -> None:
    # T = 4: eta = 1/2. w is (3/4, 1/4), (1, 0), (3/4, 1/4); committed is half a gradient ahead:
    # (5/4, 1/4), (3/2, 0), (3/4, 3/4), projected.
    found = shares_of(Optimistic(rule="constant"), [[1, 0], [1, 0], [0, 1], [0, 0]])
    assert found == [[0.5, 0.5], [1.0, 0.0], [1.0, 0.0], [0.5, 0.5]]


def test_the_leader_by_hand() -> None:
    # n ln(1 + y) + m ln(2 - y): (1 + y) / (2 - y) = n / m. Counts (1, 0), (1, 1), (2, 2), (3, 2).
    arrivals = [[1, 0], [0, 1], [1, 1], [1, 0], [0, 0]]
    policy = FollowTheLeader(growth=1.0, tolerance=1e-7)
    found = shares_of(policy, arrivals, kind="log")
    best = [0.5, 1.0, 0.5, 0.5, 0.8]
    assert np.array(found) == pytest.approx(np.array([[y, 1.0 - y] for y in best]), abs=1e-3)
    # Leaders of 1, 2 and 4 slots.
    ins = reward([[1.0], [1.0]], [[1.0]], arrivals, kind="log")
    rows = play(ins, FollowTheLeader(growth=2.0))[1].decisions
    assert [row["new_leader"] for row in rows if row["event"] == "reveal"] == [1, 1, 0, 1, 0]


@pytest.mark.parametrize("name", ["adagrad", "ftrl", "optimistic", "follow-the-leader"])
def test_regret_is_small_where_arrivals_are_alike(name: str) -> None:
    # Strictly concave utilities, and the same jobs in every slot: the best fixed decision is that
    # of a slot, and whoever learns is near it soon.
    ins = random_reward(np.random.default_rng(4), slots=200, beta=(0.0, 0.2), zeros=False)
    same = reward(
        ins.file.requests,
        ins.file.capacities,
        [[1] * len(ins.file.requests)] * 200,
        edges=ins.file.edges,
        kind="log",
        alpha=1.5,
        beta=ins.file.beta,
    )
    best = best_fixed(same.cluster, same.weights).value
    rows = play(same, find_policy("reward", name)())[1].decisions
    earned = sum(row["gain"] - row["penalty"] for row in rows if row["event"] == "reveal")
    assert 0.97 * best <= earned <= best * (1.0 + 1e-6)


@pytest.mark.parametrize(
    ("kind", "bad", "message"),
    [
        (OGASchedSeeing, {"absent": "here"}, "absent 'here' is not"),
        (FTRL, {"rule": "literal"}, "step rule 'literal': choose from"),
        (Optimistic, {"start": "best"}, "optimistic: start 'best' is not"),
        (FollowTheLeader, {"growth": 0.5}, "growth 0.5 is below 1"),
        (FollowTheLeader, {"tolerance": 0.0}, r"tolerance 0.0 not in \(0, 1\)"),
    ],
)
def test_unknown_parameters_are_refused(kind: Any, bad: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        kind(**bad)

"""Theorem 1 on measured runs: the bound (14), and the inequality that its proof starts from."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.reward import RewardInstance, score
from online.policy import Decision, Policy
from online.registry import find_policy, policy_names
from online.reward.events import Commit, Reveal
from online.reward.oga import OGASched, OGASchedConstant
from online.reward.theory import diameter, gradient_bound, regret_bound
from solvers.reward.hindsight import FixedOptimum, best_fixed
from solvers.reward.projection import project
from tests.models.reward.cases import random_reward
from tests.models.reward.small import play, reward
from tests.seeds import seeds

# ---- the inequality of every run ---------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [n for n in policy_names("reward") if issubclass(find_policy("reward", n), OGASched)]
)
@given(
    seed=st.integers(0, 2**32 - 1),
    gangs=st.booleans(),
    zeros=st.booleans(),
    most=st.integers(1, 3),
    contention=st.floats(0.5, 12.0),
)
@settings(max_examples=40)
def test_inequality_of_a_run(
    name: str, seed: int, gangs: bool, zeros: bool, most: int, contention: float
) -> None:
    # sum eta g.(y* - y) <= |y_1 - y*|^2 / 2 + sum eta^2 |g|^2 / 2 for every feasible y*: for the
    # best in hindsight, for the one where the left side is largest, and for one at random.
    rng = np.random.default_rng(seed)
    ins = random_reward(
        rng, slots=15, gangs=gangs, zeros=zeros, most=most, contention=contention, beta=(0.0, 1.0)
    )
    cluster = ins.cluster
    policy = find_policy("reward", name)()
    assert isinstance(policy, OGASched)
    _, trace = play(ins, policy)
    # The points that learn compete with the best without gang rules.
    no_rule = np.zeros_like(cluster.minimum_running)
    best = best_fixed(dataclasses.replace(cluster, minimum_running=no_rule), ins.weights).y
    far = 1e6 / max(1e-12, float(np.abs(policy.path.moves).max(initial=0.0)))
    others = [far * policy.path.moves, 10.0 * rng.random(cluster.shape)]
    limits = (cluster.upper, cluster.capacities, cluster.server_start)
    for target in (best, *(project(other, *limits) for other in others)):
        left, right = policy.path.inequality(target)
        assert left <= right + 1e-9 * (1.0 + abs(right))
    if name == "ogasched-constant" and not gangs:
        # Divided by eta the left side is at least the regret, and the right side below (14).
        eta = diameter(cluster) / (gradient_bound(cluster) * math.sqrt(cluster.slots))
        left, right = policy.path.inequality(best)
        regret = score_of_fixed(ins, best) - score(ins, trace.schedule).objective
        assert regret <= left / eta + 1e-9 * (1.0 + abs(left / eta))
        assert right / eta <= regret_bound(cluster) * (1.0 + 1e-9)


def score_of_fixed(ins: RewardInstance, y: np.ndarray) -> float:
    class Fixed(Policy):
        name = "fixed"

        def reset(self, public: object, rng: np.random.Generator) -> None:
            pass

        def step(self, event: object) -> Decision:
            return Decision(allocation=y if isinstance(event, Commit) else None)

    return score(ins, play(ins, Fixed())[1].schedule).objective


def test_inequality_by_hand() -> None:
    # Two ports share one unit, half each; a job at port 0 in both slots, eta = 0.2: y moves from
    # (0.5, 0.5) to (0.6, 0.4). Moves (0.4, 0), along 0.2 * 0.5 + 0.2 * 0.6, squares 2 * 0.04.
    ins = reward([[1.0], [1.0]], [[1.0]], [[1, 0]] * 2)
    policy = OGASched(0.2, 1.0)
    play(ins, policy)
    left, right = policy.path.inequality(np.array([[1.0], [0.0]]))
    assert left == pytest.approx(0.4 - 0.22)
    assert right == pytest.approx((0.25 + 0.25) / 2 + 0.08 / 2)


# ---- the bound (14) ----------------------------------------------------------------------------


def telling(draw: Iterator[RewardInstance]) -> tuple[RewardInstance, FixedOptimum]:
    """The first instance on which doing nothing violates (14), and its best fixed decision.

    The bound grows with the root of T and the optimum with T, so ``draw`` gives longer and longer
    ones.
    """
    for ins in draw:
        best = best_fixed(ins.cluster, ins.weights)
        if best.value > 1.2 * regret_bound(ins.cluster):
            return ins, best
    raise AssertionError("no instance is long enough")


def longer(seed: int) -> Iterator[RewardInstance]:
    """Random arrivals with a probability of their own for each port."""
    for doubling in itertools.count():
        rng = np.random.default_rng(seed)
        ins = random_reward(
            rng, ports=3, servers=2, devices=2, slots=1, contention=0.2, beta=(0.0, 0.2)
        )
        if not ins.file.edges:
            seed += 10**6
            continue
        slots = 200 * 2**doubling
        arrivals = (rng.random((slots, 3)) < rng.uniform(0.2, 1.0, 3)).astype(int)
        yield with_arrivals(ins, arrivals)


def with_arrivals(ins: RewardInstance, arrivals: np.ndarray) -> RewardInstance:
    file = msgspec.structs.replace(ins.file, slots=len(arrivals), arrivals=arrivals.tolist())
    return RewardInstance.from_file(file)


def check_bound(draw: Iterator[RewardInstance]) -> None:
    ins, best = telling(draw)
    bound = regret_bound(ins.cluster)
    assert best.value > bound  # the regret of doing nothing
    policy = OGASchedConstant()
    achieved = score(ins, play(ins, policy)[1].schedule).objective
    assert best.bound - achieved <= bound
    # The inequality of this very run is tighter than (14), and holds, too.
    eta = diameter(ins.cluster) / (gradient_bound(ins.cluster) * math.sqrt(ins.cluster.slots))
    left, right = (side / eta for side in policy.path.inequality(best.y))
    assert best.value - achieved <= left + 1e-9 * bound
    assert left <= right + 1e-9 * bound
    assert right < bound


@pytest.mark.parametrize("seed", seeds(200, quick=15))
def test_regret_is_below_the_bound_on_random_arrivals(seed: int) -> None:
    check_bound(longer(seed))


def contested(seed: int, slots: int) -> RewardInstance:
    """Ports that want all of the same servers; arrivals are still to be chosen."""
    rng = np.random.default_rng([seed, 7])
    ports = int(rng.integers(2, 5))
    return reward(
        [[1.0]] * ports,
        [[1.0]] * int(rng.integers(1, 3)),
        [[1] * ports] * slots,
        kind=str(rng.choice(["linear", "log", "poly"])),
        alpha=float(rng.uniform(1.0, 1.5)),
        beta=[float(rng.uniform(0.0, 0.2))],
    )


def least_served(seed: int) -> Iterator[RewardInstance]:
    """The adversary that sees y(t), and sends a job to the port that has least."""
    for doubling in itertools.count():
        ins = contested(seed, 200 * 2**doubling)
        arrivals = np.zeros_like(ins.arrivals)
        policy = OGASchedConstant()
        policy.reset(ins.cluster, np.random.default_rng(0))
        for slot in range(ins.cluster.slots):
            y = policy.step(Commit(slot)).allocation
            assert y is not None
            has = np.zeros(len(ins.cluster.copies))
            np.add.at(has, ins.cluster.lane, y[:, 0])
            arrivals[slot, has.argmin()] = 1
            policy.step(Reveal(slot, arrivals[slot]))
        yield with_arrivals(ins, arrivals)


def one_after_the_other(seed: int) -> Iterator[RewardInstance]:
    """Each port has all its jobs in one block; what was learned is worth nothing in the next."""
    for doubling in itertools.count():
        ins = contested(seed, 200 * 2**doubling)
        slots, ports = ins.arrivals.shape
        yield with_arrivals(ins, np.eye(ports, dtype=int)[np.arange(slots) * ports // slots])


@pytest.mark.parametrize("adversary", [least_served, one_after_the_other])
@pytest.mark.parametrize("seed", range(10))
def test_regret_is_below_the_bound_on_adversarial_arrivals(
    seed: int, adversary: Callable[[int], Iterator[RewardInstance]]
) -> None:
    check_bound(adversary(seed))


def test_constants_of_the_theorem_by_hand() -> None:
    # a = (2, 3), (4, 1): abar = (4, 3). c = (5, 1), (0, 2): D^2 = 2 (4 * 5 + 3 * 3) = 58.
    # Channels: port 0 with both servers, port 1 with server 0. poly, alpha = 1.2: f'(0) = 0.6;
    # G^2 = 3 (0.5^2 + 2 * 0.6^2) = 3 * 0.97. T = 9.
    ins = reward(
        [[2.0, 3.0], [4.0, 1.0]],
        [[5.0, 1.0], [0.0, 2.0]],
        [[1, 1]] * 9,
        edges=[(0, 0), (0, 1), (1, 0)],
        kind="poly",
        alpha=1.2,
        beta=[0.3, 0.5],
    )
    assert diameter(ins.cluster) ** 2 == pytest.approx(58.0)
    assert gradient_bound(ins.cluster) ** 2 == pytest.approx(2.91)
    assert regret_bound(ins.cluster) == pytest.approx(math.sqrt(2 * 9 * 29 * 2.91))

"""The best fixed decision: by hand, against a general solver, and its certified gap."""

from __future__ import annotations

import time

import numpy as np
import pytest

from models.reward.instance import RewardInstance
from models.reward.reward import RewardFunction
from models.reward.schedule import RewardSchedule
from models.reward.score import score
from models.reward.utilities import KINDS, slope_at_zero
from solvers.reward import alike, hindsight
from solvers.reward.alike import blocks_of
from solvers.reward.convex import best_fixed_by_clarabel
from solvers.reward.dense import invert
from solvers.reward.hindsight import best_fixed
from solvers.reward.oracle import Oracle
from tests.models.reward.cases import random_reward
from tests.models.reward.small import reward


def check(instance: RewardInstance, found: hindsight.FixedOptimum) -> None:
    """The decision is feasible and worth what is said, and the multipliers prove the bound."""
    result = score(instance, RewardSchedule.constant(instance, found.y))
    assert result.violations == ()
    assert result.objective == pytest.approx(found.value, rel=1e-12, abs=1e-12)
    recomputed = Oracle(instance.cluster).bound(instance.weights, found.multipliers)
    assert found.bound == pytest.approx(recomputed, rel=1e-12)
    assert found.value <= found.bound


def test_two_ports_by_hand() -> None:
    # n = (2, 1), f = ln(y + 1), 3 units, no overhead: 2 / (y + 1) = 1 / (4 - y), so y = 7/3,
    # and 2 ln(10/3) + ln(5/3).
    ins = reward([[5.0], [5.0]], [[3.0]], [[1, 1], [1, 0]], kind="log")
    found = best_fixed(ins.cluster, ins.weights, tolerance=1e-8)
    np.testing.assert_allclose(found.y[:, 0], [7 / 3, 2 / 3], rtol=1e-3)
    assert found.value == pytest.approx(2 * np.log(10 / 3) + np.log(5 / 3), rel=1e-8)
    check(ins, found)


def test_balance_of_two_devices_by_hand() -> None:
    # f = y for both devices, beta = (1, 1/2): reward y0 + y1 - max(y0, y1 / 2), y <= (9, 4).
    # Of device 1 all 4 units; of device 0 as many as cost no more, 2 to 9: 4 + y0 - max(y0, 2),
    # which is 4 for each of them.
    ins = reward([[9.0, 4.0]], [[20.0, 20.0]], [[1]], beta=[1.0, 0.5])
    found = best_fixed(ins.cluster, ins.weights)
    assert found.value == pytest.approx(4.0, rel=1e-6)
    check(ins, found)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", [None, *KINDS])
def test_equals_a_general_solver(kind: str | None, seed: int) -> None:
    rng = np.random.default_rng(seed)
    more = {"most": 2, "zeros": True} if seed == 0 else {"beta": (0.0, 1.0), "slots": 40}
    ins = random_reward(rng, kind=kind, ports=5, servers=8, density=2.5, **more)
    found = best_fixed(ins.cluster, ins.weights)
    check(ins, found)
    assert found.gap <= 1e-6
    general = best_fixed_by_clarabel(ins.cluster, ins.weights)
    check(ins, general)
    assert general.gap <= 1e-5
    assert found.value == pytest.approx(general.value, rel=1e-5)


def test_many_shapes_and_scales_are_closed() -> None:
    rng = np.random.default_rng(3)
    for number in range(150):
        ins = random_reward(
            rng,
            ports=int(rng.integers(1, 7)),
            servers=int(rng.integers(1, 8)),
            devices=int(rng.integers(1, 5)),
            density=float(rng.choice([0.5, 1.0, 2.0])),
            slots=int(rng.choice([1, 5, 200])),
            most=int(rng.choice([1, 3])),
            contention=float(rng.choice([0.05, 1.0, 100.0])),
            beta=(0.0, float(rng.choice([0.0, 0.5, 1.0]))),
            zeros=bool(number % 2),
            kind=[None, *KINDS][number % 5],
            alpha=(1e-4, 1e4) if number % 3 else (1.0, 1.0),
        )
        found = best_fixed(ins.cluster, ins.weights)
        check(ins, found)
        # The scorer tolerates 1e-9 of a request, at any slope, and the bound with it.
        slopes = slope_at_zero(ins.cluster.kind, ins.cluster.alpha).max() + 1.0
        tolerated = 2e-9 * slopes * ins.weights.sum() * found.y.size
        assert found.bound - found.value <= 1e-6 * found.bound + tolerated


def test_default_size_is_certified_to_1e_6() -> None:
    ins = random_reward(
        np.random.default_rng(0), ports=10, servers=128, devices=6, slots=2000, density=2.5
    )
    found = best_fixed(ins.cluster, ins.weights)
    check(ins, found)
    assert found.gap <= 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("kind", [None, "linear"])
def test_large_size_is_certified(kind: str | None) -> None:
    ins = random_reward(
        np.random.default_rng(0), ports=100, servers=1024, devices=6, density=25, kind=kind
    )
    began = time.monotonic()
    found = best_fixed(ins.cluster, ins.weights, tolerance=1e-5)
    assert time.monotonic() - began < 300
    check(ins, found)
    assert found.gap <= 1e-5  # 1e-3 is asked for


def test_nothing_to_earn() -> None:
    none = reward([[3.0]], [[0.0]], [[1]])
    assert best_fixed(none.cluster, none.weights).value == 0.0
    no_edges = reward([[3.0]], [[2.0]], [[1]], edges=[])
    assert best_fixed(no_edges.cluster, no_edges.weights).bound == 0.0
    no_jobs = reward([[3.0]], [[2.0]], [[0]])
    found = best_fixed(no_jobs.cluster, no_jobs.weights)
    assert (found.value, found.bound, found.gap) == (0.0, 0.0, 0.0)


def test_requests_far_beyond_the_capacities() -> None:
    # Whatever is above 3 cannot be had: y = 3 and 3 - 0.5 * 3 in each of 2 slots.
    ins = reward([[1e12]], [[3.0]], [[1], [1]], beta=[0.5])
    found = best_fixed(ins.cluster, ins.weights)
    check(ins, found)
    assert found.value == pytest.approx(3.0, rel=1e-6)
    assert found.gap <= 1e-6


def test_a_start_is_never_lost() -> None:
    ins = random_reward(np.random.default_rng(0), gangs=True, contention=1.5)
    best = best_fixed(ins.cluster, ins.weights)
    again = best_fixed(ins.cluster, ins.weights, start=best.y, time_limit=0.0)
    assert again.value >= best.value
    assert again.bound >= again.value


def test_a_time_limit_leaves_a_valid_interval() -> None:
    ins = random_reward(np.random.default_rng(0), ports=6, servers=20, density=3)
    found = best_fixed(ins.cluster, ins.weights, time_limit=0.0)
    check(ins, found)
    best = best_fixed(ins.cluster, ins.weights)
    assert found.value <= best.bound and found.bound >= best.value


def test_without_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    ins = random_reward(np.random.default_rng(0), ports=6, servers=20, density=3)
    best = best_fixed(ins.cluster, ins.weights)
    monkeypatch.setattr(hindsight, "_MOST_BLOCKS", 0)
    found = best_fixed(ins.cluster, ins.weights, tolerance=1e-4)
    assert found.method == "mirror descent"
    check(ins, found)
    assert found.gap <= 0.02
    assert found.value <= best.bound and found.bound >= best.value


def test_gang_that_fits_starts_and_one_that_does_not_gives_way() -> None:
    # Two ports, each of two components of 2 units that have to run both; 5 units. Only one fits:
    # f = y, n = (1, 2): the second, 2 * 4. The unit left over helps nobody: a job that does not
    # start earns nothing. Without the rule: 2 * 4 + 1 * 1 = 9.
    ins = reward(
        [[4.0], [4.0]],
        [[5.0]],
        [[1, 1], [0, 1]],
        components=[[[2.0], [2.0]], [[2.0], [2.0]]],
        minimum_running=[2, 2],
    )
    found = best_fixed(ins.cluster, ins.weights)
    check(ins, found)
    assert found.value == pytest.approx(8.0, rel=1e-9)
    assert found.bound == pytest.approx(9.0, rel=1e-6)


def test_a_gang_is_reserved_what_the_free_optimum_denies_it() -> None:
    # Port 0: one component of 4 units that has to run. Port 1: no rule. f = ln(y + 1), 5 units,
    # n = (1, 1). Without the rule both get 2.5. With it: port 0 gets 4, port 1 gets 1:
    # ln 5 + ln 2 = 2.303, more than port 1 alone, ln(1 + 4) = 1.609.
    ins = reward(
        [[4.0], [4.0]],
        [[5.0]],
        [[1, 1]],
        kind="log",
        components=[[[4.0]], [[4.0]]],
        minimum_running=[1, 0],
    )
    found = best_fixed(ins.cluster, ins.weights)
    check(ins, found)
    assert found.value == pytest.approx(np.log(10.0), rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_gangs_are_scored_by_the_rule_and_bounded_without(seed: int) -> None:
    ins = random_reward(
        np.random.default_rng(seed), ports=5, servers=6, gangs=True, contention=1.5, most=2
    )
    found = best_fixed(ins.cluster, ins.weights)
    check(ins, found)
    free = best_fixed(Oracle(ins.cluster).without_gangs.cluster, ins.weights)
    assert found.bound == pytest.approx(free.bound, rel=1e-9)
    naive = ins.weights @ RewardFunction(ins.cluster)(free.y).reward
    assert found.value >= naive


def test_like_copies_have_equal_shares() -> None:
    # Of port 0, two copies come in both slots and a third one in the second; port 1 is like the
    # third. f = ln(y + 1), 10 units: 2 / (y + 1) = 1 / (z + 1) and 2 y + 2 z = 10, so y = 11/3.
    ins = reward([[9.0], [9.0]], [[10.0]], [[2, 0], [3, 1]], kind="log")
    blocks = blocks_of(Oracle(ins.cluster), ins.weights, np.zeros((4, 1)))
    assert blocks.first.tolist() == [0, 2, 3]
    assert blocks.number.tolist() == [2, 1, 1]
    found = best_fixed(ins.cluster, ins.weights, tolerance=1e-8)
    np.testing.assert_allclose(found.y[:, 0], [11 / 3, 11 / 3, 4 / 3, 4 / 3], rtol=1e-3)
    assert found.value == pytest.approx(4 * np.log(14 / 3) + 2 * np.log(7 / 3), rel=1e-8)
    check(ins, found)


def test_copies_with_other_floors_are_not_alike() -> None:
    ins = reward([[9.0]], [[10.0]], [[4]], kind="log")
    oracle, floor = Oracle(ins.cluster), np.array([[1.0], [0.0], [1.0], [0.0]])
    blocks = blocks_of(oracle, ins.weights, floor)
    assert blocks.block.tolist() == [0, 1, 0, 1]
    assert blocks.like(oracle).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("seed", range(6))
def test_blocks_are_worth_what_their_copies_are_alone(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    ins = random_reward(rng, ports=3, most=5, zeros=True, gangs=seed % 2 == 1)
    found = best_fixed(ins.cluster, ins.weights)
    check(ins, found)
    every = np.arange(len(ins.weights))
    monkeypatch.setattr(alike, "_first_alike", lambda *_: every)
    alone = best_fixed(ins.cluster, ins.weights)
    assert found.bound == pytest.approx(alone.bound, rel=2e-6)
    if seed % 2 == 0:
        assert found.value == pytest.approx(alone.value, rel=2e-6)


def test_a_thousand_like_copies_are_one_block() -> None:
    ins = random_reward(np.random.default_rng(0), ports=3, most=4000, slots=2, kind="log")
    found = best_fixed(ins.cluster, ins.weights)
    assert found.method == "interior point"
    assert found.gap <= 1e-6
    check(ins, found)


def test_inverse_of_a_matrix() -> None:
    rng = np.random.default_rng(0)
    for size in (1, 2, 7, 40):
        root = rng.normal(size=(size, size))
        matrix = root @ root.T + 0.1 * np.eye(size)
        inverse = np.empty_like(matrix)
        assert invert(matrix.copy(), inverse)
        np.testing.assert_allclose(inverse @ matrix, np.eye(size), atol=1e-10)
    assert not invert(np.array([[1.0, 2.0], [2.0, 1.0]]), np.empty((2, 2)))

"""The oracle of the reward problem: best responses, and bounds from any multipliers."""

from __future__ import annotations

import numpy as np
import pytest

from models.reward import RewardSchedule, score, utilities
from models.reward.instance import RewardInstance
from models.reward.reward import RewardFunction
from models.reward.utilities import KINDS
from solvers.reward import kernels
from solvers.reward.oracle import Oracle, normalised
from solvers.reward.projection import project
from tests.models.reward.cases import random_reward
from tests.models.reward.small import reward

INSTANCES = [
    pytest.param({}, id="mixed"),
    pytest.param({"zeros": True, "most": 3}, id="zeros, several jobs"),
    pytest.param({"gangs": True}, id="components"),
    *(pytest.param({"kind": kind}, id=kind) for kind in KINDS),
]


@pytest.fixture(params=INSTANCES)
def instance(request: pytest.FixtureRequest) -> RewardInstance:
    return random_reward(np.random.default_rng(7), **request.param)


def random_allocation(instance: RewardInstance, rng: np.random.Generator) -> np.ndarray:
    cluster = instance.cluster
    y = rng.uniform(-0.5, 1.5, cluster.shape) * cluster.upper
    return project(y, cluster.upper, cluster.capacities, cluster.server_start)


@pytest.mark.parametrize("code", range(len(KINDS)))
def test_compiled_utilities_are_those_of_the_model(code: int) -> None:
    h = 1e-5
    for alpha in (0.01, 1.0, 1.5, 30.0):
        for y in (0.0, 1e-9, 0.3, 2.0, 1e4):
            value = float(utilities.value(code, alpha, y))
            slope = float(utilities.derivative(code, alpha, y))
            assert kernels.utility(code, alpha, y) == pytest.approx(value, rel=1e-14)
            assert kernels.slope(code, alpha, y) == pytest.approx(slope, rel=1e-14)
            step = h * (y + min(alpha, 1.0))
            change = (kernels.slope(code, alpha, y) - kernels.slope(code, alpha, y + 2 * step)) / (
                2 * step
            )
            middle = kernels.curvature(code, alpha, y + step)
            assert middle == pytest.approx(change, rel=1e-6, abs=1e-9 * slope)


@pytest.mark.parametrize("code", range(len(KINDS)))
def test_best_answer_to_a_price(code: int) -> None:
    for alpha in (0.5, 1.0, 3.0):
        for price in (0.0, 1e-3, 0.2, 1.0, 5.0):
            best = kernels.inverse_slope(code, alpha, price, 8.0)
            grid = np.append(np.linspace(0.0, 8.0, 8001), best)
            payoff = utilities.value(code, alpha, grid) - price * grid
            assert payoff[-1] >= payoff.max() - 1e-12


def test_best_response_by_hand() -> None:
    # Two ports, f = ln(y + 1), one unit, beta = 1/2 and one device, so lambda = 1: each gets 1/2,
    # where 1 / (1.5) - 1/2 = 1/6 is what another unit would be worth.
    oracle = Oracle(reward([[5.0], [5.0]], [[1.0]], [[1, 1]], kind="log", beta=[0.5]).cluster)
    found = oracle.respond(np.ones(2), np.ones((2, 1)))
    np.testing.assert_allclose(found.y[:, 0], [0.5, 0.5], rtol=1e-12)
    np.testing.assert_allclose(found.rent, [[1.0 / 6.0]], rtol=1e-12)
    bound = 2.0 * (np.log(1.5) - 0.25)
    assert bound <= oracle.bound(np.ones(2), np.ones((2, 1))) <= bound + 2e-8


def test_equal_linear_utilities_share_what_there_is() -> None:
    # Weights 3, 2, 2: the first takes its 4 units, the others share 6 - 4 at a rent of 2.
    oracle = Oracle(reward([[4.0], [4.0], [4.0]], [[6.0]], [[1, 1, 1]]).cluster)
    found = oracle.respond(np.array([3.0, 2.0, 2.0]), np.ones((3, 1)))
    assert found.y[0, 0] == 4.0
    assert found.y.sum() == pytest.approx(6.0, rel=1e-14)
    assert found.rent[0, 0] == pytest.approx(2.0, rel=1e-12)


def test_response_is_feasible_and_as_good_as_its_bound(instance: RewardInstance) -> None:
    cluster, rng = instance.cluster, np.random.default_rng(0)
    oracle = Oracle(cluster)
    kind, alpha = cluster.kind[cluster.server], cluster.alpha[cluster.server]
    for _ in range(20):
        weights = rng.integers(0, 9, oracle.copies) * rng.choice([1.0, 1e3])
        multipliers = normalised(rng.random((oracle.copies, len(cluster.devices))))
        found = oracle.respond(weights, multipliers)
        used = np.zeros_like(cluster.capacities)
        np.add.at(used, cluster.server, found.y)
        assert (used <= cluster.capacities * (1 + 1e-12)).all()
        assert (found.y >= 0).all() and (found.y <= cluster.upper).all()
        assert (found.rent >= 0).all()
        price = (multipliers * cluster.beta)[oracle.copy]
        payoff = utilities.value(kind, alpha, found.y) - price * found.y
        primal = float((weights[oracle.copy][:, None] * payoff).sum())
        dual = oracle.lagrangian(weights, multipliers, found.rent).value
        # Weak duality makes both optimal, up to the outward rounding and the scorer's tolerance.
        assert primal <= dual <= primal + 3e-8 * max(primal, weights.max())


def test_no_multipliers_and_rents_are_beaten(instance: RewardInstance) -> None:
    cluster, rng = instance.cluster, np.random.default_rng(1)
    oracle, function = Oracle(cluster), RewardFunction(cluster)
    for _ in range(30):
        weights = rng.integers(0, 4, oracle.copies).astype(float)
        table = rng.random((oracle.copies, len(cluster.devices))) ** 4
        rent = rng.exponential(rng.choice([0.01, 1.0, 10.0]), cluster.capacities.shape)
        bound = oracle.lagrangian(weights, normalised(table), rent).value
        for _ in range(5):
            y = random_allocation(instance, rng)
            assert weights @ function(y).reward <= bound


def test_what_the_scorer_tolerates_is_within_the_bound() -> None:
    # alpha = 1000: a hair more than the capacity is worth 1e-6 more than the optimum 1000.
    ins = reward([[5.0]], [[1.0]], [[1]], alpha=1000.0)
    oracle = Oracle(ins.cluster)
    over = np.array([[1.0 + 1e-9]])
    assert RewardFunction(ins.cluster)(over).reward.sum() <= oracle.bound(
        np.ones(1), np.ones((1, 1))
    )


def test_less_than_nothing_for_some_is_no_room_for_others() -> None:
    # 50 ports without jobs at -1e-9 would make room for 50 times what (4) tolerates.
    ins = reward([[5.0]] * 51, [[0.0]], [[1] + [0] * 50])
    y = np.full(ins.cluster.shape, -1e-9)
    y[0, 0] = 40e-9
    found = score(ins, RewardSchedule.constant(ins, y))
    assert [violation.equation for violation in found.violations] == ["(4)"]
    y[0, 0] = 1e-9
    found = score(ins, RewardSchedule.constant(ins, y))
    weights = ins.weights.astype(float)
    assert not found.violations
    assert 0 < found.objective <= Oracle(ins.cluster).bound(weights, np.ones((51, 1)))


def test_rows_without_multipliers_become_uniform() -> None:
    table = normalised(np.array([[0.0, 0.0], [1.0, 3.0]]))
    np.testing.assert_array_equal(table, [[0.5, 0.5], [0.25, 0.75]])

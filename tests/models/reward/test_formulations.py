"""The hindsight program: optima solved by hand, bounds by scoring, and CVXPY's trap."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.export import main
from models.errors import InputError
from models.reward import RewardInstance
from models.reward.files import RewardFile, Utilities
from models.reward.formulations import Hindsight, hindsight
from models.reward.reward import RewardFunction
from tests.models.reward.cases import random_reward


def instance(kind: str, **changes: Any) -> RewardInstance:
    """Two ports on one server of one device type."""
    fields: dict[str, Any] = {
        "name": "small",
        "slots": 4,
        "devices": ["gpu"],
        "capacities": [[4.0]],
        "requests": [[5.0], [5.0]],
        "edges": [(0, 0), (1, 0)],
        "utilities": Utilities(kind=kind, alpha=[[1.0]]),
        "beta": [0.0],
        "arrivals": [[1, 0], [1, 1], [1, 0], [0, 0]],
    }
    return RewardInstance.from_file(
        RewardFile(format="1", problem="reward", **{**fields, **changes})
    )


def solved(
    ins: RewardInstance, weights: np.ndarray | None = None, solver: str = cp.CLARABEL
) -> Hindsight:
    found = hindsight(ins.cluster, ins.weights if weights is None else weights)
    found.program.solve(solver=solver)
    assert found.program.status == "optimal"
    return found


def test_log_by_hand() -> None:
    # n = (3, 1): 3 / (1 + a) = 1 / (1 + b) and a + b = 4 give a = 3.5, b = 0.5, value
    # 3 ln 4.5 + ln 1.5; the price of the capacity is 1 / 1.5.
    found = solved(instance("log"))
    assert found.y.value.ravel() == pytest.approx([3.5, 0.5], abs=1e-5)
    assert found.program.value == pytest.approx(3 * math.log(4.5) + math.log(1.5), rel=1e-7)
    assert found.constraint_4.dual_value == pytest.approx(np.array([[2 / 3]]), abs=1e-4)


def test_poly_and_reciprocal_by_hand() -> None:
    # 3 / (2 sqrt(1 + a)) = 1 / (2 sqrt(1 + b)): 1 + a = 9 (1 + b), so b < 0 unless a = 4, b = 0;
    # value 3 (sqrt 5 - 1).
    assert solved(instance("poly")).program.value == pytest.approx(3 * (math.sqrt(5) - 1), rel=1e-6)
    # 3 / (1 + a)^2 = 1 / (1 + b)^2: 1 + a = sqrt 3 (1 + b), and (1 + a) + (1 + b) = 6.
    b = 6 / (1 + math.sqrt(3))
    expected = 3 * (1 - 1 / (math.sqrt(3) * b)) + 1 - 1 / b
    assert solved(instance("reciprocal")).program.value == pytest.approx(expected, rel=1e-6)


def test_linear_with_overhead_by_hand() -> None:
    # Two device types at slopes 1, coefficients (1, 0.5), requests 2 of each, capacity 4 and 1.
    # One port: the first unit of both types costs max(1 a, 0.5 b). b is worth 1 and capped at
    # 1; a adds 1 - 1 once it dominates, and is free up to a = 0.5. So value 0.5 + 1 - 0.5 = 1
    # for a from 0.5 on, per slot with a job; three of them.
    ins = instance(
        "linear",
        devices=["cpu", "gpu"],
        capacities=[[4.0, 1.0]],
        requests=[[2.0, 2.0]],
        edges=[(0, 0)],
        utilities=Utilities(kind="linear", alpha=[[1.0, 1.0]]),
        beta=[1.0, 0.5],
        arrivals=[[1], [1], [0], [1]],
    )
    for solver in (cp.CLARABEL, cp.HIGHS):
        found = solved(ins, solver=solver)
        assert found.program.value == pytest.approx(3.0, rel=1e-6)
        assert found.y.value[0, 1] == pytest.approx(1.0, abs=1e-5)


def test_a_slot_alone() -> None:
    # Only port 1 has a job: ln(1 + 4).
    ins = instance("log")
    weights = ins.cluster.active(np.array([0, 1]))
    assert solved(ins, weights).program.value == pytest.approx(math.log(5), rel=1e-6)


def test_copies_share_the_server() -> None:
    # Two jobs of port 0 in each of 4 slots: 2 ln(1 + 2) each.
    ins = instance("log", arrivals=[[2, 0]] * 4)
    assert solved(ins).program.value == pytest.approx(8 * math.log(3), rel=1e-6)


@pytest.mark.parametrize("gangs", [False, True])
@given(seed=st.integers(0, 10**6))
def test_no_feasible_decision_is_better(gangs: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_reward(rng, ports=3, servers=3, devices=2, most=2, gangs=gangs, density=2.5)
    cluster = ins.cluster
    if not len(cluster.lane):
        return
    found = solved(ins)
    reward = RewardFunction(cluster)
    room = cluster.capacities[cluster.server]
    for _ in range(10):
        y = rng.random(cluster.shape) * cluster.upper * (rng.random(cluster.shape) < 0.7)
        used = np.zeros_like(cluster.capacities)
        np.add.at(used, cluster.server, y)
        y *= np.minimum(1.0, room / np.maximum(used[cluster.server], 1e-300))
        # With a gang rule the program is a relaxation.
        assert ins.weights @ reward(y).reward <= found.program.value * (1 + 1e-6) + 1e-6
    if not gangs:
        at = np.clip(found.y.value, 0.0, cluster.upper)
        value = float(ins.weights @ reward(at).reward)
        assert value == pytest.approx(found.program.value, rel=1e-5, abs=1e-5)
    # What the duals of the overheads are for: multipliers in a simplex, one per copy.
    assert found.above.dual_value.min() >= -1e-6
    assert found.above.dual_value.sum(axis=1) == pytest.approx(ins.weights, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("solver", [cp.CLARABEL, cp.HIGHS])
def test_canary_maximum_of_products_of_nonnegative_variables(solver: str) -> None:
    # CVXPY 1.9.0 to 1.9.3 give the epigraph of max(multiply(b, y @ S)) the upper bound 0 for a
    # nonnegative y without bounds (0 times infinity in the product with S), and so return the
    # optimum 0 through solvers that take bounds, HiGHS for one. By hand: maximise
    # sum(y) - max(0.5 (y0 + y1), 0.25 y2) with y <= 2: all of them at 2, 6 - max(2, 0.5) = 4.
    y = cp.Variable((1, 3), nonneg=True)
    adder = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    overhead = cp.max(cp.multiply(np.array([[0.5, 0.25]]), y @ adder))
    program = cp.Problem(cp.Maximize(cp.sum(y) - overhead), [y <= 2.0])
    program.solve(solver=solver)
    assert program.value == pytest.approx(4.0, rel=1e-6)


def test_the_program_equals_its_form_with_the_maximum() -> None:
    # The same objective with CVXPY's own maximum in place of the explicit rows.
    ins = random_reward(np.random.default_rng(5), ports=5, servers=8, kind="linear")
    cluster, found = ins.cluster, solved(ins)
    adder = np.equal.outer(np.arange(5), cluster.lane).astype(float)
    y = cp.Variable(cluster.shape, nonneg=True)
    slope = cluster.alpha[cluster.server] * ins.weights[cluster.lane][:, None]
    overhead = cp.max(cp.multiply(cluster.beta[None, :], adder @ y), axis=1)
    on = np.equal.outer(np.arange(8), cluster.server).astype(float)
    program = cp.Problem(
        cp.Maximize(cp.sum(cp.multiply(slope, y)) - ins.weights @ overhead),
        [y <= cluster.upper, on @ y <= cluster.capacities],
    )
    program.solve(solver=cp.CLARABEL)
    assert found.program.value == pytest.approx(program.value, rel=1e-6) != 0.0


def test_there_is_no_linear_model_to_export(tmp_path: Path) -> None:
    instance("log").write(tmp_path / "one.json")
    with pytest.raises(InputError, match="'reward' has no linear model to write"):
        main([str(tmp_path / "one.json"), "--out", str(tmp_path / "one.lp")])
    assert not (tmp_path / "one.lp").exists()

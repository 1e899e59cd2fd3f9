"""An optimum of 0 is proven where nothing above the scorer's tolerances is possible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.evaluate import evaluate
from benchmarks.offline import Bound, Incumbent, offline_interval, ratio_interval

from benchmarks.ratio import main as ratio
from benchmarks.regret import main as regret
from models.problem import problem
from models.reward import PROBLEM, RewardInstance
from models.reward.reward import RewardFunction
from online.reward import POLICIES
from solvers.result import SolveResult, relative_gap
from solvers.reward.hindsight import best_fixed
from solvers.reward.offline import solve
from tests.reward_cases import random_reward
from tests.small import instance, job
from tests.small_reward import reward

ARRIVALS = [[1, 1], [1, 0], [0, 1]]


def worthless(alpha: float, beta: list[float]) -> RewardInstance:
    """Two ports on two servers, utilities ``alpha y``; the overhead is never less."""
    devices = len(beta)
    requests = [[2.0] * devices, [3.0] * devices]
    capacities = [[4.0] * devices, [5.0] * devices]
    return reward(requests, capacities, ARRIVALS, alpha=alpha, beta=beta)


# Where sum_k alpha Y_k <= max_k beta_k Y_k for all Y, the best reward is 0; with equality in the
# second case, where multipliers have to be exact.
WORTHLESS: list[tuple[float, list[float]]] = [
    (0.5, [1.0, 1.0]),
    (1.0, [1.0]),
    (0.25, [1.0, 0.7]),
    (0.3, [0.9, 1.0, 1.0]),
    (1e-7, [2e-7, 3e-7]),
]


@pytest.mark.parametrize(("alpha", "beta"), WORTHLESS)
def test_an_optimum_of_nothing_is_proven(alpha: float, beta: list[float]) -> None:
    ins = worthless(alpha, beta)
    result = solve(ins, time_limit=5.0)
    assert (result.status, result.objective, result.gap) == ("optimal", 0.0, 0.0)
    assert result.bound is not None and 0.0 < result.bound <= PROBLEM.negligible(ins)
    assert best_fixed(ins.cluster, ins.weights).gap == 0.0
    (row,) = evaluate(ins, [POLICIES["ogasched"]], time_limit=5.0).rows
    assert (row.offline_status, row.offline_lower, row.offline_upper) == ("optimal", 0.0, 0.0)


def test_a_policy_that_earns_nothing_is_then_optimal() -> None:
    found = offline_interval(
        "max", [Incumbent(0.0, None)], [Bound(8e-9, "prices")], negligible=1e-8
    )
    assert (found.lower, found.upper, found.status) == (0.0, 0.0, "optimal")
    assert ratio_interval("max", 0.0, found) == (1.0, 1.0)
    assert ratio_interval("max", -1.0, found) == (float("inf"), float("inf"))


def test_what_is_more_than_negligible_is_measured_as_before() -> None:
    assert relative_gap("max", 0.0, 1e-12) == 1.0
    assert relative_gap("max", 0.0, 1e-12, negligible=1e-12) == 0.0
    assert relative_gap("max", 0.0, 1e-11, negligible=1e-12) == 1.0
    # Not a tolerance of differences: large numbers that are near are told apart.
    assert relative_gap("max", 9.0, 10.0, negligible=2.0) == pytest.approx(0.1)
    known, bound = [Incumbent(9.0, None)], [Bound(10.0, "prices")]
    found = offline_interval("max", known, bound, negligible=2.0)
    assert (found.lower, found.upper, found.status) == (9.0, 10.0, "bounded")
    given: dict[str, Any] = {"schedule": None, "duals": None, "seconds": 0.0, "solver": "hand"}
    result = SolveResult(status="feasible", objective=0.0, bound=1e-9, negligible=1e-9, **given)
    assert result.gap == 0.0


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


def test_commands_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    worthless(0.5, [1.0, 1.0]).write(tmp_path / "one.json")
    options = ["--problem", "reward", "--instance", str(tmp_path / "one.json")]
    options += ["--policy", "ogasched,drf"]
    assert ratio([*options, "--out", str(tmp_path / "ratio")]) == 0
    assert "Optimum proven (gap <= 0.0001) on 1 of 1 instances." in capsys.readouterr().out
    assert regret([*options, "--out", str(tmp_path / "regret")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "it is certified to 0.0e+00 relative at worst" in said

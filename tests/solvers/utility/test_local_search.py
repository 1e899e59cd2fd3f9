"""Local search at dual prices: feasible, no worse than its start, often the optimum."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

from benchmarks.utility import WORKLOAD
from models.errors import InputError
from models.utility import UtilitySchedule, score
from solvers.utility import offline
from solvers.utility.exact import solve
from solvers.utility.local_search import local_search, server_prices
from solvers.utility.occupancy import Occupancy
from solvers.utility.offline import certified
from solvers.utility.offline import solve as solve_offline
from solvers.utility.pool_bound import PoolPrices, PricedCut, pool_bound
from tests.models.utility.small import instance, job
from tests.solvers.utility.test_exact import SEEDS, best, contended


def free(slots: int, resources: int) -> PoolPrices:
    return PoolPrices(np.zeros((slots, resources)), np.zeros((slots, resources)))


def test_finds_most_optima_of_tiny_instances() -> None:
    met = 0
    for seed in SEEDS:
        ins = contended(seed)
        prices = free(ins.cluster.slots, 2)
        judged = score(ins, local_search(ins, prices, np.random.default_rng(0), iterations=100))
        assert judged.feasible
        assert judged.objective <= best(seed) * (1 + 1e-9)
        met += judged.objective >= best(seed) * (1 - 1e-9)
    assert met >= 0.8 * len(SEEDS)


def test_no_worse_than_its_start_and_the_same_every_time() -> None:
    ins = WORKLOAD.draw(jobs=8, slots=8, servers=(3, 3), seed=3)[0]
    prices = free(8, len(ins.cluster.resources))
    optimum = solve(ins)
    again = local_search(
        ins, prices, np.random.default_rng(0), start=optimum.schedule, iterations=50
    )
    assert score(ins, again).objective >= optimum.objective * (1 - 1e-12)
    one, other = (
        local_search(ins, prices, np.random.default_rng(5), iterations=50) for _ in range(2)
    )
    assert one.workers.tolist() == other.workers.tolist()


def test_a_deadline_in_the_past_still_gives_a_schedule() -> None:
    ins = contended(0)
    prices = free(ins.cluster.slots, 2)
    found = local_search(ins, prices, np.random.default_rng(0), deadline=time.monotonic() - 1)
    assert score(ins, found).feasible


def test_the_price_of_a_cut_is_spread_over_resources() -> None:
    # One job demands (2, 1), the cut weighs it 3, at a price of 5. Resource prices g >= 0 with
    # 2 g_0 + g_1 = 3: whatever they are, a worker costs 5 * 3 = 15 in that slot, 0 in the other.
    ins = instance(
        [job("a", worker=[2.0, 1.0], ps=[0.0, 1.0])],
        slots=2,
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[4.0, 4.0]],
        ps_servers=[[4.0, 4.0]],
    )
    zero = np.zeros((2, 2))
    prices = server_prices(ins, PoolPrices(zero, zero, (PricedCut(0, 1, 5.0, np.array([3.0])),)))
    assert prices.worker[:, 0] @ [2.0, 1.0] == pytest.approx([0.0, 15.0])
    assert not prices.ps.any()


def test_a_schedule_as_columns_and_back() -> None:
    ins = contended(1)
    optimum = solve(ins)
    assert isinstance(optimum.schedule, UtilitySchedule)
    found = Occupancy.of_schedule(ins, optimum.schedule)
    assert found.value == pytest.approx(optimum.objective)
    assert score(ins, found.schedule()).objective == pytest.approx(optimum.objective)


@pytest.mark.parametrize("seconds", [2.0, pytest.param(6.0, marks=pytest.mark.slow)])
def test_large_instances_get_an_interval_no_worse_than_that_of_prices(seconds: float) -> None:
    ins = WORKLOAD.draw(jobs=130, slots=100, servers=(6, 6), seed=0)[0]
    result = solve_offline(ins, time_limit=seconds)
    assert result.seconds < seconds + 5
    assert result.schedule is not None
    assert score(ins, result.schedule).objective == result.objective <= result.bound
    assert isinstance(result.duals, PoolPrices)
    certified = pool_bound(ins, result.duals)
    assert (
        result.bound == certified if result.bound_source == "prices" else result.bound < certified
    )


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_a_certificate_gets_the_share_of_the_time_that_is_kept_for_it(seed: int) -> None:
    ins = WORKLOAD.draw(jobs=4, slots=6, servers=(2, 2), seed=seed)[0]
    stated, checkable = solve_offline(ins, time_limit=8.0), certified(ins, time_limit=8.0)
    assert checkable.duals is not None
    assert checkable.objective is not None
    assert checkable.bound == pool_bound(ins, checkable.duals)
    assert stated.objective * (1 - 1e-6) <= checkable.bound <= stated.bound * 1.006
    assert checkable.seconds < 9.0


@pytest.mark.parametrize("seed", [1, 6, 7])
def test_time_kept_for_the_tree_is_used_where_prices_prove_the_most(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing comes of HiGHS's searches: bounds are those of the column generation.
    monkeypatch.setattr(offline, "_SMALL", 0)
    monkeypatch.setattr(offline, "deadlines_first", lambda ins, generated, known, *limits: known)
    monkeypatch.setattr(offline, "exact_until", lambda *given: None)
    monkeypatch.setattr(offline, "joined", lambda ins, known, exact: known)
    ins = contended(seed)
    by_prices, found = solve_offline(ins, time_limit=9.0), certified(ins, time_limit=9.0)
    assert by_prices.bound_source == found.bound_source == "prices"
    assert by_prices.bound > 1.05 * best(seed) and not by_prices.duals.tree
    assert found.bound == pytest.approx(best(seed), rel=1e-6) and found.duals.tree


@pytest.mark.slow
def test_on_a_short_horizon_the_tree_has_more_leaves_where_it_needs_them() -> None:
    # With 200 leaves it ends at 1.08 %, however much time is left.
    ins = WORKLOAD.draw(jobs=10, slots=10, servers=(5, 5), seed=1, load=None)[0]
    found = certified(ins, time_limit=90.0)
    assert isinstance(found.duals, PoolPrices)
    assert 200 < sum(isinstance(node, PoolPrices) for node in found.duals.tree) <= 1000
    assert found.bound == pool_bound(ins, found.duals) <= 211.75677985842745 * 1.006


@pytest.mark.parametrize("tree", [-0.1, 1.0, math.nan])
def test_a_share_of_the_time_is_below_1(tree: float) -> None:
    with pytest.raises(InputError, match=f"tree {tree} is not a share of the time"):
        solve_offline(contended(1), time_limit=1.0, tree=tree)

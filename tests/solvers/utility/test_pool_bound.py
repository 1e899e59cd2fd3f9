"""Packings, pooled prices with packing cuts, and column generation: every bound is one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from models.utility import UtilityInstance
from models.utility.resources import Resources
from solvers.column_generation import ColumnGeneration, Round
from solvers.packing_groups import most_worth, packing_groups
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.pool_bound import PoolPrices, PricedCut, pool_bound
from solvers.utility.pooled import PooledProblem
from solvers.utility.price_bound import price_bound
from solvers.utility.separation import PackingSeparator
from tests.models.utility.small import constant, instance, job, random_instance


def tiny(seed: int) -> UtilityInstance:
    return random_instance(np.random.default_rng(seed), jobs=4, slots=4, max_work=6)


def optimum(ins: UtilityInstance) -> float:
    result = solve_exactly(ins, mip_rel_gap=0.0)
    assert result.is_optimal
    assert result.objective is not None
    return result.objective


def random_prices(ins: UtilityInstance, rng: np.random.Generator) -> PoolPrices:
    shape = (ins.cluster.slots, len(ins.cluster.resources))
    scale = 10.0 ** rng.uniform(-3, 1)
    cuts = tuple(
        PricedCut(
            int(rng.integers(2)),
            int(rng.integers(ins.cluster.slots)),
            float(rng.exponential(scale)),
            rng.random(len(ins.jobs)) * rng.integers(0, 2, len(ins.jobs)),
        )
        for _ in range(rng.integers(0, 6))
    )
    return PoolPrices(
        rng.exponential(scale, shape) * rng.integers(0, 2, shape),
        rng.exponential(scale, shape) * rng.integers(0, 2, shape),
        cuts,
    )


def test_three_workers_of_three_gpus_do_not_fit_on_an_eight_gpu_server() -> None:
    # Pooled, 8 GPUs hold 8/3 workers of 3; whole workers: 2. Two such servers: 4, not 5.33.
    groups = packing_groups(np.array([[8.0, 10.0], [8.0, 10.0]]))
    assert [(group.capacity.tolist(), group.count) for group in groups] == [([8.0, 10.0], 2)]
    demand, limit = np.array([[3.0, 1.0]]), np.array([99])
    assert most_worth(groups, demand, np.ones(1), limit) == pytest.approx(4.0)
    separator = PackingSeparator(groups, demand, limit)
    assert separator.cut(np.array([4.0])) is None
    cut = separator.cut(np.array([5.0]))
    assert cut is not None
    assert cut.weight[0] * 5.0 > cut.capacity >= cut.weight[0] * 4.0 - 1e-9


def test_uniform_prices_without_cuts_are_an_ordinary_dual_solution() -> None:
    for seed in range(20):
        ins = tiny(seed)
        prices = random_prices(ins, np.random.default_rng(seed))
        spread = Resources(
            np.repeat(prices.worker[:, None], len(ins.cluster.worker_servers), axis=1),
            np.repeat(prices.ps[:, None], len(ins.cluster.ps_servers), axis=1),
        )
        pooled = pool_bound(ins, PoolPrices(prices.worker, prices.ps))
        assert pooled == pytest.approx(price_bound(ins, spread).value)


@pytest.mark.parametrize("seed", range(12))
def test_no_prices_go_below_the_optimum(seed: int) -> None:
    ins = tiny(seed)
    best = optimum(ins)
    rng = np.random.default_rng(1000 + seed)
    for _ in range(60):
        assert pool_bound(ins, random_prices(ins, rng)) >= best


@pytest.mark.parametrize("seed", range(12))
def test_column_generation_brackets_and_its_bound_is_recomputed(seed: int) -> None:
    ins = tiny(seed)
    problem = PooledProblem(ins)
    log: list[Round] = []
    result = ColumnGeneration(problem, gap=1e-7).run(log.append)
    assert result.converged
    assert all(a.bound >= b.bound for a, b in itertools.pairwise(log))
    recomputed = pool_bound(ins, problem.pool_prices(result.duals))
    assert recomputed == pytest.approx(result.bound, rel=1e-6)
    assert recomputed >= optimum(ins)


def test_cuts_close_what_pooling_leaves_open() -> None:
    # One slot, two servers of 3 Gbps, workers of 2 Gbps: three workers fit pooled, two in truth.
    # Jobs are worth 5, 4 and 3: pooled 12, with the cut 9 = the optimum.
    ins = instance(
        [job(f"j{v}", worker=[2.0], ps=[2.0], utility=constant(v)) for v in (5.0, 4.0, 3.0)],
        slots=1,
        worker_servers=[[3.0], [3.0]],
        ps_servers=[[9.0]],
    )
    problem = PooledProblem(ins)
    result = ColumnGeneration(problem).run()
    assert result.log[0].bound >= 12.0 - 1e-9
    assert result.bound == pytest.approx(9.0, rel=1e-6)
    assert optimum(ins) == pytest.approx(9.0)


def test_prices_of_the_wrong_shape_or_not_finite_are_refused() -> None:
    ins = tiny(0)
    good = np.zeros((4, 2))
    with pytest.raises(ValueError, match="shape"):
        pool_bound(ins, PoolPrices(np.zeros((3, 2)), good))
    with pytest.raises(ValueError, match="not finite"):
        pool_bound(ins, PoolPrices(good, np.full((4, 2), np.nan)))
    with pytest.raises(ValueError, match="no side 0 or slot 4"):
        pool_bound(ins, PoolPrices(good, good, (PricedCut(0, 4, 1.0, np.ones(4)),)))

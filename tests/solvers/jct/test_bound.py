"""The bounds of `jct`: by hand, against optima, and their price oracle against enumeration."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from models.jct import JctInstance, score
from solvers.jct.assembling import assembled
from solvers.jct.bound import bound
from solvers.jct.coarse import coarsened, grain, spread
from solvers.jct.exact import solve
from solvers.jct.offline import solve as offline
from solvers.jct.oracle import best_pooled
from solvers.jct.pool import Pool, PoolJob
from solvers.jct.price_bound import price_bound, rounded
from solvers.jct.relaxation import Relaxation, paper_relaxation, relaxation
from tests.models.jct.small import instance, job, random_instance, server
from tests.solvers.jct.search import NO_SCHEDULE, contended, least_jct, small, tiny


@cache
def optima() -> list[tuple[JctInstance, int]]:
    """60 tiny instances by exhaustive search."""
    found = [(tiny(seed), least_jct(seed)) for seed in range(60)]
    return [(ins, best) for ins, best in found if best < NO_SCHEDULE]


def small_optima(seeds: range) -> list[tuple[JctInstance, int]]:
    """Small instances by the exact solver."""
    found = [(small(seed), solve(small(seed), mip_rel_gap=0.0).objective) for seed in seeds]
    return [(ins, round(best)) for ins, best in found if best is not None]


def relaxed(ins: JctInstance) -> Relaxation:
    found = relaxation(Pool.of(ins))
    assert found is not None
    return found


def test_by_hand_on_the_edge() -> None:
    # One worker; chunks of 1 and 2 slots, both there at 0. Short first: JCT 1 + 3 = 4.
    # (A): the short one in slot 0 has 0 + (1+1)/2 = 1, the long one in slots 1, 2 has
    # (1+2)/2 + (2+1)/2 = 3. The paper's Lemma 1 counts 0 + 3/2.
    ins = instance([job("long", upload=[0], chunk_slots=2), job("short", upload=[0])], [server(1)])
    assert relaxed(ins).value == pytest.approx(4.0)
    assert paper_relaxation(Pool.of(ins)).value == pytest.approx(1.5)
    assert bound(Pool.of(ins)).proven.bound == 4


def test_by_hand_with_a_cloud() -> None:
    # One worker, one job of two chunks of two slots; the cloud takes 3 + 1 slots. On the edge:
    # 4 slots as well. With the share z on the edge, 1/2 <= z: one worker-slot in each slot,
    # (A) = [0 + 1 + ...] / 4 + 1.5 z + 4 (1 - z). At z = 3/4, slots 0, 1, 2 are full:
    # 3/4 + 9/8 + 1 = 2.875; at z = 1/2: 1/4 + 3/4 + 2 = 3; at z = 1: 6/4 + 3/2 = 3.
    # Work split off to the cloud costs (3 + 1/2)/4 a slot, more than slot 2 or 3.
    # The oracle knows that z is 0 or 1: 4 either way.
    ins = instance(
        [job("j", upload=[0], chunks=2, chunk_slots=2, cloud_upload_slots=3)],
        [server(1)],
        cloud=True,
    )
    assert relaxed(ins).value == pytest.approx(2.875)
    assert bound(Pool.of(ins)).proven.bound == 4
    assert solve(ins).objective == 4


def test_by_hand_at_given_prices() -> None:
    # The first example at price 1 in slots 0 and 1. Short: slot 0 costs 1 + 1 = 2 (slot 2: 3).
    # Long: slots 0 and 1 cost 2 + 2 = 4; with slot 2 instead of 1 it costs 3 + 1 = 4; slots 2
    # and 3: 4. Sold: 2. Bound 2 + 4 - 2 = 4.
    ins = instance([job("long", upload=[0], chunk_slots=2), job("short", upload=[0])], [server(1)])
    proven = price_bound(Pool.of(ins), np.array([[1.0, 1.0]]))
    assert proven.value == pytest.approx(4.0)
    assert proven.bound == 4


@pytest.mark.parametrize(
    "seeds", [range(100, 105), pytest.param(range(105, 140), marks=pytest.mark.slow)]
)
def test_no_bound_exceeds_an_optimum(seeds: range) -> None:
    ratios = []
    for ins, best in [*optima(), *small_optima(seeds)]:
        pool = Pool.of(ins)
        paper, bounded = paper_relaxation(pool), bound(pool)
        assert paper is not None and bounded is not None and bounded.program is not None
        assert paper.value <= bounded.program.value + 1e-6
        # Prices prove at least the program they come from, up to their rounding.
        assert bounded.program.value <= bounded.proven.value + 1e-4
        assert bounded.proven.bound <= best
        ratios.append((paper.value / best, bounded.program.value / best,
                       bounded.proven.bound / best))  # fmt: skip
    median = np.median(ratios, axis=0)
    print(f"median bound / optimum: paper {median[0]:.3f}, program {median[1]:.3f}, "
          f"prices {median[2]:.3f} on {len(ratios)} instances")  # fmt: skip
    assert len(ratios) >= 50 + 0.75 * len(seeds)
    assert median[1] >= 0.8
    assert median[2] >= 0.85


@pytest.mark.parametrize("seed", range(30))
def test_any_prices_prove_a_bound(seed: int) -> None:
    ins, best = optima()[seed]
    rng = np.random.default_rng(seed)
    pool = Pool.of(ins)
    for scale in (0.0, 0.1, 0.5, 2.0):
        prices = rounded(scale * rng.random((len(pool.workers), 12)))
        assert price_bound(pool, prices).bound <= best


def test_schedules_that_move_chunks_are_covered() -> None:
    # Three chunks of two slots on two workers: 4 slots if each stays on its worker, but 3 if the
    # third runs in slot 0 on the one and in slot 2 on the other.
    ins = instance([job("j", upload=[0], chunks=3, chunk_slots=2)], [server(2)])
    assert solve(ins).objective == 4
    assert bound(Pool.of(ins)).proven.bound == 3
    assert relaxed(ins).value <= 3 + 1e-9


def enumerated(pool_job: PoolJob, prices: np.ndarray, slots: int) -> float:
    """Cost of the best schedule: for every completion, the cheapest slots before it."""
    best = math.inf if pool_job.cloud_jct is None else float(pool_job.cloud_jct)
    for jct in range(1, slots - pool_job.release + 1):
        offered = []
        for c in range(jct):
            t = pool_job.release + c
            price = prices[t] if t < len(prices) else 0.0
            ready = sum(delay <= c for delay in pool_job.delays.tolist())
            offered += [price] * min(pool_job.chunks, ready)
        if len(offered) >= pool_job.work:
            best = min(best, jct + sum(sorted(offered)[: pool_job.work]))
    return best


@pytest.mark.parametrize("seed", range(40))
def test_the_oracle_finds_the_cheapest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, most_workers=3, cloud=bool(seed % 2))
    pool = Pool.of(ins)
    for pooled in pool.jobs:
        prices = rng.choice([0.0, 0.3, 1.0, 2.5], 20) * rng.random(20)
        if seed >= 20:  # a price for several slots, and equal prices apart
            prices = np.repeat(rng.choice([0.0, 0.1, 0.25, 1.0], 5), 4)
        found = best_pooled(pooled, prices, pool.slots)
        assert found is not None
        assert found.cost == pytest.approx(enumerated(pooled, prices, pool.slots))
        if found.slots.size:
            assert found.workers.sum() == pooled.work
            assert found.slots.max() < pooled.release + found.jct
            assert (found.workers <= pooled.rates(found.slots - pooled.release)).all()
            at = [prices[t] if t < 20 else 0.0 for t in found.slots]
            assert found.cost == pytest.approx(found.jct + float(np.dot(at, found.workers)))


def test_the_horizon_costs_nothing() -> None:
    short = contended(3, jobs=6, slots=100)
    long = contended(3, jobs=6, slots=10**9)
    near, far = bound(Pool.of(short)), bound(Pool.of(long))
    assert near.proven.bound == far.proven.bound
    assert near.prices.shape == far.prices.shape
    assert solve(long, time_limit=20.0).objective == solve(short, time_limit=20.0).objective


def test_short_slots_do_not_make_a_weak_bound() -> None:
    # 40 chunks of 1000 slots on four workers: in turns of four, the jobs are done after 1000,
    # 2000, ..., 10000 slots. The linear program takes long.
    jobs = [job(f"j{n}", upload=[0], chunks=4, chunk_slots=1000) for n in range(10)]
    pool = Pool.of(instance(jobs, [server(4)], slots=10**9))
    many = grain(pool)
    assert many > 10
    coarse = relaxation(coarsened(pool, many))
    assert coarse is not None
    found = price_bound(pool, rounded(spread(coarse.prices, many, pool.slots)))
    assert found is not None
    assert 54_900 <= found.bound <= 55_000
    bounded = bound(pool, time_limit=3.0)
    assert bounded is not None
    assert 54_900 <= bounded.proven.bound <= 55_000


@pytest.mark.parametrize("seed", range(12))
def test_coarse_prices_prove_a_bound(seed: int) -> None:
    ins, best = optima()[seed]
    pool = Pool.of(ins)
    for many in (2, 3, 5):
        coarse = relaxation(coarsened(pool, many))
        if coarse is not None:
            proven = price_bound(pool, rounded(spread(coarse.prices, many, pool.slots)))
            assert proven is not None and proven.bound <= best


def test_slots_too_many_for_prices_still_give_a_bound() -> None:
    # Ten jobs alone: four chunks of 10^8 slots on four workers each.
    jobs = [job(f"j{n}", upload=[0], chunks=4, chunk_slots=10**8) for n in range(10)]
    ins = instance(jobs, [server(4)], slots=10**9)
    result = offline(ins, time_limit=5.0)
    assert (result.status, result.bound, result.schedule) == ("bounded", 10.0 * 10**8, None)
    assert result.seconds < 10


def test_long_idle_times_take_no_memory() -> None:
    # Two jobs of two slots on one worker: 2 + 4; and one far away: 2.
    jobs = [job(n, at, upload=[0], chunk_slots=2) for n, at in (("a", 0), ("b", 0), ("c", 10**8))]
    result = offline(instance(jobs, [server(1)], slots=10**9), time_limit=3.0)
    assert 6 <= result.bound <= 8
    assert result.seconds < 6


def test_a_window_that_is_too_short_is_widened() -> None:
    # 30 chunks of as many jobs on one worker: the last slots lie far beyond what a lone job needs.
    # Each JCT is its place, 1 + 2 + ... + 30.
    ins = instance([job(f"j{n}", upload=[0]) for n in range(30)], [server(1)], slots=60)
    assert relaxed(ins).value == pytest.approx(465.0)


def test_without_the_program_prices_come_from_schedules(monkeypatch: pytest.MonkeyPatch) -> None:
    ins = contended(101, jobs=6, most_workers=4, most_chunks=2, most_slots=3, slots=16)
    pool = Pool.of(ins)
    whole = bound(pool)
    monkeypatch.setattr("solvers.jct.bound.relaxation", lambda *_, **__: None)
    alone = bound(pool)
    assert whole.program is not None and alone.program is None
    nothing = price_bound(pool, np.zeros((len(pool.workers), 1)))
    assert nothing.bound < alone.proven.bound <= solve(ins).objective


def test_storage_too_small_for_a_chunk_takes_workers_away() -> None:
    # Server 0 cannot hold a chunk, so server 1 trains both, one after the other.
    ins = instance(
        [job("j", upload=[0, 1], chunks=2, chunk_gb=2.0)],
        [server(1, storage_gb=1.0), server(1, storage_gb=4.0)],
    )
    assert bound(Pool.of(ins)).proven.bound == 3


def test_jobs_without_edge_workers_are_in_the_cloud() -> None:
    ins = instance(
        [job("j", upload=[0], worker_type="z", cloud_upload_slots=3)], [server(1)], cloud=True
    )
    assert bound(Pool.of(ins)).proven.bound == 4
    result = solve(ins)
    assert (result.status, result.objective) == ("optimal", 4.0)
    assert score(ins, assembled(ins, [{}])).objective == 4.0


def test_chunks_of_ten_million_slots_leave_the_program_in_range() -> None:
    # In (A) a worker-slot of "a" counts 1 / (43e6 * 115) slots, less than HiGHS takes. Best are the
    # cloud, 5 + 1 slots, and for "b" the worker, 1 + 1.
    jobs = [
        job("a", upload=[1], chunks=115, chunk_slots=43 * 10**6, cloud_upload_slots=5),
        job("b", upload=[1], cloud_upload_slots=9),
    ]
    found = offline(instance(jobs, [server(1)], cloud=True, slots=10**5), time_limit=None)
    assert (found.status, found.objective) == ("optimal", 8.0)
    assert found.bound == pytest.approx(8.0)

"""OASiS: price bounds by hand, invariants of the proof, and where the guarantee fails."""

from __future__ import annotations

import math

import numpy as np
import pytest

from models.errors import InputError
from models.sigmoid import Sigmoid
from models.slot_column import Column
from models.utility import UtilityInstance, score
from online.run import Trace, run
from online.utility.oasis import OASiS
from online.utility.price_bounds import PriceBounds
from online.utility.prices import ExponentialPrices
from solvers.utility.price_bound import price_bound
from tests.models.utility.small import constant, instance, job, random_instance
from tests.online.promises import promise


def run_oasis(ins: UtilityInstance, policy: OASiS | None = None) -> tuple[OASiS, Trace]:
    policy = policy or OASiS.for_instance(ins)
    return policy, run(ins, policy, np.random.default_rng(0))


def test_price_bounds_by_hand() -> None:
    # One resource, c = 4 on both sides, T = 4, raw units. Job a: w = 1, s = 2, W = 6, N = 2, so
    # 3 slots alone: delay 2. Its parameter servers: 2 * 1/2 = 1. Constant utility 6.
    # Job b: w = 2, s = 4, W = 2, N = 1, 2 slots, constant utility 3.
    # U1 = max(6/1, 3/2) = 6; U2 = max(6/2, 3/4) = 3.
    # 1/eta1 = min(1, min(6*1, 2*2) / (4*4)) = 1/4; L1 = 1/4 * 1/4 * min(6/6, 3/4) = 3/64.
    # 1/eta2 = min(1, min(6*2, 2*4) / 16) = 1/2; L2 = 1/4 * 1/2 * min(6/12, 3/8) = 3/64.
    ins = instance(
        [
            job("a", chunks=2, work=6, ps=[2.0], utility=constant(6.0)),
            job("b", worker=[2.0], ps=[4.0], work=2, utility=constant(3.0)),
        ],
        worker_servers=[[4.0]],
        ps_servers=[[4.0]],
    )
    bounds = PriceBounds.from_instance(ins, units="raw")
    assert bounds.U1 == pytest.approx([6.0])
    assert bounds.U2 == pytest.approx([3.0])
    assert (bounds.L1, bounds.L2) == pytest.approx((3 / 64, 3 / 64))
    assert bounds.alpha == pytest.approx(math.log(6 * 64 / 3))


def test_normalised_units_do_not_depend_on_the_units_of_the_file() -> None:
    def case(unit: float) -> UtilityInstance:
        return instance(
            [job("a", chunks=2, work=3, worker=[unit, 1.0], ps=[0.0, 2.0])],
            resources=["memory", "bandwidth_gbps"],
            worker_servers=[[4 * unit, 4.0], [2 * unit, 6.0]],
            ps_servers=[[0.0, 4.0]],
        )

    small, large = (PriceBounds.from_instance(case(unit)) for unit in (1.0, 1000.0))
    assert small.U1 == pytest.approx(large.U1)
    assert (small.L1, small.L2) == pytest.approx((large.L1, large.L2))
    raw_small, raw_large = (
        PriceBounds.from_instance(case(unit), units="raw") for unit in (1.0, 1000.0)
    )
    assert raw_small.L1 > 10 * raw_large.L1


def test_price_bounds_refuse_nonsense() -> None:
    one = np.array([1.0])
    with pytest.raises(InputError, match=r"U1\[0\] = 1 must exceed L1 = 1"):
        PriceBounds(one, one, 1.0, 0.5)
    with pytest.raises(InputError, match="finite"):
        PriceBounds(np.array([np.nan]), one, 0.5, 0.5)
    with pytest.raises(InputError, match="not positive"):
        PriceBounds(one, one, 0.5, 0.5).scaled(0.0)


def test_underestimated_bounds_stay_above_l() -> None:
    bounds = PriceBounds(np.array([8.0, 0.0]), np.array([4.0, 2.0]), 1.0, 1.0)
    half = bounds.scaled(0.5)
    assert half.U1.tolist() == [4.0, 0.0]
    assert half.U2[0] == 2.0
    assert 1.0 < half.U2[1] < 1.0 + 1e-6
    assert (half.L1, half.L2) == (1.0, 1.0)


def test_a_job_that_cannot_run_does_not_count_for_the_bounds() -> None:
    jobs = [job("a", work=2, utility=constant(5.0))]
    hopeless = job("late", arrival=3, work=9, utility=constant(1000.0))
    alone = PriceBounds.from_instance(instance(jobs))
    both = PriceBounds.from_instance(instance([*jobs, hopeless]))
    assert alone.U1 == pytest.approx(both.U1)
    assert alone.L1 == pytest.approx(both.L1)


def test_smallest_utility_is_floored_and_a_job_worth_less_is_refused() -> None:
    # One resource, c = 1, T = 4: 1/eta = 1/4 on both sides. "tiny" counts for 1e-6 * 1e9 in L:
    # L = 1/4 * 1/4 * 1000 = 62.5, so it would pay 62.5 twice, and it is worth 1e-3.
    ins = instance(
        [job("tiny", utility=constant(1e-3)), job("big", arrival=1, utility=constant(1e9))]
    )
    bounds = PriceBounds.from_instance(ins)
    assert (bounds.L1, bounds.L2) == pytest.approx((62.5, 62.5))
    assert bounds.alpha == pytest.approx(math.log(1e9 / 62.5))
    _, trace = run_oasis(ins)
    assert score(ins, trace.schedule).objective == pytest.approx(1e9)


def test_nothing_can_be_earned() -> None:
    ins = instance([job("a", arrival=3, work=9)])
    policy, trace = run_oasis(ins)
    assert score(ins, trace.schedule).objective == 0.0
    assert policy.final_prices.worker.sum() == 0.0


def test_first_price_step_by_hand() -> None:
    # One slot, c = 4, L = 1, U = 16: taking 1 of 4 multiplies the price by 16^(1/4) = 2.
    # alpha_i = (e^(a d) - 1) / d with a = ln 16, d = 1/4: (2 - 1) / (1/4) = 4.
    ins = instance(
        [job("a", utility=constant(10.0))],
        slots=1,
        worker_servers=[[4.0]],
        ps_servers=[[4.0]],
    )
    u = np.array([16.0])
    book = ExponentialPrices(ins.cluster, PriceBounds(u, u, 1.0, 1.0, units="raw"))
    assert book.initial_dual == 8.0
    rows = np.array([[0, 0, 1]])
    record = book.take(ins.jobs[0], Column(0, 0, 10.0, rows, rows, cost=2.0))
    assert book.prices.worker[0, 0, 0] == pytest.approx(2.0)
    assert book.free.ps[0, 0, 0] == 3.0
    assert record["alpha_i"] == pytest.approx(4.0)
    # D rises by mu = 10 - 2 and by (2 - 1) * 4 on each side.
    assert record["dual_step"] == pytest.approx(16.0)
    assert record["primal_step"] == 10.0


@pytest.mark.parametrize("seed", range(40))
def test_step_inequality_and_prices_at_the_ends(seed: int) -> None:
    ins = random_instance(np.random.default_rng(seed), jobs=6, slots=4, max_work=6)
    policy, trace = run_oasis(ins)
    for row in trace.decisions:
        if row.get("admitted"):
            limit = row["dual_step"] / max(1.0, row["alpha_i"])
            assert row["primal_step"] >= limit * (1 - 1e-9)
    # Price U exactly where a resource is used up, L where it is untouched.
    bounds, scale = policy.bounds, ins.cluster.worker_servers.mean(axis=0)
    free, price = policy.book.free.worker, policy.book.prices.worker
    for r in np.flatnonzero(bounds.U1 > 0):
        full = np.isclose(free[..., r], 0.0, atol=1e-9)
        assert price[full][:, r] == pytest.approx(bounds.U1[r] / scale[r])
        empty = free[..., r] == ins.cluster.worker_servers[:, r]
        assert price[empty][:, r] == pytest.approx(bounds.L1 / scale[r])


@pytest.mark.parametrize("seed", range(40))
def test_the_first_job_is_admitted_and_every_price_vector_bounds_the_run(seed: int) -> None:
    ins = random_instance(np.random.default_rng(seed), jobs=6, slots=4, max_work=6)
    policy, trace = run_oasis(ins)
    earned = score(ins, trace.schedule).objective
    arrivals = [row for row in trace.decisions if row["event"] == "arrival"]
    feasible = {j.id for j in ins.jobs if j.max_workers(ins.cluster) * (4 - j.arrival) >= j.work}
    runnable = [row for row in arrivals if row["job"] in feasible]
    if runnable:
        assert runnable[0]["admitted"]  # appendix A: at price L everything pays
    assert price_bound(ins, policy.final_prices).value >= earned


def test_golden_dual_of_algorithm_1_is_no_bound() -> None:
    # Capacity 3, demand 2 (all of one resource): only one job fits. Job a is worth 1 and takes
    # the server; job b is worth 100 but does not fit any more, so Alg. 1 sets mu_b = 0 while
    # the price is still below U. Its D stays far below OPT = 100: mu_i is not the payoff over
    # all schedules of (19), and 2 alpha is not proven.
    ins = instance(
        [
            job("a", worker=[2.0], ps=[2.0], utility=constant(1.0)),
            job("b", worker=[2.0], ps=[2.0], utility=constant(100.0)),
        ],
        slots=1,
        worker_servers=[[3.0]],
        ps_servers=[[3.0]],
    )
    u = np.array([2.0])
    policy, trace = run_oasis(ins, OASiS(PriceBounds(u, u, 0.1, 0.1, units="raw")))
    earned = score(ins, trace.schedule).objective
    assert earned == 1.0
    dual = policy.book.initial_dual + sum(row.get("dual_step", 0.0) for row in trace.decisions)
    # price L (U/L)^(2/3) = 0.1 * 20^(2/3) = 0.7368; D = mu_a + 2 * 3 * 0.7368
    # with mu_a = 1 - 2 * 2 * 0.1 = 0.6: D = 5.02
    assert dual == pytest.approx(0.6 + 6 * 0.1 * 20 ** (2 / 3))
    assert dual < 100.0 <= price_bound(ins, policy.final_prices).value
    guarantee = promise(policy, ins, trace, 100.0)
    assert guarantee is not None
    assert not guarantee.applies
    assert "dual feasibility (job 'b'" in guarantee.fails


def test_golden_small_workers_are_not_small_jobs() -> None:
    # A worker takes 1 % of the server, but N = 100 workers take all of it in one slot. The
    # first job is worth 1e-4, the second 1: OASiS admits the first and earns 1e-4. The ratio
    # is 1e4; 2 alpha is about 33, and does not apply: alpha_i counts the job, not the worker.
    resources = ["gpu", "cpu", "memory_gb", "bandwidth_gbps"]
    jobs = [
        job(name, chunks=100, work=100, worker=[1.0] * 4, ps=[1.0] * 4, utility=constant(worth))
        for name, worth in (("first", 1e-4), ("second", 1.0))
    ]
    ins = instance(
        jobs,
        slots=1,
        resources=resources,
        worker_servers=[[100.0] * 4],
        ps_servers=[[100.0] * 4],
    )
    policy, trace = run_oasis(ins)
    assert score(ins, trace.schedule).objective == pytest.approx(1e-4)
    # U = 1 / 0.01 = 100 per capacity; 1/eta = 1, L = 1/4 * 1e-4 / (100 * 4 * 0.01) = 6.25e-6.
    assert 2 * policy.bounds.alpha == pytest.approx(2 * math.log(100 / 6.25e-6))
    assert 2 * policy.bounds.alpha == pytest.approx(33.2, abs=0.05)
    guarantee = promise(policy, ins, trace, 1.0)
    assert guarantee is not None
    assert not guarantee.applies
    assert "small demands" in guarantee.fails


def test_the_guarantee_applies_to_small_jobs() -> None:
    # 40 jobs of one worker on a server of 1000: nothing is ever scarce.
    jobs = [job(f"j{i}", utility=constant(1.0 + i)) for i in range(40)]
    ins = instance(jobs, slots=2, worker_servers=[[1000.0]], ps_servers=[[1000.0]])
    policy, trace = run_oasis(ins)
    optimum = sum(1.0 + i for i in range(40))
    assert score(ins, trace.schedule).objective == pytest.approx(optimum)
    guarantee = promise(policy, ins, trace, optimum)
    assert guarantee is not None
    assert guarantee.applies
    assert guarantee.fails == ""
    # Demands are small but not infinitesimal: d = 1/1000, so alpha_i = (e^(alpha d) - 1) / d is
    # a little above alpha, and the ratio proven is 2 alpha_i.
    alpha = policy.bounds.alpha
    assert guarantee.ratio == pytest.approx(2 * 1000 * np.expm1(alpha / 1000))
    assert 2 * alpha < guarantee.ratio < 2.2 * alpha


def test_history_bounds_use_other_jobs() -> None:
    past = instance([job("p", work=2, utility=Sigmoid(priority=4.0, decay=1.0, target=2.0))])
    now = instance([job("a", utility=constant(9.0))])
    bounds = PriceBounds.from_history(now.cluster, past.jobs)
    assert bounds.U1[0] == pytest.approx(float(past.jobs[0].utility(1)))


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e9])
def test_dual_feasibility_is_judged_relative_to_the_utilities(factor: float) -> None:
    # The golden instance above, in any unit of utility: job b would gain something.
    jobs = [
        job("a", worker=[2.0], ps=[2.0], utility=constant(factor)),
        job("b", worker=[2.0], ps=[2.0], utility=constant(100.0 * factor)),
    ]
    ins = instance(jobs, slots=1, worker_servers=[[3.0]], ps_servers=[[3.0]])
    u = np.array([2.0]) * factor
    bounds = PriceBounds(u, u, 0.1 * factor, 0.1 * factor, units="raw")
    policy, trace = run_oasis(ins, OASiS(bounds))
    guarantee = promise(policy, ins, trace, 100.0 * factor)
    assert guarantee is not None
    assert "dual feasibility (job 'b'" in guarantee.fails

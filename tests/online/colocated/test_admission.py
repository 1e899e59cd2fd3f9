"""PD-ORS, and OASiS on split servers: bounds and prices by hand, and who is admitted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from models.colocated import ColocatedInstance, score
from models.errors import InputError
from models.sigmoid import Sigmoid
from models.slot_column import Column
from online.colocated.oasis import OASiS
from online.colocated.pd_ors import PDORS
from online.colocated.price_bounds import PriceBounds, halves
from online.colocated.prices import ExponentialPrices
from online.price_range import PriceRange
from tests.models.colocated.small import NOTHING, constant, instance, job, random_instance
from tests.online.colocated.scripted import fast, rows, simulate


def raw(upper: float, lower: float) -> PriceBounds:
    """The same U and L for one resource of all servers."""
    return PriceBounds((PriceRange(np.array([upper]), lower),), units="raw")


def admitted(ins: ColocatedInstance, policy: PDORS | OASiS) -> list[bool]:
    return simulate(ins, policy).schedule.admitted.tolist()


def two_jobs(**changes: Any) -> ColocatedInstance:
    """T = 4, C = 8; 4 samples of a are 6 worker-slots, 2 of b are 2."""
    jobs = [
        fast("a", samples=4, utility=constant(6.0)),
        job("b", samples=2, worker=[2.0], ps=[2.0], utility=constant(3.0)),
    ]
    return instance([*jobs, *changes.pop("more", [])], servers=[[4.0], [4.0]], **changes)


def test_bounds_by_hand() -> None:
    # U = max(6 / (1 + 1), 3 / (2 + 2)) = 3. Worker-slots times (alpha + beta): 6 * 2 and 2 * 4, so
    # 1/mu = 8 / (4 * 8) and L = 1/2 * 1/4 * min(6/12, 3/8).
    bounds = PriceBounds.from_instance(two_jobs(), units="raw")
    assert bounds.ranges[0].upper == pytest.approx([3.0])
    assert bounds.ranges[0].lower == pytest.approx(3 / 64)
    assert bounds.alpha == pytest.approx(math.log(64))


def test_the_duration_of_13_counts_as_a_delay() -> None:
    # 4 samples, two internal workers: 2 slots, so the delay is 1. In the last slot it is 3.
    falling = Sigmoid(priority=10.0, decay=1.0, target=1.0)
    ins = instance([fast("a", samples=4, utility=falling)], servers=[[4.0]])
    side = PriceBounds.from_instance(ins, units="raw").ranges[0]
    assert side.upper == pytest.approx([5.0 / 2])
    # 1/mu = 6 * 2 / (4 * 4)
    assert side.lower == pytest.approx(1 / 2 * 12 / 16 * 10 / (1 + math.exp(2)) / 12)


def test_bounds_of_split_servers_by_hand() -> None:
    # A server a side. U1 = max(6/1, 3/2); 1/eta1 = min(6 * 1, 2 * 2) / (4 * 4) = 1/4 and
    # L1 = 1/4 * 1/4 * min(6/6, 3/4). Parameter servers demand the same.
    ins = two_jobs()
    bounds = PriceBounds.from_instance(ins, sides=halves(ins.cluster), units="raw")
    for side in bounds.ranges:
        assert side.upper == pytest.approx([6.0])
        assert side.lower == pytest.approx(3 / 64)


def test_a_job_that_takes_nothing_of_a_side_does_not_count_there() -> None:
    # Its workers would make L of their servers 0.
    ins = two_jobs(more=[job("c", worker=[0.0])])
    sides = [
        PriceBounds.from_instance(one, sides=halves(one.cluster)).ranges[0]
        for one in (ins, two_jobs())
    ]
    assert sides[0].upper == sides[1].upper and sides[0].lower == sides[1].lower
    assert admitted(ins, OASiS.for_instance(ins))[2]


def test_jobs_that_can_earn_nothing_do_not_count() -> None:
    rich = constant(1e6)
    hopeless = [
        job("wide", worker=[5.0], utility=rich),
        job("alone", worker=[4.0], ps=[4.5], utility=rich),
        job("long", samples=5, utility=rich),
        fast("late", 3, samples=4, utility=rich),
    ]
    with_them, without = (
        PriceBounds.from_instance(two_jobs(more=more)).ranges[0] for more in (hopeless, [])
    )
    assert (with_them.upper, with_them.lower) == (without.upper, without.lower)


def test_bounds_that_are_refused_and_none() -> None:
    with pytest.raises(InputError, match=r"U\[0\] = 1 must exceed L = 1"):
        raw(1.0, 1.0)
    # Worth 1e-12 / (1 + e^700), next to nothing: there is no price.
    least = Sigmoid(priority=1e-12, decay=1e12, target=-1.0)
    bounds = PriceBounds.from_instance(instance([job("a", utility=least)]))
    assert bounds.ranges[0].upper.tolist() == [0.0]


def test_first_price_step_by_hand() -> None:
    # c = 4, L = 1, U = 16. A worker and a PS take 2 of 4: the price becomes 16^(1/2) = 4, and
    # alpha_i = (4 - 1) / (1/2) = 6. D rises by lambda = 10 - 2 and by (4 - 1) * 4.
    ins = instance([job("a")], servers=[[4.0]], slots=1)
    book = ExponentialPrices(ins.cluster, raw(16.0, 1.0))
    assert book.initial_dual == 4.0
    row = [[0, 0, 1]]
    record = book.take(ins.jobs[0], Column.build(ins.jobs[0], 10.0, row, row, cost=2.0))
    assert book.prices[0, 0, 0] == pytest.approx(4.0)
    assert book.free[0, 0, 0] == 2.0
    assert record["alpha_i"] == pytest.approx(6.0)
    assert (record["primal_step"], record["dual_step"]) == (10.0, pytest.approx(20.0))


def test_each_side_of_split_servers_has_its_own_prices() -> None:
    ins = instance([job("a")], servers=[[4.0], [8.0], [2.0]], slots=1)
    sides = halves(ins.cluster)
    assert [side.tolist() for side in sides] == [[0, 1], [2]]
    ranges = PriceRange(np.array([16.0]), 1.0), PriceRange(np.array([9.0]), 3.0)
    book = ExponentialPrices(ins.cluster, PriceBounds(ranges, units="raw"), sides)
    assert book.prices.ravel().tolist() == [1.0, 1.0, 3.0]
    rows_ = [[0, 1, 4]], [[0, 2, 2]]
    book.take(ins.jobs[0], Column.build(ins.jobs[0], 10.0, *rows_))
    assert book.prices.ravel() == pytest.approx([1.0, 4.0, 9.0])


def test_a_job_that_fits_is_rejected_when_prices_are_high() -> None:
    # One slot of 4 CPUs at L = 1. Job a takes 2 of them for 2; then each costs 8^(1/2) = 2.83, so
    # two cost 5.66: more than b is worth, and less than c is.
    jobs = [
        job(name, utility=constant(value)) for name, value in zip("abc", (5, 5, 6), strict=True)
    ]
    ins = instance(jobs, servers=[[4.0]], slots=1)
    assert admitted(ins, PDORS(raw(8.0, 1.0), placement="exact")) == [True, False, True]


def test_the_cheapest_slot_is_chosen_and_nothing_is_planned_anew() -> None:
    # A job fills a slot. a takes slot 0, b the other one; c comes too late.
    jobs = [job("a"), job("b"), job("c", 1)]
    ins = instance([*jobs], slots=2)
    trace = simulate(ins, PDORS(raw(0.4, 0.1), placement="greedy"))
    assert [row.get("payoff") for row in trace.decisions if row["job"]] == pytest.approx(
        [0.8, 0.8, 0.0]
    )
    assert (rows(trace, 0)[0], rows(trace, 1)[0], rows(trace, 2)[0]) == (
        [(0, 0, 1)],
        [(1, 0, 1)],
        [],
    )


def test_sharing_a_server_earns_what_split_servers_cannot() -> None:
    # Two internal workers train 2 samples in the only slot; external ones would need 2 slots.
    ins = instance([fast("a", samples=2)], servers=[[3.0], [3.0]], slots=1)
    assert admitted(ins, PDORS.for_instance(ins)) == [True]
    assert admitted(ins, OASiS.for_instance(ins)) == [False]


def test_oasis_keeps_workers_and_parameter_servers_apart() -> None:
    for seed in range(10):
        ins = random_instance(np.random.default_rng(seed), jobs=5, slots=5, servers=3)
        schedule = simulate(ins, OASiS.for_instance(ins)).schedule
        assert set(schedule.workers[:, 2].tolist()) <= {0, 1}
        assert set(schedule.ps[:, 2].tolist()) <= {2}


@pytest.mark.parametrize("policy", [PDORS, OASiS])
def test_steps_prices_and_admission_on_random_instances(policy: Any) -> None:
    earned = 0.0
    for seed in range(12):
        ins = random_instance(np.random.default_rng(seed), jobs=6, slots=4, servers=3)
        one = policy.for_instance(ins)
        trace = simulate(ins, one)
        promised = 0.0
        for row in trace.decisions:
            if row.get("admitted"):
                promised += row["primal_step"]
                limit = row["dual_step"] / max(1.0, row["alpha_i"])
                assert row["primal_step"] >= limit * (1 - 1e-9)
        objective = score(ins, trace.schedule).objective
        assert objective >= promised * (1 - 1e-12)  # a job may end earlier than its schedule says
        earned += objective
        # Prices only rise, and not where nothing is taken.
        price, free, full = one.final_prices, one.book.free, ins.cluster.servers
        start = type(one.book)(
            ins.cluster, one.bounds, *([halves(ins.cluster)] * (policy is OASiS))
        )
        assert (price >= start.prices * (1 - 1e-12)).all()
        assert (price[free == full] == start.prices[free == full]).all()
    assert earned > 0.0


def test_prices_reach_u_where_a_resource_is_used_up() -> None:
    ins = instance([job("a", utility=constant(9.0))], slots=1)
    policy = PDORS.for_instance(ins)
    simulate(ins, policy)
    # U = 9 / (1 + 1) in units of the mean server, which has 2 CPUs and is used up.
    assert policy.bounds.ranges[0].upper == pytest.approx([9.0])
    assert policy.final_prices.ravel() == pytest.approx([4.5])


@pytest.mark.parametrize("name", NOTHING)
@pytest.mark.parametrize("placement", ["rounding", "exact"])
def test_nothing_can_be_earned(name: str, placement: str) -> None:
    ins = NOTHING[name]
    for policy in (PDORS.for_instance(ins, placement=placement), OASiS.for_instance(ins)):
        assert score(ins, simulate(ins, policy).schedule).objective == 0.0


def test_ways_to_place_earn_about_the_same_and_repeat_themselves() -> None:
    total = dict.fromkeys(("rounding", "greedy", "exact"), 0.0)
    for seed in range(4):
        ins = random_instance(np.random.default_rng(seed), jobs=6, slots=4, servers=3)
        for placement in total:
            policy = PDORS.for_instance(ins, placement=placement)
            first, again = (simulate(ins, policy, seed=7) for _ in range(2))
            assert first.decisions == again.decisions
            assert first.schedule.workers.tobytes() == again.schedule.workers.tobytes()
            total[placement] += score(ins, first.schedule).objective
    assert min(total.values()) > 0.8 * max(total.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"placement": "best"}, "placement 'best' is not rounding, greedy or exact"),
        ({"gain": 0.0}, "gain 0.0 is not a positive number, packing or covering"),
        ({"gain": "both"}, "gain 'both' is not"),
        ({"delta": 0.0}, r"delta 0.0 is not in \(0, 1\]"),
        ({"tries": 0}, "tries 0 is less than 1"),
        ({"units": 0.5}, "units 0.5 is not a number from 1 to 1000000"),
        ({"units": 1e25}, r"units 1e\+25 is not a number"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"pd-ors: {message}"):
        PDORS(raw(2.0, 1.0), **options)

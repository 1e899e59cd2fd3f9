"""The exact solver of `utility` against brute force, and the chain of bounds."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from benchmarks.utility import WORKLOAD
from models.errors import InputError
from models.scoring import Score, Violation
from models.utility import UtilityInstance, UtilitySchedule, score
from models.utility.column import Resources
from models.utility.files import Sigmoid
from models.utility.formulations import (
    ServerCut,
    compact,
    job_limits,
    resource_prices,
    schedule_dual,
    schedule_from_columns,
    schedule_ilp,
)
from solvers.highs import HighsOptions
from solvers.pyomo_bridge import solve_model
from solvers.utility import exact
from solvers.utility.cuts import find_cuts
from solvers.utility.exact import relaxation, solve
from solvers.utility.price_bound import price_bound
from tests.brute_force import columns, optimum
from tests.small import instance, job, random_instance

EXACT = HighsOptions(mip_rel_gap=0.0)
SEEDS = range(40)
SMALL = {"abs": 1e-6, "rel": 1e-7}  # the solver's tolerances


@cache
def contended(seed: int) -> UtilityInstance:
    """Three jobs, most of which can run alone, on servers too small for all of them."""
    rng = np.random.default_rng(seed)
    slots = int(rng.integers(2, 4))
    records = []
    for i in range(3):
        b, chunks = float(rng.choice([0.5, 1.0])), int(rng.integers(1, 4))
        records.append(
            job(
                f"j{i}",
                arrival=int(rng.random() < 0.25),
                chunks=chunks,
                work=int(rng.integers(1, 1 + min(4, chunks * slots))),
                worker=[float(rng.integers(1, 3)), b],
                ps=[float(rng.integers(0, 2)), float(b * rng.choice([1.0, 1.5, 2.5]))],
                utility=Sigmoid(
                    priority=float(rng.integers(1, 20)),
                    decay=float(rng.choice([0.0, 0.3, 1.0, 5.0])),
                    target=float(rng.integers(0, slots)),
                ),
            )
        )
    return instance(
        records,
        slots=slots,
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=rng.integers(2, 4, (2, 2)).astype(float).tolist(),
        ps_servers=rng.integers(1, 4, (int(rng.integers(1, 3)), 2)).astype(float).tolist(),
    )


@cache
def best(seed: int) -> float:
    return optimum(contended(seed))


def test_the_instances_are_worth_solving() -> None:
    # Otherwise agreement with brute force would say little.
    in_conflict = [
        price_bound(contended(seed), zero(contended(seed))).value > best(seed) + 1e-3
        for seed in SEEDS
    ]
    fractional = [relaxation(contended(seed)).bound > best(seed) + 1e-3 for seed in SEEDS]
    assert sum(in_conflict) >= 15
    assert sum(fractional) >= 15


def zero(ins: UtilityInstance) -> Resources:
    return resource_prices(ins, {}, {})


@pytest.mark.parametrize("seed", SEEDS)
def test_equals_brute_force(seed: int) -> None:
    ins = contended(seed)
    result = solve(ins, mip_rel_gap=0.0)
    assert result.status == "optimal"
    assert result.objective == pytest.approx(best(seed), **SMALL)
    assert result.schedule is not None
    judged = score(ins, result.schedule)
    assert judged.feasible
    assert judged.objective == result.objective
    plain = solve_model(compact(ins, strengthen=False), EXACT).result
    assert plain.objective == pytest.approx(best(seed), **SMALL)
    # The other random instances of the tests, most of whose jobs cannot run.
    other = random_instance(np.random.default_rng(seed), jobs=2, max_work=4)
    assert solve(other, mip_rel_gap=0.0).objective == pytest.approx(optimum(other), **SMALL)


@pytest.mark.parametrize("seed", SEEDS)
def test_chain_of_bounds(seed: int) -> None:
    # optimum = ILP (14) <= LP of (14) = dual (19) <= compact LP, strengthened <= plain, and
    # the bound of any prices.
    ins, found = contended(seed), columns(contended(seed))
    ilp = solve_model(schedule_ilp(ins, found), EXACT)
    assert ilp.result.objective == pytest.approx(best(seed), **SMALL)
    if found:
        chosen = [found[k] for k, x in ilp.values(ilp.model.x).items() if x > 0.5]
        judged = score(ins, schedule_from_columns(ins, chosen))
        assert judged.feasible
        assert judged.objective == pytest.approx(best(seed), **SMALL)
    lp = solve_model(schedule_ilp(ins, found, relaxed=True))
    dual = solve_model(schedule_dual(ins, found))
    value = lp.result.objective
    assert value >= best(seed) - 1e-6
    assert dual.result.objective == pytest.approx(value, **SMALL)
    # Every column is a point of the strengthened compact LP of the same value, and their
    # mixtures obey the same capacities: so this link always holds.
    strong = relaxation(ins)
    weak = solve_model(compact(ins, relaxed=True, strengthen=False)).result.objective
    assert value <= strong.bound + 1e-6
    assert strong.bound <= weak + 1e-6
    # The prices of the LP of (14) prove its value; others prove more.
    of_primal = resource_prices(
        ins, lp.duals(lp.model.constraint_15), lp.duals(lp.model.constraint_16)
    )
    of_dual = resource_prices(ins, dual.values(dual.model.p), dual.values(dual.model.q))
    assert price_bound(ins, of_primal).value == pytest.approx(value, **SMALL)
    assert price_bound(ins, of_dual).value == pytest.approx(value, **SMALL)
    for prices in (strong.duals, zero(ins)):
        assert price_bound(ins, prices).value >= value - 1e-6


def heaviest(cut: ServerCut, ins: UtilityInstance, server: int) -> float:
    """Weight of the heaviest packing of a server without idle workers, all of them tried."""
    worker = cut.kind == "worker"
    capacity = (ins.cluster.worker_servers if worker else ins.cluster.ps_servers)[server]
    demand = np.array([j.worker if worker else j.ps for j in ins.jobs])
    most = np.zeros(len(ins.jobs), dtype=int)
    for limits in job_limits(ins):
        most[limits.job.index] = (limits.workers if worker else limits.ps)[server]
    return max(
        sum(cut.weight.get(i, 0.0) * n for i, n in enumerate(counts))
        for counts in product(*(range(n + 1) for n in most.tolist()))
        if (np.array(counts) @ demand <= capacity + 1e-9).all()
    )


def test_cuts_hold_for_every_packing() -> None:
    of_one, of_all = 0, 0
    for seed in SEEDS:
        ins = contended(seed)
        cuts = find_cuts(ins)
        for cut in cuts:
            if cut.server is not None:
                assert heaviest(cut, ins, cut.server) == pytest.approx(1.0)  # valid and tight
                of_one += 1
            else:
                worker = cut.kind == "worker"
                side = ins.cluster.worker_servers if worker else ins.cluster.ps_servers
                assert sum(heaviest(cut, ins, s) for s in range(len(side))) <= 1 + 1e-9
                of_all += 1
        before = solve_model(compact(ins, relaxed=True)).result.objective
        after = solve_model(compact(ins, relaxed=True, cuts=cuts)).result.objective
        assert best(seed) - 1e-6 <= after <= before + 1e-6
    assert of_one > 10
    assert of_all > 10


def medium() -> UtilityInstance:
    return WORKLOAD.draw(jobs=6, slots=6, servers="3+3", seed=1)[0]


def test_a_start_is_never_lost() -> None:
    ins = medium()
    optimal = solve(ins)
    assert optimal.status == "optimal"
    again = solve(ins, start=optimal.schedule, node_limit=1)
    assert again.objective >= optimal.objective
    assert again.bound >= optimal.objective
    assert again.status in ("optimal", "feasible")


def test_the_same_call_gives_the_same_schedule() -> None:
    ins = medium()
    first, second = solve(ins).schedule, solve(ins).schedule
    assert first.workers.tolist() == second.workers.tolist()
    assert first.ps.tolist() == second.ps.tolist()


def test_time_limit_leaves_what_is_known() -> None:
    ins = WORKLOAD.draw(jobs=20, slots=20, servers="10+10", seed=0)[0]
    result = solve(ins, time_limit=3.0)
    # "interrupted": a slow machine may have no bound yet after 3 seconds.
    assert result.status in ("feasible", "bounded", "interrupted")
    assert (result.bound is None) == (result.status == "interrupted")
    assert result.seconds < 10
    if result.schedule is not None:
        assert score(ins, result.schedule).objective == result.objective <= result.bound


def test_bad_arguments_are_refused() -> None:
    ins = medium()
    with pytest.raises(InputError, match="made for another instance"):
        solve(
            ins, start=UtilitySchedule.build(contended(0), [False] * len(contended(0).jobs), [], [])
        )
    with pytest.raises(InputError, match="time_limit"):
        solve(ins, time_limit=0.0)


def test_a_schedule_that_the_scorer_refuses_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def strict(ins: UtilityInstance, schedule: UtilitySchedule) -> Score:
        judged = score(ins, schedule)
        return Score(judged.objective, (Violation("(2)", "idle"),), judged.completion, judged.value)

    monkeypatch.setattr(exact, "score", strict)
    with pytest.raises(exact.WrongSolution, match=r"small: \(2\) idle"):
        solve(contended(0))


def test_a_schedule_just_above_the_scorers_tolerance_gives_way_to_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A stand-in for HiGHS's tolerance on top of the scorer's: a capacity that is broken by
    # less than the tolerant capacity. Only the start, which runs nothing, is accepted.
    def strict(ins: UtilityInstance, schedule: UtilitySchedule) -> Score:
        judged = score(ins, schedule)
        full = (Violation("(4)", "full"),) if len(schedule.workers) else ()
        return Score(judged.objective, full, judged.completion, judged.value)

    ins = contended(0)
    nothing = UtilitySchedule.build(ins, [False] * len(ins.jobs), [], [])
    monkeypatch.setattr(exact, "score", strict)
    without = solve(ins)
    assert (without.status, without.schedule, without.objective) == ("bounded", None, None)
    assert without.bound == pytest.approx(best(0))
    result = solve(ins, start=nothing)
    assert (result.status, result.schedule, result.objective) == ("feasible", nothing, 0.0)
    assert "exceeds a capacity" in result.message


def test_a_capacity_broken_by_far_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two workers where one fits.
    ins = instance([job("a", work=1), job("b", work=1)], slots=1)
    both = UtilitySchedule.build(
        ins, [True, True], [[0, 0, 0, 1], [1, 0, 0, 1]], [[0, 0, 0, 1], [1, 0, 0, 1]]
    )
    monkeypatch.setattr(exact, "schedule_from_values", lambda *_: both)
    with pytest.raises(exact.WrongSolution, match=r"small: \(4\) worker server 0 uses 2 of 1"):
        solve(ins)


def test_a_start_that_the_model_refuses_is_a_fault_of_the_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise InputError("start: row is violated")

    ins = contended(0)
    monkeypatch.setattr(exact, "solve_model", refuse)
    monkeypatch.setattr(exact, "find_cuts", lambda *_, **__: [])
    with pytest.raises(exact.WrongSolution, match="start: row is violated"):
        solve(ins, start=UtilitySchedule.build(ins, [False] * len(ins.jobs), [], []))

"""The exact solver of `utility` against brute force, and the chain of bounds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import pytest

from benchmarks.utility import WORKLOAD
from models.errors import InputError
from models.sigmoid import Sigmoid
from models.utility import UtilityInstance, UtilitySchedule, score
from models.utility.formulations import (
    compact,
    job_limits,
    resource_prices,
    schedule_dual,
    schedule_ilp,
)
from models.utility.resources import Resources
from solvers.errors import WrongSolution
from solvers.highs import HighsOptions
from solvers.highs.engine import HighsError
from solvers.highs.growing import GrowingProgram
from solvers.pyomo_bridge import solve_model
from solvers.utility import exact
from solvers.utility.compact_ilp import relaxation
from solvers.utility.exact import solve
from solvers.utility.price_bound import price_bound
from solvers.utility.separation import PackingCut, PackingSeparator
from solvers.utility.totals_program import SIDES, TotalsProgram
from tests.models.utility.small import instance, job, random_instance
from tests.seeds import seeds
from tests.solvers.utility.brute_force import columns, optimum

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


@pytest.mark.slow
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


@pytest.mark.parametrize("seed", seeds(60, quick=20))
def test_equals_brute_force_and_the_compact_optimum(seed: int) -> None:
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


@pytest.mark.parametrize("seed", seeds(40, quick=15))
def test_chain_of_bounds(seed: int) -> None:
    # optimum = ILP (14) <= LP of (14) = dual (19) <= compact LP, strengthened <= plain, and
    # the bound of any prices.
    ins, found = contended(seed), columns(contended(seed))
    ilp = solve_model(schedule_ilp(ins, found), EXACT)
    assert ilp.result.objective == pytest.approx(best(seed), **SMALL)
    if found:
        chosen = [found[k] for k, x in ilp.values(ilp.model.x).items() if x > 0.5]
        judged = score(ins, UtilitySchedule.of_columns(ins, chosen))
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


def loads(ins: UtilityInstance, side: int) -> Iterator[tuple[int, ...]]:
    """All numbers of workers (parameter servers) per job that the servers of a side can hold.

    As many as a schedule without idle ones can need.
    """
    servers = ins.cluster.ps_servers if side else ins.cluster.worker_servers
    demand = np.array([j.ps if side else j.worker for j in ins.jobs])
    limits = {lim.job.index: lim for lim in job_limits(ins)}
    most = [
        0 if i not in limits else limits[i].most_ps if side else limits[i].most
        for i in range(len(ins.jobs))
    ]
    one = [
        {
            counts
            for counts in product(*(range(n + 1) for n in most))
            if (np.array(counts) @ demand <= capacity + 1e-9).all()
        }
        for capacity in servers
    ]
    total = {tuple(map(sum, zip(*parts, strict=True))) for parts in product(*one)}
    yield from (load for load in total if (np.array(load) <= most).all())


def test_cuts_hold_for_every_load_that_can_be_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    cuts: list[tuple[int, PackingCut]] = []
    add = TotalsProgram.add_cut

    def record(self: TotalsProgram, side: int, cut: PackingCut) -> None:
        cuts.append((side, cut))
        add(self, side, cut)

    monkeypatch.setattr(TotalsProgram, "add_cut", record)
    found = 0
    for seed in SEEDS:
        cuts.clear()
        ins = contended(seed)
        solve(ins)
        held = [np.array(list(loads(ins, side))) for side in SIDES]
        for side, cut in cuts:
            assert (held[side] @ cut.weight).max() <= cut.capacity * (1 + 1e-9)
        found += len(cuts)
    assert found > 20


def test_a_slot_is_written_out_where_no_cut_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without cuts the search must still end with the optimum, by (4) and (5) alone.
    monkeypatch.setattr(PackingSeparator, "cut", lambda *_: None)
    written = []
    write_out = TotalsProgram.write_out
    monkeypatch.setattr(
        TotalsProgram,
        "write_out",
        lambda self, side, slot: (written.append((side, slot)), write_out(self, side, slot)),
    )
    for seed in SEEDS:
        assert solve(contended(seed), mip_rel_gap=0.0).objective == pytest.approx(
            best(seed), **SMALL
        )
    assert len(written) > 5


def medium() -> UtilityInstance:
    return WORKLOAD.draw(jobs=6, slots=6, servers=(3, 3), seed=1)[0]


def test_a_start_is_never_lost() -> None:
    ins = medium()
    optimal = solve(ins)
    assert optimal.status == "optimal"
    again = solve(ins, start=optimal.schedule, time_limit=0.01)
    assert again.objective == optimal.objective
    assert again.status in ("optimal", "feasible")


def test_the_same_call_gives_the_same_schedule() -> None:
    ins = medium()
    first, second = solve(ins).schedule, solve(ins).schedule
    assert first.workers.tolist() == second.workers.tolist()
    assert first.ps.tolist() == second.ps.tolist()


def test_time_limit_leaves_what_is_known() -> None:
    ins = WORKLOAD.draw(jobs=20, slots=20, servers=(10, 10), seed=0)[0]
    result = solve(ins, time_limit=1.0)
    assert result.status == "feasible"
    assert result.bound is None or result.bound >= result.objective
    assert result.message == "time limit"
    assert result.seconds < 6
    assert score(ins, result.schedule).objective == result.objective


def test_bad_arguments_are_refused() -> None:
    ins = medium()
    with pytest.raises(InputError, match="made for another instance"):
        solve(
            ins, start=UtilitySchedule.build(contended(0), [False] * len(contended(0).jobs), [], [])
        )
    with pytest.raises(InputError, match="time_limit"):
        solve(ins, time_limit=0.0)


def test_a_start_that_the_program_refuses_is_a_fault_of_the_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(program: object, *_: object, **options: object) -> object:
        if options.get("start") is not None:
            raise InputError("start: row is violated")
        return run(program, *_, **options)

    run = exact.run_highs
    monkeypatch.setattr(exact, "run_highs", refuse)
    with pytest.raises(WrongSolution, match="start: row is violated"):
        solve(medium())


def test_a_gap_of_nothing_is_a_proof_up_to_round_off() -> None:
    # The bound of HiGHS and the scorer's sum may differ in the last digits.
    for seed in range(30):
        ins = random_instance(np.random.default_rng([seed, 7]), jobs=4, slots=4)
        assert solve(ins, mip_rel_gap=0.0).status == "optimal"


def test_without_a_start_there_is_a_schedule_at_once() -> None:
    ins = WORKLOAD.draw(jobs=30, slots=30, servers=(10, 10), seed=0)[0]
    result = solve(ins, time_limit=0.01)
    assert result.status == "feasible"
    assert result.objective > 0
    assert result.seconds < 5


def test_numbers_that_are_too_much_for_the_separation_cost_cuts_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise HighsError("Unknown")

    expected = solve(medium()).objective
    monkeypatch.setattr(GrowingProgram, "solve", fail)
    assert solve(medium()).objective == pytest.approx(expected, rel=1e-4)


def test_nothing_is_written_out_once_it_is_too_late_to_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Without cuts every slot would be; but then nothing has shown that the servers cannot hold it.
    monkeypatch.setattr(PackingSeparator, "cut", lambda *_: None)
    ins, stop = contended(5), threading.Event()
    x = np.ones_like(TotalsProgram(ins).program().cost)
    written: list[object] = []
    monkeypatch.setattr(TotalsProgram, "write_out", lambda *given: written.append(given))
    search = exact._Search(ins, HighsOptions(), None, stop)
    assert search._take_in(x) == len(written) > 0
    stop.set()
    offered: list[object] = []
    monkeypatch.setattr(search._known, "offer", offered.append)
    assert search._take_in(x) == 0
    assert len(offered) == 1  # what HiGHS found by its time limit is not lost

"""Deadlines first: the coarse program bounds the optimum, and rounds end with a schedule."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.utility import WORKLOAD
from models.errors import InputError
from models.sigmoid import Sigmoid
from models.utility import UtilityInstance, UtilitySchedule, score
from models.utility.formulations import job_limits
from solvers.errors import WrongSolution
from solvers.highs import HighsOptions
from solvers.highs import solve as run_highs
from solvers.utility import offline, steps
from solvers.utility.deadlines import DeadlineOptions, PooledRelaxation, deadline_search
from solvers.utility.deadlines.cut_pool import CutPool
from solvers.utility.exact import solve
from solvers.utility.occupancy import Occupancy
from solvers.utility.pool_bound import PoolPrices
from solvers.utility.search_state import SearchState
from solvers.utility.separation import PackingCut
from solvers.utility.totals_program import TotalsProgram
from tests.models.utility.small import instance, job
from tests.solvers.utility.test_exact import SEEDS, best, contended


def empty(ins: UtilityInstance) -> UtilitySchedule:
    return UtilitySchedule.build(ins, np.zeros(len(ins.jobs), dtype=bool), [], [])


def told_nothing(ins: UtilityInstance, bound: float) -> PooledRelaxation:
    """What a column generation tells that has found a bound alone."""
    none = np.zeros((ins.cluster.slots, len(ins.jobs)))
    free = np.zeros((ins.cluster.slots, ins.demand[0].shape[1]))
    return PooledRelaxation(bound, (), (none, none), none, PoolPrices(free, free))


def searched(
    ins: UtilityInstance,
    bound: float,
    seconds: float,
    *,
    threads: int = 1,
    options: DeadlineOptions | None = None,
) -> SearchState:
    return deadline_search(
        ins,
        told_nothing(ins, bound),
        empty(ins),
        deadline=time.monotonic() + seconds,
        threads=threads,
        options=options,
    )


@pytest.mark.usefixtures("highs_here")
def test_bound_and_schedule_of_tiny_instances() -> None:
    check_bound_and_schedule(SEEDS[:12], threads=1)


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.slow), 2])
@pytest.mark.parametrize("seeds", [SEEDS[:1], pytest.param(SEEDS[1:5], marks=pytest.mark.slow)])
def test_bound_and_schedule_with_every_program_in_a_process(
    seeds: Sequence[int], threads: int
) -> None:
    check_bound_and_schedule(seeds, threads=threads)


def check_bound_and_schedule(seeds: Sequence[int], *, threads: int) -> None:
    met = 0
    for seed in seeds:
        ins = contended(seed)
        known = searched(ins, 1000.0, 30.0, threads=threads)
        judged = score(ins, known.schedule)
        assert judged.feasible
        assert judged.objective == known.objective
        assert known.bound is not None
        assert known.objective <= best(seed) * (1 + 1e-9)
        assert known.bound >= best(seed) * (1 - 1e-6)
        met += known.objective >= best(seed) * (1 - 1e-6)
    assert met >= 0.9 * len(seeds)


@pytest.mark.parametrize("coarse", [0.0, 0.5, 3.0])
def test_a_coarse_program_is_an_upper_bound(coarse: float) -> None:
    fewer = 0
    for seed in SEEDS:
        ins = contended(seed)
        fine, program = TotalsProgram(ins), TotalsProgram(ins, coarse=coarse)
        result = run_highs(program.program(whole=False), HighsOptions(mip_rel_gap=0.0))
        assert result.bound is not None
        assert result.bound + program.left_out >= best(seed) * (1 - 1e-6)
        fewer += program.program().integer.size < fine.program().integer.size
    assert (fewer > 0) == (coarse > 0)


def one_job(decay: float = 1.0, priority: float = 20.0) -> UtilityInstance:
    """One job of 4 worker-slots, two workers at a time, one worker server for two."""
    utility = Sigmoid(priority=priority, decay=decay, target=1.0)
    return instance(
        [job("j", chunks=2, work=4, worker=[1.0, 1.0], ps=[1.0, 4.0], utility=utility)],
        slots=5,
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[2.0, 2.0]],
        ps_servers=[[1.0, 4.0]],
    )


def test_deadlines_worth_nearly_the_same_are_one() -> None:
    # 20 / (1 + exp(t - 1)) for t = 1..4, the earliest end being slot 1: 10, 5.3788, 2.3841,
    # 0.9485. Apart by less than 5: the first two; the third is 7.6 from the first, and 1.4 from
    # the fourth. Within 1 the fourth is left out: it counts for all jobs, and the others for what
    # they are worth beyond it.
    ins = one_job()
    for coarse, values, left_out in (
        (0.0, (10.0, 5.3788, 2.3841, 0.9485), 0.0),
        (0.94, (10.0, 5.3788, 2.3841, 0.9485), 0.0),
        (1.0, (9.0515, 4.4303, 1.4356), 0.9485),
        (4.7, (7.6159,), 2.3841),
    ):
        program = TotalsProgram(ins, coarse=coarse)
        only_d = program.program(whole=False)
        steps = only_d.cost[only_d.integer]
        assert np.cumsum(steps[::-1])[::-1] == pytest.approx(values, abs=1e-4)
        assert program.left_out == pytest.approx(left_out, abs=1e-4)


def test_what_is_left_out_does_not_count_twice() -> None:
    # The job completes in slot 1, and is worth 10. Its last deadline, worth 0.9485, is no more.
    program = TotalsProgram(one_job(), coarse=1.0)
    bound = run_highs(program.program()).bound
    assert bound is not None and bound + program.left_out == pytest.approx(10.0, rel=1e-6)


def test_deadlines_of_equal_worth_are_one_even_when_nothing_is_coarse() -> None:
    # With decay 0 the job is worth 10 whenever it ends: one deadline, the last slot.
    program = TotalsProgram(one_job(decay=0.0)).program(whole=False)
    assert int(program.integer.sum()) == 1
    assert solve(one_job(decay=0.0)).objective == pytest.approx(10.0)


def test_forbidden_deadlines_are_those_later_and_fewer_too() -> None:
    # The job at slot 2 is worth 5.3788: forbidden, only slot 1 is left, worth 10; that forbidden,
    # nothing is, not even to leave it out.
    program = TotalsProgram(one_job())
    x = program.point(solve(one_job()).schedule)
    only_d = program.program(whole=False)
    columns = np.flatnonzero(only_d.integer)
    assert x[columns].tolist() == [1.0, 1.0, 1.0, 1.0]
    later = x.copy()
    later[columns[0]] = 0.0
    assert program.forbid(program.ends(later))
    assert run_highs(program.program()).objective == pytest.approx(10.0)
    kept = run_highs(program.program(ends=program.ends(later)))
    assert kept.status == "infeasible"
    assert not program.forbid(program.ends(x))


@pytest.mark.parametrize("coarse", [0.0, 1.0])
@pytest.mark.parametrize("whole", [False, True])
def test_forbidden_and_kept_deadlines_are_all_there_are(coarse: float, whole: bool) -> None:
    # Whatever is forbidden, one after the other: the optimum is the best of what is left, and of
    # what was to be had with the forbidden deadlines just before.
    def most(program: TotalsProgram, ends: dict[int, int] | None = None) -> float:
        asked = program.program(whole=whole, ends=ends)
        result = run_highs(asked, HighsOptions(mip_rel_gap=0.0))
        return -math.inf if result.bound is None else result.bound

    better, worse = 0, 0
    for seed in SEEDS[:10]:
        rng = np.random.default_rng(seed)
        program = TotalsProgram(contended(seed), coarse=coarse)
        optimum, kept = most(program), -math.inf
        for _ in range(3):
            x = np.zeros(program.program().cost.size)
            for own in program.done.values():
                x[own[rng.integers(0, len(own) + 1) :]] = 1.0
            kept = max(kept, most(program, program.ends(x)))
            left = most(program) if program.forbid(program.ends(x)) else -math.inf
            assert max(kept, left) == pytest.approx(optimum, rel=1e-6, abs=1e-6)
            better, worse = better + (kept > left), worse + (kept < left)
    assert better > 3
    assert worse > 3


def test_known_cuts_become_rows_where_loads_are_near() -> None:
    program = TotalsProgram(one_job())
    rows = program.program().matrix.shape[0]
    cut = PackingCut(np.array([1.0]), 1.5)  # at most one worker
    pool = CutPool(program)
    pool.add(0, cut)
    pool.add(0, cut)
    loads = [np.array([[0.0], [1.0], [1.5], [2.0], [0.5]]), np.zeros((5, 1))]
    assert pool.add_near(loads, 0.95) == 2  # slots 2 and 3
    assert program.program().matrix.shape[0] == rows + 2
    assert pool.add_near(loads, 0.95) == 0
    assert pool.add_near(loads, 0.6) == 1  # slot 1
    pool.add(0, PackingCut(np.array([1.0]), 100.0))  # more than the job may have: never a row
    assert pool.add_near(loads, 0.0) == 2  # slots 0 and 4, of the first cut


def test_a_job_that_lacks_work_takes_what_is_free() -> None:
    # Three of four worker-slots done in slots 0 and 2. Slot 0 is full, so the fourth goes to
    # slot 1, and the job still completes in slot 2.
    ins = one_job()
    found = Occupancy(ins)
    table = np.array([[0, 0, 2], [2, 0, 1]])
    partial = replace(
        column_of(ins), completion=2, workers=table, ps=np.array([[0, 0, 1], [2, 0, 1]])
    )
    found.add(partial)
    found.top_up(0)
    assert found.columns[0].workers.tolist() == [[0, 0, 2], [1, 0, 1], [2, 0, 1]]
    assert found.columns[0].ps.tolist() == [[0, 0, 1], [1, 0, 1], [2, 0, 1]]
    assert found.columns[0].value == pytest.approx(5.3788, abs=1e-4)
    assert score(ins, found.schedule()).feasible


def test_a_job_that_lacks_work_and_room_is_taken_out() -> None:
    ins = one_job()
    found = Occupancy(ins)
    found.add(replace(column_of(ins), workers=np.array([[4, 0, 1]]), ps=np.array([[4, 0, 1]])))
    found.free.worker[:4] = 0.0
    found.top_up(0)
    assert not found.columns
    assert found.free.worker[4] == pytest.approx(ins.cluster.worker_servers)


def column_of(ins: UtilityInstance):  # type: ignore[no-untyped-def]
    optimal = Occupancy.of_schedule(ins, solve(ins).schedule)
    return optimal.columns[0]


def test_out_of_time_it_returns_what_it_was_given() -> None:
    ins = WORKLOAD.draw(jobs=8, slots=8, servers=(3, 3), seed=3)[0]
    for threads in (1, 2):
        known = searched(ins, 1e4, -1.0, threads=threads)
        assert (known.objective, known.bound) == (0.0, 1e4)


def test_knowledge_refuses_what_contradicts_itself() -> None:
    ins = one_job()
    limits = {limit.job.index: limit for limit in job_limits(ins)}
    known = SearchState(ins, limits, time.monotonic() + 10, HighsOptions())
    assert known.offer(solve(ins).schedule) == pytest.approx(10.0)
    assert known.offer(empty(ins)) == 0.0
    assert known.objective == pytest.approx(10.0)  # the better one is kept
    known.tighten_bound(known.objective * (1 - 5e-7))  # within HiGHS's tolerance
    known.reconcile()
    assert known.bound == known.objective
    known.tighten_bound(known.objective / 2)
    with pytest.raises(WrongSolution, match=f"{ins.name}: worth"):
        known.reconcile()
    two = UtilitySchedule.build(ins, np.ones(1, dtype=bool), [[0, 0, 0, 4]], [[0, 0, 0, 1]])
    with pytest.raises(WrongSolution, match=r"\(4\)|\(3\)"):
        known.offer(two)


def drawn(seed: int) -> UtilityInstance:
    return WORKLOAD.draw(jobs=6, slots=6, servers=(3, 3), seed=seed)[0]


@cache
def most_of(seed: int) -> float:
    return solve(drawn(seed), mip_rel_gap=0.0).objective


@pytest.mark.usefixtures("short_local_search")
@pytest.mark.parametrize(
    ("seed", "threads"),
    [
        *((seed, 1) for seed in (1, 2, 11)),
        (1, 2),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in ((4, 1), (2, 2), (4, 2), (11, 2))
        ),
    ],
)
def test_proves_the_optimum_without_the_exact_solver(
    seed: int, threads: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if threads == 1:  # with two, bound and schedules are looked for in processes side by side
        request.getfixturevalue("highs_here")
    ins = drawn(seed)
    optimum = most_of(seed)

    def unused(*_: object, **__: object) -> None:
        raise AssertionError("the exact solver was asked")

    monkeypatch.setattr(offline, "_SMALL", -1)
    monkeypatch.setattr(steps, "solve_exactly", unused)
    found = offline.solve(ins, time_limit=60.0, threads=threads)
    assert found.status == "optimal"
    assert found.bound is not None
    assert optimum * (1 - 1e-4) <= found.objective <= optimum * (1 + 1e-6)
    assert found.bound >= optimum * (1 - 1e-6)


@pytest.mark.usefixtures("short_local_search")
def test_the_same_limit_on_work_gives_the_same_to_the_bit() -> None:
    # Too little to prove the optimum; the second run may not be stopped by its clock, either.
    ins = drawn(4)
    runs = [
        offline.solve(ins, time_limit=limit, threads=threads, work_limit=0.2)
        for limit, threads in ((None, 1), (600.0, 2))
    ]
    bounds = [found.bound for found in runs]
    assert bounds[0] == bounds[1]
    assert most_of(4) * (1 - 1e-6) <= bounds[0]
    assert runs[0].objective == runs[1].objective
    assert np.array_equal(runs[0].schedule.workers, runs[1].schedule.workers)
    assert np.array_equal(runs[0].schedule.ps, runs[1].schedule.ps)
    assert not any(found.timed for found in runs)
    assert [found.bound_source for found in runs] == ["milp", "milp"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("work_limit", [0.0, -1.0, math.nan, math.inf]),
        ("intervals", [0.0, 1.01, math.nan]),
        ("rooms", [(0.0, 1.0), (1.0, 1.01), (1.0,), ()]),
        ("rounding", [-0.01, 0.97, math.nan]),
        ("choosing", [0.0, -0.1, math.nan]),
        ("slot_tries", [0, -1]),
        ("slowest", [(0.0, 1.0), (2.0, -1.0), (math.nan, 1.0)]),
    ],
)
def test_options_that_are_none_are_refused(name: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(InputError, match=name):
            DeadlineOptions(**{name: value})


@pytest.mark.parametrize("exact_first", [False, True])
def test_a_bound_below_the_optimum_by_round_off_is_lifted(
    exact_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The optimum is 10. One step proves 10 (1 - 5e-7), within HiGHS's tolerance, and finds
    # nothing; the next one finds 10. The second of them is told of the bound of the first.
    ins = one_job()
    low = 10.0 * (1 - 5e-7)
    told = []

    def finds_nothing(*_: object, **__: object) -> SimpleNamespace:
        known = {"objective": 0.0, "schedule": empty(ins), "bound": low, "timed": False}
        said = {"solver": "", "message": "", "failure": "", "bound_source": "milp"}
        return SimpleNamespace(**known, **said, is_optimal=False, options={})

    def search(
        _: object, relaxation: PooledRelaxation, *given: object, **options: object
    ) -> SearchState:
        told.append(relaxation.bound)
        return deadline_search(ins, relaxation, *given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(offline, "_SMALL", 1000 if exact_first else -1)
    monkeypatch.setattr(
        steps, "local_search", lambda *_, start, **__: empty(ins) if start is None else start
    )
    monkeypatch.setattr(steps, "solve_exactly", finds_nothing if exact_first else solve)
    monkeypatch.setattr(steps, "deadline_search", search if exact_first else finds_nothing)
    found = offline.solve(ins, time_limit=20.0)
    assert found.status == "optimal"
    assert found.objective == found.bound == pytest.approx(10.0, rel=1e-12)
    assert found.bound_source == "milp"
    assert told == ([low] if exact_first else [])


def test_what_the_local_search_finds_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    # The exact solver comes first and has no time to find the optimum, 10; the local search does.
    ins = one_job()
    known = {"objective": 0.0, "schedule": empty(ins), "bound": 20.0, "timed": True}
    said = {"solver": "", "message": "", "failure": "", "bound_source": "milp"}
    cut_off = SimpleNamespace(**known, **said, is_optimal=False, options={})
    told = []

    def search(
        _: object, relaxation: PooledRelaxation, start: UtilitySchedule, **__: object
    ) -> SimpleNamespace:
        told.append(score(ins, start).objective)
        known = {"objective": told[0], "schedule": start, "bound": 20.0, "timed": True}
        return SimpleNamespace(**known, failure="")

    monkeypatch.setattr(steps, "solve_exactly", lambda *_, **__: cut_off)
    monkeypatch.setattr(steps, "deadline_search", search)
    found = offline.solve(ins, time_limit=20.0)
    assert found.objective == pytest.approx(10.0)
    assert found.is_optimal and not told  # by prices alone

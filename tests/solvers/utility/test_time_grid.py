"""Slots taken together: a weaker program, never a wrong bound."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.utility import UtilityInstance, score
from models.utility.formulations.schedules import without_idle
from solvers.highs import HighsOptions
from solvers.highs import solve as run_highs
from solvers.utility.deadlines import DeadlineOptions
from solvers.utility.deadlines.choose import Rounds
from solvers.utility.deadlines.cut_pool import CutPool
from solvers.utility.deadlines.prove import BoundProcess
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.exact import solve
from solvers.utility.separation import PackingCut
from solvers.utility.time_grid import TimeGrid
from solvers.utility.totals_program import TotalsProgram
from tests.models.utility.small import instance, job
from tests.solvers.utility.test_deadline_search import empty, one_job, searched, told_nothing
from tests.solvers.utility.test_exact import SEEDS, best, contended


def test_intervals_of_five_slots() -> None:
    grid = TimeGrid(5, [3, 1, 7])
    assert grid.starts.tolist() == [0, 1, 3]
    assert grid.length.tolist() == [1, 2, 2]
    assert grid.interval.tolist() == [0, 1, 1, 2, 2]
    assert grid.any(np.array([False, False, True, False, False])).tolist() == [False, True, False]
    assert grid.spread(np.array([3.0, 3.0, 1.0])).tolist() == [3.0, 1.5, 1.5, 0.5, 0.5]
    assert grid.split_after([1, 4]).starts.tolist() == [0, 1, 2, 3]


@given(st.integers(1, 30), st.lists(st.integers(0, 40)))
def test_intervals_cover_the_horizon_once(slots: int, starts: list[int]) -> None:
    grid = TimeGrid(slots, starts)
    assert grid.slots == slots == grid.length.sum()
    assert (grid.length > 0).all()
    assert (np.diff(grid.interval) >= 0).all()
    amount = np.arange(1.0, len(grid.length) + 1)
    assert np.bincount(grid.interval, weights=grid.spread(amount)) == pytest.approx(amount)


def two_alike() -> UtilityInstance:
    """Two jobs that each take the one server for two whole slots."""
    single = one_job()
    record = {"chunks": 2, "work": 4, "worker": [1.0, 1.0], "ps": [1.0, 4.0]}
    return instance(
        [job(name, utility=single.jobs[0].utility, **record) for name in ("a", "b")],
        slots=5,
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[2.0, 2.0]],
        ps_servers=[[1.0, 4.0]],
    )


@pytest.mark.parametrize(
    ("starts", "optimum"),
    [
        ([0, 1, 2, 3, 4], 12.3841),  # one at slot 1, worth 10, one at slot 3, worth 2.3841
        ([0], 20.0),  # 10 worker-slots: both at slot 1
        ([0, 4], 20.0),  # 8 in slots 0 to 3: both
        ([0, 3], 12.3841),  # 6 in slots 0 to 2; the other takes 2 there and 2 in slot 3
        ([0, 2], 12.3841),  # 4 in slots 0 and 1; by slot 2 the other runs 2 workers, by slot 3, 4
    ],
)
def test_capacity_of_an_interval_is_that_of_its_slots(starts: list[int], optimum: float) -> None:
    program = TotalsProgram(two_alike(), grid=TimeGrid(5, starts))
    assert run_highs(program.program(whole=False)).objective == pytest.approx(optimum, abs=1e-4)


def test_a_job_that_arrives_within_an_interval_has_its_slots_from_then_on() -> None:
    # Worth of the slots 2 to 4 that it can complete in: 10, 5.3788, 2.3841. Two workers at a time
    # and 4 worker-slots: slots 1 and 2. Of the interval of slots 0 to 2 it has two, of slots 1
    # and 2 both, and by slot 1 it runs two workers, whatever the interval has.
    single = one_job()
    record = job(
        "late",
        arrival=1,
        chunks=2,
        work=4,
        worker=[1.0, 1.0],
        ps=[1.0, 4.0],
        utility=single.jobs[0].utility,
    )
    ins = instance(
        [record],
        slots=5,
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[2.0, 2.0]],
        ps_servers=[[1.0, 4.0]],
    )
    for starts in ([0, 1, 2, 3, 4], [0], [0, 3], [0, 2], [0, 1, 3]):
        program = TotalsProgram(ins, grid=TimeGrid(5, starts))
        asked = program.program(whole=False)
        assert run_highs(asked).objective == pytest.approx(10.0)
        assert asked.upper[~asked.integer].sum() == 12  # slots 1 to 4: 2 workers, one PS
        fewer = program.program(whole=False, ends={0: 3})
        assert run_highs(fewer).objective == pytest.approx(5.3788, abs=1e-4)


def optimum(ins: UtilityInstance, starts: Sequence[int], coarse: float) -> float:
    program = TotalsProgram(ins, coarse=coarse, grid=TimeGrid(ins.cluster.slots, starts))
    result = run_highs(program.program(whole=False), HighsOptions(mip_rel_gap=0.0))
    assert result.bound is not None
    return result.bound + program.left_out


@pytest.mark.parametrize("coarse", [0.0, 0.5])
def test_a_coarser_grid_only_gives_a_weaker_bound(coarse: float) -> None:
    weaker = 0
    for seed in SEEDS:
        ins = contended(seed)
        every = list(range(ins.cluster.slots))
        bounds = [optimum(ins, every[:k], coarse) for k in (1, 2, len(every))]
        assert bounds[2] >= best(seed) * (1 - 1e-6)
        assert bounds[0] >= bounds[1] * (1 - 1e-6)
        assert bounds[1] >= bounds[2] * (1 - 1e-6)
        weaker += bounds[0] > bounds[2] * (1 + 1e-6)
    assert weaker > 3


def test_schedules_are_points_of_the_program_on_a_grid() -> None:
    for seed in SEEDS[:10]:
        ins = contended(seed)
        schedule = without_idle(ins, solve(ins, mip_rel_gap=0.0).schedule)
        program = TotalsProgram(ins, grid=TimeGrid(ins.cluster.slots, [0, 2]))
        if not program.limits:
            continue
        x, asked = program.point(schedule), program.program()
        assert (asked.matrix @ x <= asked.row_upper + 1e-9).all()
        assert (asked.matrix @ x >= asked.row_lower - 1e-9).all()
        assert (x <= asked.upper).all()
        assert asked.cost @ x == pytest.approx(score(ins, schedule).objective)
        loads = np.zeros((ins.cluster.slots, len(ins.jobs)))
        np.add.at(loads, (schedule.workers[:, 1], schedule.workers[:, 0]), schedule.workers[:, 3])
        assert program.loads(x, 0).sum(axis=0) == pytest.approx(loads.sum(axis=0))
        assert program.loads(x, 0)[:2].sum(axis=0) == pytest.approx(loads[:2].sum(axis=0))


def test_cuts_are_rows_of_the_intervals_their_slots_are_in() -> None:
    program = TotalsProgram(one_job(), grid=TimeGrid(5, [0, 2]))
    pool = CutPool(program)
    pool.add(0, PackingCut(np.array([1.0]), 1.5))
    rows = program.program().matrix.shape[0]
    loads = [np.array([[0.0], [1.5], [1.0], [0.0], [0.0]]), np.zeros((5, 1))]
    assert pool.add_near(loads, 0.95) == 1  # the interval of slots 0 and 1
    finer = TotalsProgram(one_job(), grid=TimeGrid(5, [0, 1, 2]))
    fresh = finer.program().matrix.shape[0]
    moved = pool.moved_to(finer)
    assert program.program().matrix.shape[0] == rows + 1
    assert finer.program().matrix.shape[0] == fresh + 2  # slot 0 and slot 1
    assert moved.add_near(loads, 0.95) == 0
    assert finer.program().row_upper[-2:] == pytest.approx([1.5, 1.5])
    assert program.program().row_upper[-1] == pytest.approx(3.0)


GIVEN = DeadlineOptions()
GRIDDED = DeadlineOptions(provable=0)
"""As where there is no hope of a proof: deadlines are chosen on a grid."""


def test_what_is_forbidden_stays_so_on_a_finer_grid() -> None:
    ins = two_alike()
    state = state_of(ins, 30.0, GRIDDED)
    state.known.offer(solve(ins).schedule)
    before = state.on_grid.grid.starts.tolist()
    state.forbid({0: 1, 1: 3})
    assert state.refine({0: 1, 1: 3})
    after = state.on_grid.grid.starts.tolist()
    assert set(before) | {2, 4} == set(after)
    assert not state.refine({0: 1, 1: 3})
    # Left: one of the two at slot 1 and the other by its side, as the two are alike.
    left = run_highs(state.on_grid.program(whole=False))
    assert state.on_grid.ends(left.x) == {0: 3, 1: 1}
    assert left.objective == pytest.approx(12.3841 * state.factor, rel=1e-4)


@pytest.mark.usefixtures("highs_here")
def test_bound_and_schedule_where_deadlines_are_chosen_on_a_grid() -> None:
    check_bound_and_schedule(SEEDS[:4], threads=1)


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.slow), 2])
@pytest.mark.parametrize("seeds", [SEEDS[:1], pytest.param(SEEDS[1:5], marks=pytest.mark.slow)])
def test_bound_and_schedule_on_a_grid_with_every_program_in_a_process(
    seeds: Sequence[int], threads: int
) -> None:
    check_bound_and_schedule(seeds, threads=threads)


def check_bound_and_schedule(seeds: Sequence[int], *, threads: int) -> None:
    # Slot by slot, whole workers miss the optimum of seed 2: deciding slots together would find it.
    met, close = 0, 0
    for seed in seeds:
        known = searched(contended(seed), 1000.0, 30.0, threads=threads, options=GRIDDED)
        assert known.bound is not None
        assert score(contended(seed), known.schedule).feasible
        assert known.objective <= best(seed) * (1 + 1e-9)
        assert known.bound >= best(seed) * (1 - 1e-6)
        met += known.objective >= best(seed) * (1 - 1e-6)
        close += known.bound <= 1.05 * best(seed)
    assert met >= 0.75 * len(seeds)
    assert close >= 0.75 * len(seeds)


@pytest.mark.usefixtures("highs_here")
def test_what_a_very_coarse_program_leaves_out_is_part_of_the_bound() -> None:
    # A bound far too large makes the program so coarse that it leaves out deadlines worth much.
    known = searched(contended(5), 600 * best(5), 5.0, options=GRIDDED)
    assert known.bound is not None
    assert known.bound >= best(5) * (1 - 1e-6)


def state_of(ins: UtilityInstance, bound: float, options: DeadlineOptions = GIVEN) -> DeadlineState:
    relaxation = told_nothing(ins, bound)
    return DeadlineState(ins, relaxation, empty(ins), time.monotonic() + 60, options)


@pytest.mark.usefixtures("highs_here")
def test_what_is_near_says_nothing_of_the_bound() -> None:
    # Most deadlines are fixed: the optimum of what is left is no bound on all schedules.
    # Two whole slots of work do not fit into less than all of the capacities.
    state = state_of(two_alike(), 30.0, replace(GRIDDED, rooms=(1.0, 1.0), rounding=0.0))
    rounds = Rounds(state, BoundProcess(), uses_process=False)
    rounds._around()
    assert state.known.objective == pytest.approx(12.3841, abs=1e-4)
    assert state.known.bound == 30.0


def test_what_is_near_is_found_where_the_best_schedules_deadlines_are_forbidden() -> None:
    # In one interval for all slots, others are worth more.
    state = state_of(
        two_alike(), 30.0, replace(GRIDDED, intervals=0.2, rooms=(1.0, 1.0), rounding=0.0)
    )
    state.known.offer(solve(two_alike()).schedule)
    best_ends = state.totals.ends(state.best_point(state.totals))
    state.forbid(best_ends)
    chosen: list[dict[int, int]] = []
    rounds = Rounds(state, BoundProcess(), uses_process=False)
    rounds._complete = lambda ends, *_: bool(chosen.append(ends))  # type: ignore[method-assign]
    rounds._number = 2
    rounds._around()  # near the best schedule
    assert len(chosen) == 1
    assert not state.is_forbidden(chosen[0])


def test_without_a_process_the_bound_is_proven() -> None:
    state = state_of(two_alike(), 30.0, GRIDDED)
    state.known.offer(solve(two_alike()).schedule)
    Rounds(state, BoundProcess(), uses_process=False).run()
    assert state.known.bound == pytest.approx(12.3841, rel=1e-4)


def test_deadlines_that_a_bound_says_are_done_with_are_forbidden_though_completed_before() -> None:
    state = state_of(two_alike(), 30.0, GRIDDED)
    rounds = Rounds(state, BoundProcess(), uses_process=False)
    ends = {0: 1, 1: 3}
    assert not rounds._complete(ends, math.inf, GRIDDED.rooms)
    assert not rounds._complete(ends, math.inf, GRIDDED.rooms)
    assert rounds._complete(ends, state.known.objective * state.factor, GRIDDED.rooms)
    left = state.on_grid.ends(run_highs(state.on_grid.program(whole=False)).x)
    assert left[1] < ends[1]  # the other job may be later, or the same again

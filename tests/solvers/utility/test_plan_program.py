"""Plans for given deadlines: the totals program with all cuts, found by need."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from models.utility.formulations.schedules import without_idle
from solvers.highs import LinearProgram
from solvers.highs import solve as run_highs
from solvers.highs.engine import HighsError
from solvers.highs.growing import GrowingProgram, OutOfTime
from solvers.utility.deadlines import DeadlineOptions
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.prove import bound_with_cuts
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.placing import Placer
from solvers.utility.separation import PackingCut
from solvers.utility.sparse_rows import NEVER
from solvers.utility.totals_program import SIDES, TotalsProgram
from tests.solvers.utility.test_deadline_search import one_job
from tests.solvers.utility.test_exact import SEEDS, best, contended
from tests.solvers.utility.test_time_grid import state_of, two_alike

LEAST_VIOLATION = DeadlineOptions().least_violation


def test_a_program_grows_by_rows_and_loses_columns() -> None:
    # max x + y, x + 2 y <= 4, x, y <= 3: (3, 1/2). With x + y <= 2 worth 2; without x: y = 2.
    program = LinearProgram(
        sense="max",
        cost=np.ones(2),
        matrix=np.array([[1.0, 2.0]]),
        row_upper=np.array([4.0]),
        upper=np.array([3.0, 3.0]),
        integer=np.array([True, True]),
    )
    growing = GrowingProgram.of(program)
    assert growing.solve().objective == pytest.approx(3.5)
    growing.add_rows(sparse.csr_array(np.array([[1.0, 1.0]])), np.array([2.0]))
    assert growing.solve().objective == pytest.approx(2.0)
    growing.bound_columns(np.array([0]), np.zeros(1), np.zeros(1))
    assert growing.solve().x.tolist() == pytest.approx([0.0, 2.0])
    assert (growing.rows, growing.columns) == (2, 2)
    with pytest.raises(OutOfTime):
        growing.solve(time.monotonic() - 1)
    growing.add_rows(sparse.csr_array(np.array([[-1.0, -1.0]])), np.array([-3.0]))
    with pytest.raises(HighsError):
        growing.solve()


def test_columns_are_added_one_by_one_or_together() -> None:
    # min x + y + 2.5 z with x + z >= 2, y + 2 z >= 5.
    solved = []
    for together in (False, True):
        growing = GrowingProgram("min")
        growing.add_rows(sparse.csr_array((2, 0)), np.array([-2.0, -5.0]))
        cost, matrix = np.array([1.0, 1.0, 2.5]), -np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 2.0]])
        if together:
            growing.add_columns(cost, matrix)
        else:
            for column, one in zip(cost, matrix.T, strict=True):
                growing.add_column(float(column), np.flatnonzero(one), one[one != 0])
        solved.append((growing.solve().objective, growing.columns))
    assert solved == [(pytest.approx(6.0), 3)] * 2  # z = 2 and y = 1


def planned(ins_seed: int, room: float) -> tuple[DeadlineState, PlanProgram] | None:
    """The optimum's deadlines, and a plan for them whose loads break no cut."""
    state = state_of(contended(ins_seed), 1.0)
    if not state.totals.limits:
        return None
    ends = state.totals.ends(run_highs(state.totals.program(whole=False)).x)
    program = PlanProgram(state, ends, room)
    program.solve()
    while program.add_known_cuts() or program.add_new_cuts():
        program.solve()
    return state, program


@pytest.mark.parametrize("room", [pytest.param(1.0, marks=pytest.mark.slow), 0.8])
def test_a_plan_is_worth_as_much_as_with_every_cut_in_every_slot(room: float) -> None:
    cut, decided = 0, 0
    for seed in SEEDS:
        found = planned(seed, room)
        if found is None:
            continue
        state, program = found
        totals, pool = state.totals, state.cuts
        ends = totals.ends(run_highs(totals.program(whole=False)).x)
        for side in SIDES:
            for packing in zip(*pool.of_side(side), strict=True):
                totals.add_cut(side, PackingCut(*packing))
                cut += 1
        asked = totals.program(whole=False, ends=ends, room=room)
        full = run_highs(replace(asked, integer=np.zeros_like(asked.integer)))
        # A cut may be exceeded by a thousandth, and so may what goes by it.
        assert full.objective is not None
        assert full.objective * (1 - 1e-9) <= program.objective
        assert program.objective <= full.objective * (1 + 2 * LEAST_VIOLATION) + 1e-9
        assert program.objective == pytest.approx(totals.worth(program.x))
        for side in SIDES:
            weight, capacity = pool.of_side(side)
            used = totals.loads(program.x, side) @ weight.T
            assert (used <= capacity * (1 + LEAST_VIOLATION) + 1e-9).all()
        # The same deadlines decided, whole: with the cuts that the point before broke, no more.
        whole, exact = run_highs(program.program), run_highs(asked)
        assert whole.x is not None
        assert whole.objective is not None and exact.objective is not None
        assert exact.objective * (1 - 1e-6) - 1e-6 <= whole.objective
        assert whole.objective <= program.objective * (1 + 1e-6) + 1e-6
        program.move_to(whole.x)
        assert program.whole_at(program.x)[program.deadlines].all()
        kept = totals.ends(program.x)
        loads = [totals.loads(program.x, side)[0] for side in SIDES]
        program.fix(np.round(loads).astype(np.int64))
        window = program.window(np.zeros_like(program.deadlines), decides=False)
        after = run_highs(window.program)
        assert after.x is not None
        program.x = program.decided(window, after.x)
        for i, last in totals.ends(program.x).items():
            assert last >= kept[i]
        decided += len(kept)
    assert cut > 0
    assert decided > 0


def test_only_capacities_are_reduced_to_the_room() -> None:
    totals = state_of(two_alike(), 30.0).totals
    halves = totals.room_of_rows(0.5)
    whole, less, capacities = totals.program(), totals.program(room=0.5), 0
    assert less.row_upper.tolist() == (whole.row_upper * halves).tolist()
    for side in SIDES:
        columns = totals.counts(side)
        others = np.ones(totals.columns, dtype=bool)
        others[columns[columns != NEVER]] = False
        of_side = abs(whole.matrix) @ others == 0
        assert (halves[of_side] == 0.5).all()
        capacities += of_side.sum()
    assert 0 < capacities == (halves != 1).sum()


def test_cuts_are_scaled_with_the_room_and_given_once() -> None:
    # Both jobs could run 4 workers in a slot, 1.5 of which the cut allows: in half of that, 0.75.
    state = state_of(two_alike(), 30.0)
    totals = state.totals
    state.cuts.add(0, PackingCut(np.array([1.0, 1.0]), 1.5))
    program = PlanProgram(state, {0: 3, 1: 3}, 0.5)
    program.solve()
    broken = totals.loads(program.x, 0).sum(axis=1) > 0.75 * (1 + LEAST_VIOLATION)
    assert broken.any()
    assert program.add_known_cuts() == broken.sum()
    assert program.add_known_cuts() == 0  # its point breaks them still, but it has them
    program.solve()
    while program.add_known_cuts():
        program.solve()
    assert totals.loads(program.x, 0).sum(axis=1).max() <= 0.75 * (1 + 2 * LEAST_VIOLATION)


def test_what_is_said_of_deadlines_bounds_the_schedules_that_keep_them() -> None:
    # The optimum is such a schedule for its own deadlines.
    close = 0
    for seed in SEEDS:
        ins = contended(seed)
        state = state_of(ins, 1000.0)
        schedule = solve_exactly(ins).schedule
        if not state.totals.limits or schedule is None:
            continue
        ends = state.totals.ends(state.totals.point(without_idle(ins, schedule)))
        upper = bound_with_cuts(state, ends) + state.totals.left_out
        worth = best(seed) * state.factor
        assert upper >= worth * (1 - 1e-6)
        close += upper <= 1.05 * worth
    assert close > 0


def test_more_of_a_load_is_placed_in_the_room_that_is_left() -> None:
    # Two servers of 3 and 2; of two sizes, 2 and 1. One large on the first: one small beside it,
    # two on the other, and the fourth finds no room.
    placer = Placer(np.array([[3.0], [2.0]]), np.array([[2.0], [1.0]]))
    placed = placer.place(np.array([1, 0]))
    before = placed.counts.copy()
    filled = placer._fill(placed.counts, np.array([0, 4]))
    assert filled.sum(axis=0).tolist() == [1, 3]
    assert placer.fits(filled)
    assert (filled >= before).all()
    assert (placed.counts == before).all()  # what is remembered stays


def test_capacities_that_jobs_cannot_exceed_are_theirs() -> None:
    state = state_of(one_job(), 30.0)
    totals = state.totals
    most = float(totals.limits[0].most)
    state.cuts.add(0, PackingCut(np.array([1.0]), most))
    program = PlanProgram(state, {0: 4}, 0.5)
    program.solve()
    assert program.add_known_cuts() == 0
    assert totals.loads(program.x, 0).max() == pytest.approx(most)


def test_what_points_agree_on_is_fixed() -> None:
    # One job, worth something at slots 1 to 4, so d of four groups. Points that complete it by the
    # third and by the fourth leave only the third open.
    totals = TotalsProgram(one_job())
    asked, done = totals.program(whole=False), totals.done[0]
    assert len(done) == 4
    points = np.zeros((2, totals.columns))
    points[0, done[2:]] = 1.0
    points[1, done[3:]] = 1.0
    part = asked.where_undecided(list(points), 1e-6)
    assert part.lower[done].tolist() == [0, 0, 0, 1]
    assert part.upper[done].tolist() == [0, 0, 1, 1]
    # A job that stays out of all of them does so; workers may be what they like.
    none = asked.where_undecided([np.zeros(totals.columns)], 1e-6)
    assert none.upper[done].tolist() == [0, 0, 0, 0]
    assert none.lower[done].tolist() == [0, 0, 0, 0]
    workers = ~asked.integer
    assert (none.upper[workers] == asked.upper[workers]).all()

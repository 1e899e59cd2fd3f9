"""Plans in fractions of workers become whole workers that the servers hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models.sigmoid import Sigmoid
from models.utility import UtilityInstance, UtilitySchedule, score
from models.utility.formulations.schedules import without_idle
from solvers.highs import solve as run_highs
from solvers.utility.deadlines import DeadlineOptions
from solvers.utility.deadlines.plan_program import PlanProgram, Window
from solvers.utility.deadlines.relax_and_fix import Placed, keep_deadlines, relax_and_fix
from solvers.utility.deadlines.state import DeadlineState, Steps
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.occupancy import repaired
from solvers.utility.oracle import zero_prices
from solvers.utility.placing import Placing
from solvers.utility.separation import PackingCut
from tests.models.utility.small import instance, job
from tests.solvers.utility.test_exact import SEEDS, best, contended
from tests.solvers.utility.test_time_grid import state_of


def result_of(steps: Steps[Any]) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as finished:
            return finished.value


def rolled(
    ins: UtilityInstance, ends: dict[int, int], room: float = 1.0
) -> tuple[DeadlineState, PlanProgram, Placed]:
    state = state_of(ins, 1000.0)
    program = PlanProgram(state, ends, room)
    program.solve()
    while program.add_known_cuts() or program.add_new_cuts():
        program.solve()
    assert keep_deadlines(state, program)
    return state, program, result_of(relax_and_fix(state, program))


def workers(ins: UtilityInstance, found: Placed) -> np.ndarray:
    held = np.zeros((ins.cluster.slots, len(ins.jobs)), dtype=np.int64)
    for slot, placed in found.items():
        held[slot] = placed[0].sum(axis=0)
    return held


def scheduled(ins: UtilityInstance, found: Placed) -> UtilitySchedule:
    prices = zero_prices(ins.cluster)
    return repaired(ins, workers(ins, found), lambda side, t: found[t][side], prices).schedule()


def two_jobs(
    capacity: float, work: int = 1, chunks: int = 1, slots: int = 4, side: int = 0
) -> UtilityInstance:
    """Two jobs, worth less the later; a worker takes 2 of what the one server has.

    On side 1 it is its parameter server that does.
    """
    utility = Sigmoid(priority=20.0, decay=1.0, target=1.0)
    worker, ps = ([1.0, 2.0], [1.0, 0.0])[:: -1 if side else 1]
    given, others = ([10.0, capacity], [10.0, 0.0])[:: -1 if side else 1]
    one = {"chunks": chunks, "work": work, "worker": worker, "ps": ps}
    jobs = [job(name, utility=utility, **one) for name in ("a", "b")]
    return instance(
        jobs,
        resources=["bandwidth_gbps", "gpu"],
        worker_servers=[given],
        ps_servers=[others],
        slots=slots,
    )


def test_fractions_become_whole_workers() -> None:
    # The server holds one worker, and a half in fractions: one job in slot 0, the other in slot 1.
    ins = two_jobs(3.0)
    _, _, found = rolled(ins, {0: 1, 1: 1})
    assert workers(ins, found).sum(axis=0).tolist() == [1, 1]
    assert workers(ins, found).sum(axis=1).tolist() == [1, 1, 0, 0]
    assert found[0][0].shape == (1, 2)
    assert len(found) == 4


def test_work_is_done_early_where_there_is_room() -> None:
    ins = two_jobs(4.0)
    _, _, found = rolled(ins, {0: 1, 1: 1})
    assert workers(ins, found).tolist() == [[1, 1], [0, 0], [0, 0], [0, 0]]


def test_a_job_that_cannot_be_in_time_is_late_or_left_out() -> None:
    # Both are to complete in slot 0, where one fits: the other is done by slot 1.
    ins = two_jobs(3.0)
    _, _, found = rolled(ins, {0: 0, 1: 0})
    assert workers(ins, found).sum(axis=1).tolist() == [1, 1, 0, 0]
    # Two slots each for one worker, by slots 1 and 3 at the latest: all four slots are used.
    ins = two_jobs(3.0, work=2)
    _, _, found = rolled(ins, {0: 1, 1: 3})
    assert workers(ins, found).sum(axis=1).tolist() == [1, 1, 1, 1]
    assert workers(ins, found).sum(axis=0).tolist() == [2, 2]


def test_which_jobs_keep_their_deadlines_is_decided_before_any_worker() -> None:
    # A job and a half is in time in fractions; of whole jobs one, and the other is late.
    state = state_of(two_jobs(3.0), 1000.0)
    program = PlanProgram(state, {0: 0, 1: 0}, 1.0)
    program.solve()
    in_time = [state.totals.done[i][0] for i in (0, 1)]
    assert program.x[in_time].sum() == pytest.approx(1.5, rel=1e-5)
    assert not program.whole_at(program.x)[program.deadlines].all()
    plan = state.totals.worth(program.x)
    assert keep_deadlines(state, program)
    assert program.whole_at(program.x)[program.deadlines].all()
    assert program.x[in_time].sum() == pytest.approx(1.0)
    assert state.totals.worth(program.x) < plan
    before = state.budget.spent
    assert keep_deadlines(state, program)  # there is nothing left to decide
    assert state.budget.spent == before


def test_slots_far_ahead_are_decided_again_only_if_nothing_is_found_without_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Each job needs a worker in all of six slots, and a has none in slot 0. In slot 1, with slots 3
    # to 5 as they are, nothing helps: it is given up only where they are decided again.
    ins = two_jobs(4.0, work=6, slots=6)
    state = state_of(ins, 1000.0, DeadlineOptions(ahead=1))
    program = PlanProgram(state, {0: 5, 1: 5}, 1.0)
    program.solve()
    place, windows = state.known.place, list[bool]()
    window = program.window

    def without_a(side: int, load: np.ndarray) -> Placing:
        if not program.x[state.totals.counts(0)[0, 0]] or program.next_slot > 0:
            return place(side, load)
        return Placing(np.minimum(load, [0, 1])[None], complete=True)

    def watched(stays: np.ndarray) -> Window:
        windows.append(bool(stays[program._slot_of == 5].all()))
        return window(stays)

    monkeypatch.setattr(state.known, "place", without_a)
    monkeypatch.setattr(program, "window", watched)
    found = result_of(relax_and_fix(state, program))
    assert workers(ins, found).tolist() == [[0, 1]] * 6
    assert windows[:5] == [True, True, True, True, False]


def test_jobs_without_an_end_do_not_run() -> None:
    ins = two_jobs(10.0)
    _, _, found = rolled(ins, {0: 0})
    assert workers(ins, found).sum(axis=0).tolist() == [1, 0]


def test_what_was_fixed_stays_and_what_was_lost_is_made_up() -> None:
    # Two workers of a in slot 0, of which one is lost: its work is done in slot 1.
    ins = two_jobs(4.0, work=2, chunks=2)
    state = state_of(ins, 1000.0)
    program = PlanProgram(state, {0: 0}, 1.0)
    program.solve()
    nothing = np.zeros_like(program.deadlines)
    assert state.totals.ends(program.x) == {0: 0}
    window = program.window(nothing)
    result = run_highs(window.program)
    assert result.x is not None
    program.x = program.decided(window, result.x)
    assert state.totals.loads(program.x, 0)[0].tolist() == [2, 0]
    program.fix(np.array([[1, 0], [1, 0]]))
    window = program.window(nothing)
    result = run_highs(window.program)
    assert result.x is not None
    program.x = program.decided(window, result.x)
    # What is fixed counts in the objective, too.
    whole = program.program.objective(program.x[program._columns])
    assert result.objective == pytest.approx(whole)
    assert state.totals.loads(program.x, 0)[:, 0].tolist() == [1, 1, 0, 0]
    assert state.totals.ends(program.x) == {0: 1}


@pytest.mark.parametrize("side", [0, 1])
def test_the_slot_that_is_decided_has_all_capacities_and_later_ones_the_room(side: int) -> None:
    # Two worker-slots of work each, and room for one worker in a slot, of two: by slot 2 for both,
    # but only if slot 0 has two workers. The plan, with one in each slot, meets one and a half.
    # On side 1, it is the parameter servers that there is room for.
    ins = two_jobs(4.0, work=2, chunks=2, side=side)
    state = state_of(ins, 1000.0)
    program = PlanProgram(state, {0: 2, 1: 2}, 0.5)
    program.solve()
    in_time = [state.totals.done[i][2] for i in (0, 1)]
    assert program.x[in_time].sum() == pytest.approx(1.5, rel=1e-5)
    nothing = np.zeros_like(program.deadlines)
    window = program.window(nothing)
    now = (program._slot_of == 0)[window.open_yet]
    assert now.any() and window.program.integer[now].all()
    assert not window.program.integer[(program._slot_of > 0)[window.open_yet]].any()
    result = run_highs(window.program)
    assert result.x is not None
    program.x = program.decided(window, result.x)
    assert state.totals.loads(program.x, 0).sum(axis=1).tolist() == pytest.approx(
        [2, 1, 1, 0], abs=1e-5
    )
    assert program.x[in_time].tolist() == pytest.approx([1, 1])
    undecided = run_highs(program.window(nothing, decides=False).program)
    assert undecided.objective is not None and result.objective is not None
    assert undecided.objective < 0.9 * result.objective


def test_no_more_is_asked_of_servers_than_they_were_found_to_hold() -> None:
    state = state_of(two_jobs(4.0), 1000.0)
    program = PlanProgram(state, {0: 0, 1: 0}, 1.0)
    program.solve()
    assert state.totals.loads(program.x, 0)[0].sum() == pytest.approx(2.0)
    nothing = np.zeros_like(program.deadlines)
    program.hold(0, np.array([0.5, 0.5]), np.array([1, 0]))  # one of the two
    result = run_highs(program.window(nothing).program)
    assert result.x is not None
    program.x = program.decided(program.window(nothing), result.x)
    assert state.totals.loads(program.x, 0)[:2].sum(axis=1).tolist() == [1, 1]


def test_a_plan_has_to_close_a_tenth_of_the_gap() -> None:
    state = state_of(two_jobs(3.0), 100.0)
    state.may_prove, state.known.objective = False, 50.0
    for bound, least in ((51.0, 50.1), (100.0, 50.2)):  # or to gain 0.4 %
        state.known.bound = bound
        assert not state.is_promising((least - 0.01) * state.factor - state.totals.left_out)
        assert state.is_promising((least + 0.01) * state.factor - state.totals.left_out)
    state.may_prove = True
    assert state.is_promising(50.1 * state.factor - state.totals.left_out)


def test_a_plan_that_cannot_beat_the_best_schedule_is_given_up() -> None:
    ins = two_jobs(3.0)
    state, _, found = rolled(ins, {0: 1, 1: 1})
    state.known.offer(scheduled(ins, found))
    program = PlanProgram(state, {0: 1}, 1.0)  # one job alone is worth less
    program.solve()
    with pytest.raises(StopIteration):
        next(relax_and_fix(state, program))  # it ends after the first slot


@pytest.mark.parametrize(("tries", "loads"), [(3, [2, 2, 1, 1, 1, 1]), (1, [2, 2, 1, 1, 0, 0])])
def test_a_slot_is_decided_again_with_what_the_servers_hold(
    tries: int, loads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The plan has both jobs in slot 0. The servers hold one worker in a slot, but no cut says so.
    ins = two_jobs(4.0)
    state, asked = state_of(ins, 1000.0, DeadlineOptions(slot_tries=tries)), list[int]()
    program = PlanProgram(state, {0: 0, 1: 0}, 1.0)
    program.solve()

    def one_at_a_time(side: int, load: np.ndarray) -> Placing:
        asked.append(int(load.sum()))
        fits = np.minimum(load, [1, 0] if load.sum() > 1 else 1)
        return Placing(fits[None], complete=bool((fits == load).all()))

    monkeypatch.setattr(state.known, "place", one_at_a_time)
    found = result_of(relax_and_fix(state, program))
    assert sorted(workers(ins, found)[:2].tolist()) == [[0, 1], [1, 0]]
    assert not workers(ins, found)[2:].any()
    # Both sides of slot 0, of slot 0 again where it may be, and of slot 1.
    assert asked[:6] == loads


def test_a_cut_that_is_hardly_violated_is_not_all_that_a_second_try_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # It does not become a row: without another limit, the second try would ask for the same.
    ins = two_jobs(4.0)
    state, asked = state_of(ins, 1000.0), list[int]()
    program = PlanProgram(state, {0: 0, 1: 0}, 1.0)
    program.solve()

    def one_at_a_time(side: int, load: np.ndarray) -> Placing:
        asked.append(int(load.sum()))
        fits = np.minimum(load, [1, 0] if load.sum() > 1 else 1)
        complete = bool((fits == load).all())
        cut = None if complete else PackingCut(np.ones(2), 2 * (1 - 1e-5))
        return Placing(fits[None], complete=complete, cut=cut)

    monkeypatch.setattr(state.known, "place", one_at_a_time)
    result_of(relax_and_fix(state, program))
    assert asked[:4] == [2, 2, 1, 1]


@pytest.mark.parametrize("room", [1.0, 0.8])
@pytest.mark.parametrize("seed", SEEDS[:8])
def test_whatever_is_placed_can_be_scheduled_as_it_is(seed: int, room: float) -> None:
    # From the deadlines of an optimum: a feasible schedule, worth what the program says at least.
    ins = contended(seed)
    schedule = solve_exactly(ins).schedule
    assert schedule is not None
    state = state_of(ins, 1000.0)
    if not state.totals.limits:
        return  # no job can complete
    ends = state.totals.ends(state.totals.point(without_idle(ins, schedule)))
    state, program, found = rolled(ins, ends, room)
    assert (workers(ins, found).sum(axis=0) <= [job.work for job in ins.jobs]).all()
    judged = score(ins, scheduled(ins, found))
    assert judged.feasible
    assert judged.objective <= best(seed) * (1 + 1e-6)
    assert judged.objective * state.factor >= state.totals.worth(program.x) * (1 - 1e-6)

"""Schedules that are nearly the best: a local search goes on from them, and few deadlines move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.utility import UtilitySchedule, score
from models.utility.formulations.schedules import without_idle
from solvers.highs import solve as run_highs
from solvers.utility.deadlines import state as state_module
from solvers.utility.deadlines.choose import Rounds
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.relax_and_fix import keep_deadlines
from solvers.utility.deadlines.slot_decision import SlotDecision
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.deadlines.variants import VARIANTS
from solvers.utility.exact import solve as solve_exactly
from tests.solvers.utility.test_deadline_search import empty, one_job, searched
from tests.solvers.utility.test_exact import SEEDS, best, contended
from tests.solvers.utility.test_time_grid import GIVEN, state_of

LARGE = replace(GIVEN, provable=0)


def test_a_schedule_without_the_one_job_is_polished_to_the_optimum() -> None:
    # Two workers in each of the slots 0 and 1 do all 4 units of work; done a slot late, worth 10.
    ins = one_job()
    state = state_of(ins, 20.0)
    state.offer_and_polish(empty(ins))
    assert state.known.objective == pytest.approx(10.0)


@pytest.mark.parametrize("provable", [0, 10**6])
def test_only_what_is_nearly_the_best_is_polished(provable: int) -> None:
    ins = contended(3)
    options = replace(GIVEN, provable=provable, polishable=(1.0, 0.0))
    state = state_of(ins, 1000.0, options)
    state.known.offer(solve_exactly(ins).schedule or empty(ins))
    draws = state._rng.bit_generator.state["state"]["state"]
    state.offer_and_polish(empty(ins))  # worth 0, and the best is worth more
    polished = state._rng.bit_generator.state["state"]["state"] != draws
    assert polished == (provable == 0)
    assert state.known.objective == pytest.approx(best(3))


@pytest.mark.parametrize("planned", [0.9, 1.1])
def test_a_schedule_whose_plan_is_better_than_the_best_is_polished(planned: float) -> None:
    ins = contended(3)
    state = state_of(ins, 1000.0)
    assert state.may_prove and state.options.polishable[1] == 0
    state.known.offer(solve_exactly(ins).schedule or empty(ins))
    draws = state._rng.bit_generator.state["state"]["state"]
    state.offer_and_polish(empty(ins), planned * best(3) * state.factor - state.totals.left_out)
    polished = state._rng.bit_generator.state["state"]["state"] != draws
    assert polished == (planned > 1)


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_polishing_gives_feasible_schedules_and_the_same_ones_again(seed: int) -> None:
    ins, found = contended(seed), []
    for options in (LARGE, LARGE, VARIANTS["without-polishing"][1]):
        state = state_of(ins, 1000.0, options)
        state.offer_and_polish(empty(ins))
        assert score(ins, state.known.schedule).feasible
        assert state.known.objective <= best(seed) * (1 + 1e-9)
        found.append(state.known.objective)
    assert found[0] == found[1] >= 0.9 * best(seed)
    assert found[2] == 0.0


def test_moves_find_what_greedy_insertion_does_not() -> None:
    worth = []
    for polishing in (1, 30):
        state = state_of(contended(5), 1000.0, replace(LARGE, polishing=polishing))
        state.offer_and_polish(empty(contended(5)))
        worth.append(state.known.objective)
    assert worth[0] < worth[1] == pytest.approx(best(5))


def test_the_clock_that_ends_polishing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    state = state_of(contended(5), 1000.0, LARGE)
    state.offer_and_polish(empty(contended(5)))
    assert not state.known.timed

    def slow(*_: object, start: UtilitySchedule, **__: object) -> UtilitySchedule:
        state.known._deadline = 0.0  # it passes meanwhile
        return start

    monkeypatch.setattr(state_module, "local_search", slow)
    state.offer_and_polish(state.known.schedule)
    assert state.known.timed


def test_the_best_schedule_is_polished_once_nothing_else_is_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offered = list[UtilitySchedule]()
    offer = DeadlineState.offer_and_polish

    def watched(self: DeadlineState, schedule: UtilitySchedule, planned: float = 0.0) -> None:
        offered.append(schedule)
        offer(self, schedule, planned)

    monkeypatch.setattr(DeadlineState, "offer_and_polish", watched)
    monkeypatch.setattr(Rounds, "_round", lambda _: False)  # it finds nothing
    found = searched(contended(5), 1000.0, 60.0, options=LARGE)
    assert len(offered) == 1
    assert found.objective == pytest.approx(best(5))


def slot_to_decide(seed: int, room: float) -> tuple[PlanProgram, np.ndarray | None]:
    """A plan for the optimum's deadlines, and its first slot decided with few of them free."""
    ins = contended(seed)
    schedule = solve_exactly(ins).schedule
    assert schedule is not None
    state = state_of(ins, 1000.0)
    ends = state.totals.ends(state.totals.point(without_idle(ins, schedule)))
    program = PlanProgram(state, ends, room)
    program.solve()
    assert keep_deadlines(state, program)
    decision = SlotDecision(state, program)
    decision._few_deadlines()
    return program, decision._best()


@pytest.mark.parametrize("room", [1.0, 0.8])
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 6])  # no job can complete in 4
def test_with_few_deadlines_decided_the_slot_is_whole_and_every_row_holds(
    seed: int, room: float
) -> None:
    program, point = slot_to_decide(seed, room)
    assert point is not None
    window = program.window(np.zeros_like(program.deadlines))
    part, x = window.program, point[program._columns][window.open_yet]
    assert (part.matrix @ x <= part.row_upper + 1e-6).all()
    assert (part.matrix @ x >= part.row_lower - 1e-6).all()
    assert np.allclose(x[part.integer], np.round(x[part.integer]), atol=1e-6)
    # HiGHS takes its integers as a start, and finds all the rest.
    start = program.start(window, point)
    assert start is not None
    assert (np.isnan(start) == ~part.integer).all()
    result = run_highs(part, start=start)
    assert result.objective is not None
    assert result.objective >= program._totals.worth(point) * (1 - 1e-6)
    whole = replace(part, integer=np.ones(len(x), dtype=bool))
    assert program.start(window._replace(program=whole), point) is None
    linear = window.program.relaxed()
    assert program.start(window._replace(program=linear), point) is None


def test_the_second_program_has_only_those_deadlines_that_the_first_left_in_fractions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[int, int]] = []
    window = PlanProgram.window

    def watched(self: PlanProgram, stays: np.ndarray, **options: object) -> object:
        seen.append((int(stays[self.deadlines].sum()), int(self.deadlines.sum())))
        return window(self, stays, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(PlanProgram, "window", watched)
    slot_to_decide(5, 0.8)
    (free, _), (stay, all_of_them) = seen[-2:]
    assert free == 0
    assert 0 < stay < all_of_them

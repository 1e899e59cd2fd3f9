"""Plans that are only rounded; and those that are cut off, whose other slots are rounded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from models.utility import UtilityInstance, UtilitySchedule, score
from models.utility.formulations.schedules import without_idle
from solvers.utility.deadlines import complete as complete_module
from solvers.utility.deadlines.complete import complete
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.relax_and_fix import Placed, rounded, schedule_of
from solvers.utility.deadlines.slot_decision import SlotDecision
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.exact import solve as solve_exactly
from tests.solvers.utility.test_deadline_search import empty
from tests.solvers.utility.test_exact import best, contended
from tests.solvers.utility.test_nearly_the_best import LARGE
from tests.solvers.utility.test_relax_and_fix import result_of, two_jobs, workers
from tests.solvers.utility.test_time_grid import state_of


def plan_of(ins: UtilityInstance, counts: list[list[float]]) -> tuple[DeadlineState, PlanProgram]:
    """A plan with these workers, shape (T, I), and as many parameter servers as they need."""
    state = state_of(ins, 1000.0)
    program = PlanProgram(state, {0: len(counts) - 1, 1: len(counts) - 1}, 1.0)
    for side in (0, 1):
        columns = state.totals.counts(side)
        program.x[columns] = np.array(counts)
    return state, program


def test_sums_are_rounded_so_that_all_work_is_done() -> None:
    # Job 0: 0.4, 0.4, 0.4, 0.8 make 0.4, 0.8, 1.2, 2.0 in sum, and 0, 1, 1, 2 rounded. Job 1: 1,
    # 1.3, 2, 2 make 1, 1, 2, 2. The server holds two workers.
    counts = [[0.4, 1.0], [0.4, 0.3], [0.4, 0.7], [0.8, 0.0]]
    state, program = plan_of(two_jobs(4.0, work=2), counts)
    found = workers(state.instance, rounded(state, program, {}))
    assert found.tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("chunks", "plan", "expected"),
    [
        # 1, 2, 2 in sum, or 0, 2, 2 if a half were rounded down: two workers where one may be.
        (1, [0.5, 1.0, 0.5, 0.0], [1, 1, 0, 0]),
        (1, [0.5 - 1e-9, 1.0 + 2e-9, 0.5 - 1e-9, 0.0], [0, 1, 1, 0]),
        (3, [0.5 - 1e-9, 3.0, 0.5 + 1e-9, 0.0], [0, 3, 1, 0]),
        (3, [1.5, -1e-9, 0.5 + 1e-9, 0.0], [2, 0, 0, 0]),  # 2, 1, 2 in sum
    ],
)
def test_no_job_has_more_workers_than_it_may_have(
    chunks: int, plan: list[float], expected: list[int]
) -> None:
    work = sum(expected)
    ins = two_jobs(20.0, work=work, chunks=chunks)
    state, program = plan_of(ins, [[n, 0.0] for n in plan])
    found = rounded(state, program, {})
    assert workers(ins, found)[:, 0].tolist() == expected
    state.known.offer(schedule_of(state, found))  # raises if a constraint is broken
    assert state.known.objective > 0


def test_slots_that_are_decided_stay_and_servers_hold_no_more_than_they_can() -> None:
    # Slot 0 is decided. Rounded, slot 1 has a worker of each job; the server holds one.
    counts = [[0.0, 1.0], [0.6, 0.6], [0.4, 0.4], [1.0, 0.0]]
    state, program = plan_of(two_jobs(3.0, work=2), counts)
    program.fix(np.array([[0, 1], [0, 1]]))
    decided = [np.array([[0, 1]]), np.array([[0, 1]])]
    found = rounded(state, program, {0: decided})
    assert found[0] is decided
    assert sorted(found) == [0, 1, 3]
    assert workers(state.instance, found)[1].sum() == 1
    assert workers(state.instance, found)[3].tolist() == [1, 0]


@pytest.mark.parametrize("held", [0, 1])  # workers in slot 0, without parameter servers
def test_what_the_servers_did_not_hold_of_a_decided_slot_is_done_later(held: int) -> None:
    counts = [[1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]
    state, program = plan_of(two_jobs(4.0, work=2, chunks=2), counts)
    program.fix(np.zeros((2, 2), dtype=np.int64))
    found = rounded(state, program, {0: [np.array([[held, 0]]), np.array([[0, 0]])]})
    assert workers(state.instance, found)[:, 0].tolist() == [held, 1, 1, 0]


def stopped(seed: int) -> tuple[DeadlineState, dict[int, int]]:
    """A search of which every plan is cut off after its first slot; the deadlines of an optimum."""
    ins = contended(seed)
    schedule = solve_exactly(ins).schedule
    assert schedule is not None
    state = state_of(ins, 1000.0, replace(LARGE, finishing=1.0, polishing=0))
    return state, state.totals.ends(state.totals.point(without_idle(ins, schedule)))


@pytest.mark.parametrize(
    ("seed", "rounding_wins"),
    [(0, False), (1, False), (2, False), (5, True), (16, True), (20, True)],
)
def test_the_better_of_rounding_and_of_what_the_slots_leave_free_is_offered(
    seed: int, rounding_wins: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, ends = stopped(seed)
    made = list[float]()

    def watched(state: DeadlineState, placed: Any) -> UtilitySchedule:
        schedule = schedule_of(state, placed)
        made.append(score(state.instance, schedule).objective)
        return schedule

    monkeypatch.setattr(complete_module, "schedule_of", watched)
    result_of(complete(state, ends, np.inf, [1.0], lambda: False))
    filled, whole = made
    assert (whole > filled * (1 + 1e-6)) == rounding_wins
    assert 0 < max(made) == state.known.objective == pytest.approx(best(seed))


def test_a_plan_that_is_given_up_is_not_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    state, ends = stopped(3)
    fix, fixed = PlanProgram.fix, list[int]()

    def watched(self: PlanProgram, counts: np.ndarray) -> None:
        fix(self, counts)
        fixed.append(self.next_slot)

    def unwanted(*_: object) -> None:
        raise AssertionError("rounded")

    monkeypatch.setattr(PlanProgram, "fix", watched)
    monkeypatch.setattr(state, "is_promising", lambda _: not fixed)
    monkeypatch.setattr(complete_module, "rounded", unwanted)
    result_of(complete(state, ends, np.inf, [1.0], lambda: False))
    assert fixed == [1]


@pytest.mark.parametrize("polishes", [False, True])
def test_the_plan_that_opens_the_search_is_only_rounded_and_improved(
    polishes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = replace(LARGE, rounding=0.5, rooms=(0.6, 1.0), polishing=30 * polishes)
    state = state_of(contended(5), 1000.0, options)
    schedule = solve_exactly(state.instance).schedule
    assert schedule is not None
    known = list[int]()

    def unwanted(*_: object) -> None:
        raise AssertionError("a slot is decided")

    def counted(state: DeadlineState, program: PlanProgram, placed: Placed) -> Placed:
        known.append(len(placed))
        return rounded(state, program, placed)

    monkeypatch.setattr(complete_module, "relax_and_fix", unwanted)
    monkeypatch.setattr(complete_module, "rounded", counted)
    ends = state.totals.ends(state.totals.point(without_idle(state.instance, schedule)))
    draws = state._rng.bit_generator.state["state"]["state"]
    upper = result_of(complete(state, ends, 1000.0, [0.5], lambda: False))
    assert upper == 1000.0  # what is worth little in half of the servers may be worth more in all
    assert known == [0]
    assert (state._rng.bit_generator.state["state"]["state"] != draws) == polishes
    assert 0 < state.known.objective <= best(5) * (1 + 1e-9)
    state = state_of(contended(5), 1000.0, options)
    with pytest.raises(AssertionError, match="a slot is decided"):
        result_of(complete(state, ends, 1000.0, [1.0], lambda: False))


@pytest.mark.parametrize("share", [0.97, 0.99])
def test_a_schedule_that_lost_much_in_rounding_is_improved_if_its_plan_did_not(
    share: float,
) -> None:
    # The limit is 2 % below the best.
    state = state_of(contended(3), 1000.0, LARGE)
    state.known.offer(solve_exactly(contended(3)).schedule or empty(contended(3)))
    draws = state._rng.bit_generator.state["state"]["state"]
    planned = share * best(3) * state.factor - state.totals.left_out
    state.offer_and_polish(empty(contended(3)), planned)
    assert (state._rng.bit_generator.state["state"]["state"] != draws) == (share > 0.98)


def test_a_plan_is_rounded_if_nothing_is_found_for_a_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    # Both jobs share slot 0 in fractions and end in slot 1. Rounded, each has a slot of its own.
    ins = two_jobs(3.0)
    state = state_of(ins, 1000.0, replace(LARGE, polishing=0))
    monkeypatch.setattr(SlotDecision, "point", lambda _: None)
    asked = list[PlanProgram]()

    def watched(state: DeadlineState, program: PlanProgram, placed: Any) -> Any:
        asked.append(program)
        return rounded(state, program, placed)

    monkeypatch.setattr(complete_module, "rounded", watched)
    result_of(complete(state, {0: 1, 1: 1}, np.inf, [1.0], lambda: False))
    assert [program.next_slot for program in asked] == [0]
    assert state.known.objective == pytest.approx(solve_exactly(ins).objective, rel=1e-6)

"""Limits of an offline solve, of time and of work, and what a tree makes of the rest."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from models.errors import InputError
from models.utility import UtilitySchedule
from solvers.highs import HighsOptions
from solvers.highs import solve as run_highs
from solvers.utility import offline, steps
from solvers.utility.deadlines import DeadlineOptions, deadline_search
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.search_state import LOOKS_PER_UNIT
from tests.solvers.utility.test_deadline_search import (
    drawn,
    empty,
    one_job,
    searched,
    told_nothing,
)
from tests.solvers.utility.test_time_grid import state_of, two_alike


@pytest.mark.parametrize("work_limit", [None, 0.1])
def test_a_start_that_is_no_feasible_schedule_is_refused(work_limit: float | None) -> None:
    ins, other = one_job(), drawn(4)
    start = UtilitySchedule.build(other, [False] * len(other.jobs), [], [])
    with pytest.raises(InputError, match="made for another instance"):
        offline.solve(ins, time_limit=1.0, start=start, work_limit=work_limit)
    idle = UtilitySchedule.build(ins, [True], [], [])
    with pytest.raises(InputError, match=r"start is no feasible schedule: "):
        offline.solve(ins, time_limit=1.0, start=idle, work_limit=work_limit)


def test_how_a_solve_was_asked_for_is_said() -> None:
    found = offline.solve(one_job(), time_limit=None, work_limit=0.5)
    asked = {"time_limit": None, "work_limit": 0.5, "threads": 1}
    assert asked.items() <= found.options.items()


def test_a_limit_of_work_is_given_in_one_place() -> None:
    with pytest.raises(InputError, match="give work_limit instead"):
        offline.solve(one_job(), time_limit=1.0, options=DeadlineOptions(work_limit=1.0))


@pytest.mark.usefixtures("highs_here")
def test_a_tree_that_closes_the_gap_makes_the_result_optimal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # HiGHS's bound is made 0.2 % too large; the tree has to come below it.
    def loosened(*given: Any) -> Any:
        found = steps.deadlines_first(*given)
        return replace(
            found, bound=1.002 * found.bound, status="feasible", bound_source="milp", message="?"
        )

    monkeypatch.setattr(offline, "_SMALL", -1)
    monkeypatch.setattr(offline, "_CLOSE", -0.002)
    monkeypatch.setattr(offline, "deadlines_first", loosened)
    monkeypatch.setattr(offline, "exact_until", lambda *_: None)
    monkeypatch.setattr(offline, "joined", lambda _, known, __: known)
    found = offline.solve(drawn(4), time_limit=30.0, tree=0.5)
    assert (found.status, found.bound_source, found.message) == ("optimal", "prices", "")
    assert found.objective == pytest.approx(found.bound, rel=1e-4)


def test_what_comes_before_a_tree_begins_as_with_a_limit_without_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = []
    relaxed = offline.relaxed
    monkeypatch.setattr(offline, "_SMALL", -1)
    monkeypatch.setattr(offline, "relaxed", lambda *given: ends.append(given[2]) or relaxed(*given))
    began = time.monotonic()
    offline.solve(one_job(), time_limit=1000.0, tree=0.9)
    assert ends[0] == pytest.approx((began + 12.0, began + 14.0), abs=1.0)


@pytest.mark.usefixtures("short_local_search")
def test_a_time_limit_that_ends_nothing_changes_nothing_under_a_limit_of_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Column generation takes longer here than its share of a time limit without a limit of work.
    monkeypatch.setattr(offline, "_GENERATION", 0.0)
    monkeypatch.setattr(offline, "_LOCAL_SEARCH", 0.0)
    free, limited = (
        offline.solve(drawn(4), time_limit=limit, work_limit=0.05) for limit in (None, 100.0)
    )
    assert not limited.timed
    assert (free.bound, free.objective) == (limited.bound, limited.objective)


@pytest.mark.usefixtures("short_local_search")
def test_the_tree_has_a_limit_of_work_and_no_share_of_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    branched = offline.branched
    monkeypatch.setattr(
        offline, "branched", lambda *_, **given: asked.append(given) or branched(*_, **given)
    )
    began = time.monotonic()
    offline.solve(drawn(4), time_limit=100.0, work_limit=0.05)
    assert [given["work"] for given in asked] == [pytest.approx(0.005)]
    assert asked[0]["deadline"] == pytest.approx(began + 100.0, abs=1.0)


@pytest.mark.usefixtures("short_local_search")
@pytest.mark.parametrize(("left", "begins"), [(2.0, False), (10.0, True)])
def test_the_exact_solver_begins_only_where_the_search_gave_up(
    left: float, begins: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A search that ended by itself leaves up to 3 % of the time.
    passed, begun = [0.0], []

    def search(_: object, __: object, known: Any, end: float, *___: object) -> Any:
        passed[0] = end - left - time.monotonic()
        return known

    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + passed[0])
    monkeypatch.setattr(offline, "time", clock)
    monkeypatch.setattr(offline, "_SMALL", -1)
    monkeypatch.setattr(offline, "deadlines_first", search)
    monkeypatch.setattr(offline, "exact_until", lambda *given: begun.append(given))
    monkeypatch.setattr(offline, "joined", lambda _, known, __: known)
    found = offline.solve(drawn(4), time_limit=100.0)
    assert found.status == "feasible" and found.timed is not begins
    assert len(begun) == begins


def test_units_of_work_are_not_held_against_seconds() -> None:
    # The least part of the work, 30 units, is more than there are seconds: the search begins.
    found = searched(two_alike(), 30.0, 20.0, options=DeadlineOptions(work_limit=1000.0))
    assert found.objective == pytest.approx(12.3841, abs=1e-4)
    assert not found.timed


def test_a_search_needs_a_limit() -> None:
    ins = two_alike()
    with pytest.raises(InputError, match="a finite deadline or a limit of work"):
        deadline_search(ins, told_nothing(ins, 30.0), empty(ins), deadline=math.inf)


def test_plans_keep_the_limit_of_work(monkeypatch: pytest.MonkeyPatch) -> None:
    state = state_of(two_alike(), 30.0, DeadlineOptions(work_limit=1.0))
    program = PlanProgram(state, {0: 1, 1: 1}, 1.0)
    asked: list[str] = []
    monkeypatch.setattr(program, "add_known_cuts", lambda: len(asked.append("known") or ""))
    monkeypatch.setattr(program, "add_new_cuts", lambda: len(asked.append("new") or ""))
    program.solve_with_cuts()
    assert asked == ["known", "new"]
    assert state.budget.spent > 0  # fewer than a hundred iterations of the simplex count, too
    state.budget.spent = state.budget.work
    program.solve_with_cuts()
    assert asked == ["known", "new"]


def test_a_program_that_presolve_solves_counts_as_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    state = state_of(two_alike(), 30.0, DeadlineOptions(work_limit=1.0))
    program = state.totals.program(whole=False)
    solved = replace(run_highs(program), work=0)
    monkeypatch.setattr("solvers.utility.deadlines.state.run_highs", lambda *_, **__: solved)
    state.solve(program, HighsOptions())
    assert state.budget.spent == program.matrix.nnz / LOOKS_PER_UNIT > 0


def test_an_infinite_share_is_all_the_work_that_is_left() -> None:
    limited = state_of(two_alike(), 30.0, DeadlineOptions(work_limit=1.0))
    free = state_of(two_alike(), 30.0)
    program = free.totals.program(whole=False)
    assert free.budget.limits(program, math.inf).work_limit is None
    whole = limited.budget.limits(program, 1.0).work_limit
    assert limited.budget.limits(program, math.inf).work_limit == whole
    limited.budget.spent = 0.5
    half = limited.budget.limits(program, math.inf).work_limit
    assert half is not None and whole is not None and abs(2 * half - whole) <= 1


def test_without_a_limit_of_work_the_clock_stops_programs_that_are_slow_for_their_work() -> None:
    given: dict[str, Any] = {"slowest": (2.0, math.inf), "provable": 0}
    free, limited, provable = (
        state_of(two_alike(), 30.0, DeadlineOptions(**{**given, **changes}))
        for changes in ({}, {"work_limit": 60.0}, {"provable": 250})
    )
    program = free.totals.program(whole=False)
    for share, seconds in ((0.1, 12.0), (0.9, 60.0), (math.inf, 60.0)):  # a minute is left
        assert free.budget.limits(program, share).time_limit == pytest.approx(seconds, abs=0.5)
        for state in (limited, provable):
            assert state.budget.limits(program, share).time_limit == pytest.approx(60.0, abs=0.5)

"""A search whose child processes die: it ends, keeps what it has, and says so."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solvers.errors import WrongSolution
from solvers.highs import LinearProgram, MatrixResult, adapter, child, solve
from solvers.highs.engine import HighsError
from solvers.highs.growing import GrowingProgram, Infeasible
from solvers.highs.outcome import Outcome
from solvers.utility import exact, offline
from solvers.utility.branching import branched
from solvers.utility.deadline_relaxation import DeadlineRelaxation
from solvers.utility.deadlines import DeadlineOptions, choose
from solvers.utility.deadlines.complete import complete
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.prove import bound_with_cuts
from solvers.utility.pool_bound import PoolPrices
from solvers.utility.separation import PackingSeparator
from tests.solvers.utility.test_deadline_search import drawn, searched
from tests.solvers.utility.test_exact import contended
from tests.solvers.utility.test_relax_and_fix import result_of
from tests.solvers.utility.test_time_grid import GRIDDED, state_of, two_alike

SAID = "child ended early with code 9: no memory"


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every child process dies, and the smallest of programs has one."""
    script = "import os, sys; sys.stderr.write('no memory'); sys.stderr.flush(); os._exit(9)"
    monkeypatch.setattr(child, "COMMAND", (sys.executable, "-c", script))
    monkeypatch.setattr("solvers.utility.deadlines.state.SMALL_MIP", 0)
    monkeypatch.setattr(offline, "_SMALL", -1)


@pytest.mark.usefixtures("dying", "short_local_search")
def test_a_search_with_a_limit_of_work_ends_though_its_children_die() -> None:
    found = offline.solve(drawn(4), time_limit=None, work_limit=0.3)
    assert found.status == "feasible" and found.ending == SAID
    assert found.timed  # what died may live elsewhere: another run may end otherwise
    assert found.bound_source == "prices"


@pytest.mark.usefixtures("dying")
def test_a_process_that_died_is_not_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose.Rounds, "_round", lambda _: False)
    begun = []
    begin = choose.BoundProcess.begin
    monkeypatch.setattr(
        choose.BoundProcess, "begin", lambda *given: begun.append(given) or begin(*given)
    )
    known = searched(contended(0), 200.0, 30.0, threads=2)
    assert len(begun) == 1
    assert known.failure == SAID
    assert known.bound == 200.0


def test_there_is_nothing_to_decide_where_all_jobs_are_given_up() -> None:
    # Merged so coarsely, all that a plan still has may be worth nothing in the program.
    options = DeadlineOptions(work_limit=1e-3, provable=0, coarse=(0.2, 0.2))
    known = searched(contended(43), 6.565, 20.0, options=options)
    assert known.bound is not None and 6.5 <= known.bound <= 6.565


def test_what_highs_fails_with_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object) -> None:
        raise HighsError("no basis")

    monkeypatch.setattr(PlanProgram, "solve", fails)
    state = state_of(two_alike(), 30.0, GRIDDED)
    assert bound_with_cuts(state, {0: 1}) == math.inf
    assert state.known.failure == "no basis"
    state.known.failure = ""
    assert result_of(complete(state, {0: 1}, math.inf, [1.0], lambda: False)) == math.inf
    assert state.known.failure == "no basis"


def test_a_plan_is_never_infeasible_unless_deadlines_are_excluded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # No schedule is one with any deadlines: HiGHS has failed, and nothing is proven.
    def fails(*_: object) -> None:
        raise Infeasible("infeasible")

    monkeypatch.setattr(GrowingProgram, "solve", fails)
    state = state_of(two_alike(), 30.0)
    assert bound_with_cuts(state, {0: 1}) == math.inf
    assert "infeasible" in state.known.failure
    state.forbid({0: 1})
    assert bound_with_cuts(state, {0: 1}) == -math.inf


def test_whole_deadlines_are_not_excluded_because_highs_says_infeasible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Both jobs by slot 2: three quarters of each in fractions, so an integer program is solved.
    def lies(*_: object, **__: object) -> Outcome:
        return Outcome(ended="infeasible", message="Infeasible")

    monkeypatch.setattr(adapter, "run", lies)
    state = state_of(two_alike(), 30.0)
    assert state.may_prove
    assert 0 < bound_with_cuts(state, {0: 1, 1: 1}) < math.inf
    assert "infeasible" in state.known.failure


@pytest.mark.usefixtures("dying", "short_local_search")
def test_the_exact_solver_does_not_hide_what_failed_before_it() -> None:
    found = offline.solve(drawn(4), time_limit=20.0)
    assert found.is_optimal
    assert SAID in found.failure and SAID in str(found)


def test_the_exact_solver_tells_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise HighsError("no basis")

    monkeypatch.setattr(PackingSeparator, "cut", fails)
    found = exact.solve(drawn(4))
    assert found.is_optimal and found.ending == "Optimal; no basis"


@pytest.mark.parametrize("relaxed", [True, False])
def test_the_exact_solver_tells_which_program_failed(
    relaxed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(program: LinearProgram, *given: Any, **named: Any) -> MatrixResult:
        result = solve(program, *given, **named)
        if program.is_mip == relaxed:
            return result
        lost = {"objective": None, "bound": None, "x": None}
        return replace(result, status="failed", message="no basis", **lost)

    monkeypatch.setattr(exact, "run_highs", fails)
    found = exact.solve(drawn(4))
    assert found.failure == "no basis"
    assert found.is_optimal == relaxed
    assert found.ending == ("Optimal; no basis" if relaxed else "no basis")


@pytest.mark.usefixtures("highs_here", "short_local_search")
@pytest.mark.parametrize("what", ["solve", "separate"])
def test_a_tree_tells_what_failed(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise HighsError("no basis")

    if what == "solve":
        monkeypatch.setattr(DeadlineRelaxation, what, fails)
    else:
        monkeypatch.setattr(PackingSeparator, "cut", fails)
    instance = drawn(4)
    none = np.zeros((instance.cluster.slots, len(instance.cluster.resources)))
    grown = branched(instance, PoolPrices(none, none), leaves=10)
    assert grown.failure == "no basis"
    assert not (what == "solve" and grown.prices.tree)


def test_deadlines_that_are_all_excluded_prove_something_and_are_no_failure() -> None:
    # Each takes the server for two slots. Neither may complete alone, nor one of them by slot 1 and
    # the other by slot 3: so both would have to by slot 2, and there is room for one and a half.
    state = state_of(two_alike(), 30.0)
    for ends in {0: 1}, {1: 1}, {0: 1, 1: 3}:
        state.forbid(ends)
        assert bound_with_cuts(state, {0: 1, 1: 1}) > -math.inf
    state.forbid({0: 3, 1: 1})
    assert not state.is_forbidden({0: 1, 1: 1})
    assert bound_with_cuts(state, {0: 1, 1: 1}) == -math.inf
    steps = complete(state, {0: 1, 1: 1}, math.inf, [1.0], lambda: False)
    assert result_of(steps) == -math.inf
    assert state.known.failure == ""


def test_a_bound_below_the_best_schedule_is_a_wrong_solution() -> None:
    # Excluded deadlines may be better than the best schedule by `least_gain`, others may not.
    state = state_of(two_alike(), 30.0)
    state.known.objective = 10.0
    least_gain = state.options.least_gain
    for bound in 10.0 * (1 - 0.9 * least_gain), -math.inf:
        state.known.bound = None
        state.take_program_bound(bound * state.factor - state.totals.left_out)
        assert state.known.bound == pytest.approx(10.0 * (1 + least_gain))
    with pytest.raises(WrongSolution, match="worth 10"):
        state.take_program_bound(9.9 * state.factor - state.totals.left_out)
    state.known.objective = 0.0
    state.take_program_bound(-1e-9 - state.totals.left_out)  # HiGHS's round-off
    assert state.known.bound == 0.0

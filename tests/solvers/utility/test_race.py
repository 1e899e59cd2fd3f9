"""Two ways to the optimum at the same time: who wins, and what becomes of the other."""

from __future__ import annotations

import math
import os
import re
import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from benchmarks import draw
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.background_call import BackgroundCall, ChildDied
from solvers.errors import WrongSolution
from solvers.result import SolveResult
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.offline import solve
from solvers.utility.pool_bound import pool_bound
from solvers.utility.steps import exact_until, joined, relaxed, without_exact

Found = SolveResult[UtilitySchedule]


@pytest.fixture
def small() -> UtilityInstance:
    instance: UtilityInstance = draw("utility", jobs=5, slots=6, servers=(3, 3), seed=2)
    return instance


@pytest.fixture
def optimum(small: UtilityInstance) -> float:
    found = solve_exactly(small)
    assert found.is_optimal and found.objective is not None
    return found.objective


def dies(*_: object, **__: object) -> None:
    os._exit(1)


def never(*_: object, **__: object) -> None:
    time.sleep(600)


def short(*given: Any, **options: Any) -> Found:
    """Column generation and local search alone."""
    return relaxed(*given, (math.inf, math.inf), options["moves"])[0]


def fails(*_: object, **__: object) -> None:
    raise ValueError("no good")


@pytest.mark.parametrize("rival", [without_exact, never])
def test_the_exact_solver_proves_it(
    rival: Any, small: UtilityInstance, optimum: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solvers.utility.race.without_exact", rival)
    found = solve(small, time_limit=60, threads=2)
    assert found.is_optimal and found.timed and found.message != "time limit"
    assert found.seconds < 40  # nobody waits for the other
    assert found.objective == pytest.approx(optimum, rel=1e-4)


def test_a_child_that_dies_is_told(
    small: UtilityInstance, optimum: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[BackgroundCall[Found]] = []

    def call(function: Any) -> BackgroundCall[Found]:
        calls.append(BackgroundCall(function))
        return calls[0]

    def late(*given: Any) -> Found:
        assert isinstance(calls[0].future.exception(60), ChildDied)
        return exact_until(*given)

    monkeypatch.setattr("solvers.utility.race.without_exact", dies)
    monkeypatch.setattr("solvers.utility.race.BackgroundCall", call)
    monkeypatch.setattr("solvers.utility.race.exact_until", late)
    found = solve(small, time_limit=120, threads=2)
    assert found.is_optimal and "code 1" in found.failure
    assert found.objective == pytest.approx(optimum, rel=1e-4)


def test_a_child_that_cannot_be_started_is_told(
    small: UtilityInstance, optimum: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no memory")

    monkeypatch.setattr("solvers.background_call.start_process", refuse)
    found = solve(small, time_limit=60, threads=2)
    assert found.is_optimal and "no child process: no memory" in found.failure
    assert found.objective == pytest.approx(optimum, rel=1e-4)


def nothing(
    instance: UtilityInstance, end: float, start: UtilitySchedule | None, stop: threading.Event
) -> Found:
    """The exact solver with no time left, at the end of the limit."""
    time.sleep(max(0.0, end - time.monotonic()))
    return exact_until(instance, end, start, stop)


@pytest.mark.parametrize("rival", [never, short])
def test_neither_proves_it(
    rival: Any, small: UtilityInstance, optimum: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solvers.utility.race.exact_until", nothing)
    monkeypatch.setattr("solvers.utility.race.without_exact", rival)
    found = solve(small, time_limit=5, threads=2)
    killed = "time limit; search by deadlines, overrun: killed"
    # Where the machine is busy, the other one may come too late as well.
    said = [killed] if rival is never else ["time limit", killed]
    assert found.status == "feasible" and found.ending in said
    assert found.seconds < 5 + 2.5 + 2  # what a child has that does not keep its limit, and more
    assert found.objective is not None and found.bound is not None
    assert found.objective <= optimum <= found.bound < math.inf
    assert pool_bound(small, found.duals) >= found.bound


def slow(
    instance: UtilityInstance, end: float, start: UtilitySchedule | None, stop: threading.Event
) -> Found:
    """The exact solver, once it has been stopped."""
    assert stop.wait(60)
    return exact_until(instance, end, start, stop)


def test_deadlines_prove_it(
    small: UtilityInstance, optimum: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solvers.utility.race.exact_until", slow)
    found = solve(small, time_limit=60, threads=2)
    assert found.is_optimal and found.timed and found.seconds < 60
    assert (found.solver, found.message) == ("HiGHS, deadlines first", "")
    assert found.objective == pytest.approx(optimum, rel=1e-4)


def test_an_error_is_not_hidden(small: UtilityInstance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.utility.race.exact_until", slow)
    monkeypatch.setattr("solvers.utility.race.without_exact", fails)
    with pytest.raises(ValueError, match="no good"):
        solve(small, time_limit=60, threads=2)


def test_an_exact_solver_that_is_stopped_keeps_what_it_has(small: UtilityInstance) -> None:
    stop = threading.Event()
    stop.set()
    found = solve_exactly(small, time_limit=None, stop=stop)
    assert found.message == "stopped"
    assert found.status == "feasible" and found.timed and found.schedule is not None


@pytest.mark.parametrize("first", ["schedule", "bound"])
def test_a_bound_below_a_schedule_of_another_step_by_round_off_is_raised(
    first: str, small: UtilityInstance
) -> None:
    known, _ = relaxed(small, None, (math.inf, math.inf), 0)
    assert known.objective is not None and known.bound is not None and known.is_optimal is False
    worth = known.objective
    low = replace(known, objective=worth / 2, bound=worth * (1 - 5e-7), bound_source="milp")
    found = replace(known, bound=2 * worth, bound_source="milp")
    both = joined(small, *((found, low) if first == "schedule" else (low, found)))
    assert both.is_optimal and both.objective == both.bound == worth
    wrong = replace(low, bound=worth * (1 - 5e-6))
    with pytest.raises(WrongSolution, match=re.escape(small.name)):
        joined(small, found, wrong)


def test_a_bound_comes_with_the_prices_that_prove_it(small: UtilityInstance) -> None:
    # One column generation is cut off at once, the other is not.
    early, _ = relaxed(small, None, (0.0, 0.0), 0)
    late, _ = relaxed(small, None, (math.inf, math.inf), 0)
    assert late.bound is not None and early.bound is not None and late.bound < early.bound
    for both in joined(small, early, late), joined(small, late, early):
        assert (both.bound, both.bound_source) == (late.bound, "prices")
        assert pool_bound(small, both.duals) == late.bound
    word = replace(early, bound=0.9 * late.bound, bound_source="milp")
    both = joined(small, late, word)
    assert (both.bound_source, both.duals) == ("milp", late.duals)

"""Two ways to the optimum at the same time: who wins, and what becomes of the other."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import pytest

from benchmarks import draw
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.result import SolveResult
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.offline import solve
from solvers.utility.steps import exact_until

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


def dies(*_: object) -> None:
    os._exit(1)


def never(*_: object) -> None:
    time.sleep(600)


def fails(*_: object) -> None:
    raise ValueError("no good")


@pytest.mark.parametrize("rival", [None, dies, never])
def test_the_exact_solver_proves_it(
    rival: Any, small: UtilityInstance, optimum: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    if rival is not None:
        monkeypatch.setattr("solvers.utility.race.without_exact", rival)
    found = solve(small, time_limit=60, threads=2)
    assert found.is_optimal and found.timed and found.message != "time limit"
    assert found.objective == pytest.approx(optimum, rel=1e-4)


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
    assert found.status == "feasible" and found.timed and found.schedule is not None

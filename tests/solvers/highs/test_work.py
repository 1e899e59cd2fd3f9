"""A limit on HiGHS's work stops at the same place, whatever the clock."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from solvers.highs import HighsOptions, LinearProgram, engine, solve
from solvers.highs.outcome import Outcome, Silence


def knapsacks() -> LinearProgram:
    rng = np.random.default_rng(0)
    weight = rng.integers(10, 60, size=(8, 30)).astype(float)
    return LinearProgram(
        sense="max",
        cost=weight.sum(axis=0) + rng.integers(0, 9, size=30),
        matrix=weight,
        row_upper=weight.sum(axis=1) // 2,
        upper=np.ones(30),
        integer=np.ones(30, dtype=bool),
    )


def test_the_same_limit_on_work_gives_the_same_in_a_process_and_here() -> None:
    limited = HighsOptions(work_limit=100)
    here = solve(knapsacks(), limited, in_child=False)
    child = solve(knapsacks(), limited, in_child=True)
    assert (here.objective, here.bound, here.work) == (child.objective, child.bound, child.work)
    assert np.array_equal(here.x, child.x)
    assert here.status == "feasible"
    assert 100 <= here.work < 150
    more = solve(knapsacks(), HighsOptions(work_limit=200), in_child=False)
    assert more.bound <= here.bound
    assert more.work > here.work


def test_iterations_of_a_linear_program_are_its_work() -> None:
    result = solve(knapsacks().relaxed())
    assert result.is_optimal
    assert result.work == 1  # a few dozen iterations


def test_a_linear_program_of_many_iterations_has_work_and_keeps_its_limit() -> None:
    # No row of the assignment problem can be left out, so that more than 200 columns become basic.
    size = 200
    cost = np.random.default_rng(0).random((size, size))
    each = np.kron(np.eye(size), np.ones(size)), np.kron(np.ones(size), np.eye(size))
    program = LinearProgram(
        sense="min", cost=cost.ravel(), matrix=np.vstack(each), row_lower=1, row_upper=1, upper=1
    )
    result = solve(program)
    assert result.is_optimal
    assert 2 <= result.work <= 100
    limited = solve(program, HighsOptions(work_limit=1))
    assert (limited.is_optimal, limited.work, limited.message) == (False, 1, "iteration limit")


def test_a_solve_is_stopped_from_another_thread() -> None:
    for in_child in (False, True):
        stop = threading.Event()
        timer = threading.Timer(0.3, stop.set)
        timer.start()
        found = solve(knapsacks(), HighsOptions(mip_rel_gap=0.0), in_child=in_child, stop=stop)
        timer.join()
        assert not found.is_optimal and "stopped" in found.message


def test_further_solves_have_what_is_left_of_the_time_and_their_work_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, attempt = [], engine._attempt

    def watched(
        program: LinearProgram, options: HighsOptions, *given: object, **named: object
    ) -> Outcome | None:
        asked.append((options.time_limit, named["stop"]))
        time.sleep(0.01)
        outcome = attempt(program, options, *given, **named)  # type: ignore[arg-type]
        return None if outcome is None else replace(outcome, work=5)

    monkeypatch.setattr(engine, "_attempt", watched)
    ray = LinearProgram(sense="max", cost=[1], matrix=[[1]], row_lower=2, integer=True)
    limited, stop = HighsOptions(time_limit=10.0), threading.Event()
    found = engine.run(ray, limited, None, Silence(), want_log=False, stop=stop)
    assert (found.ended, found.work) == ("unbounded", 10)  # a feasible point, then a ray
    limits, stops = zip(*asked, strict=True)
    assert limits[0] > limits[1] > limits[2] > 0
    assert stops == (stop, stop, stop)

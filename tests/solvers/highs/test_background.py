"""A solve beside: the same result, known bounds, and no child that is left running."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from models.errors import InputError
from solvers.highs import HighsOptions, solve
from solvers.highs.background import Background
from tests.solvers.highs.test_child import market_split, worth_of_pairs


def test_the_result_is_that_of_a_solve() -> None:
    program = worth_of_pairs()
    with Background(program, HighsOptions()) as beside:
        found = beside.result()
        assert beside.finished
    alone = solve(program)
    assert (found.status, found.objective, found.bound) == ("optimal", 5.0, alone.bound)
    assert found.x is not None
    assert found.x.tolist() == [1.0, 2.0]


def test_it_is_stopped_when_it_takes_longer_and_what_it_knows_is_kept() -> None:
    with Background(market_split(0), HighsOptions(time_limit=60.0)) as beside:
        while beside.bound is None and not beside.finished:
            beside.wait(0.1)  # its process loads, on a slow machine for seconds
        began = time.monotonic()
        found = beside.result(0.1)
        assert time.monotonic() - began < 15.0  # the end of a process, with room to spare
    assert found.status in ("feasible", "bounded")
    assert found.message == "stopped: child killed"
    assert found.bound is not None
    assert found.bound >= 5.0 - 1e-6  # the offset


def test_what_it_has_found_so_far_can_be_read_and_a_refuted_bound_is_none() -> None:
    with Background(worth_of_pairs(), HighsOptions()) as beside:
        beside.wait(30.0)
        assert beside.finished
        assert beside.incumbent is not None
        assert beside.incumbent.tolist() == [1.0, 2.0]
        assert beside.bound == pytest.approx(5.0)
        beside._tally.best_bound = 5.0 - 1e-8  # round-off
        assert beside.bound == beside._tally.objective
        beside._tally.best_bound = 4.0
        assert beside.bound is None
    with Background(market_split(0), HighsOptions(time_limit=60.0)) as beside:
        assert beside.bound is None  # its process is still to load
        beside.wait(0.01)
        assert not beside.finished


def test_without_a_thread_it_has_failed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with Background(worth_of_pairs(), HighsOptions(), np.zeros(2)) as beside:
        assert beside.finished
        beside.wait(1.0)
        found = beside.result(1.0)
    assert found.died and found.message == "no thread: can't start new thread"
    assert found.bound is None


def test_round_off_is_no_refutation_in_a_minimisation() -> None:
    with Background(replace(worth_of_pairs(), sense="min"), HighsOptions()) as beside:
        found = beside.result()
        assert found.objective is not None
        beside._tally.best_bound = found.objective + 1e-8
        assert beside.bound == found.objective
        beside._tally.best_bound = found.objective + 1.0
        assert beside.bound is None


def test_leaving_it_stops_it() -> None:
    with Background(market_split(1), HighsOptions(time_limit=600.0)) as beside:
        assert not beside.finished
    assert beside.finished


def test_a_fault_of_the_child_is_told_to_the_one_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("no process")

    monkeypatch.setattr("solvers.highs.background.run_in_child", broken)
    with Background(worth_of_pairs(), HighsOptions()) as beside:
        with pytest.raises(OSError, match="no process"):
            beside.result()


def test_options_that_do_not_fit_are_refused_at_once() -> None:
    with pytest.raises(InputError, match="solver"):
        Background(worth_of_pairs(), HighsOptions(extra={"solver": "ipm"}))


def test_a_start_counts_at_once_and_has_to_be_feasible() -> None:
    program = worth_of_pairs()
    with Background(program, HighsOptions(), np.array([0.0, 2.0])) as beside:
        assert beside.incumbent is not None  # before its process has loaded
        found = beside.result()
    assert found.objective == 5.0
    with pytest.raises(InputError, match="start: "):
        Background(program, HighsOptions(), np.array([9.0, 9.0]))

"""Rounds of deadlines first, where there is hope to prove the optimum."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solvers.highs import solve as run_highs
from solvers.utility.deadlines.choose import Rounds
from solvers.utility.deadlines.complete import Completion
from solvers.utility.deadlines.prove import BoundProcess
from tests.solvers.utility.test_time_grid import shared_of, two_alike


def test_forbidden_deadlines_are_those_later_and_fewer() -> None:
    shared = shared_of(two_alike(), 30.0)
    shared.forbid({0: 1, 1: 3})
    for ends in ({0: 1, 1: 3}, {0: 2, 1: 3}, {1: 4}, {}):
        assert shared.is_forbidden(ends)
    for ends in ({0: 0, 1: 3}, {0: 1, 1: 2}, {0: 1, 1: 3, 2: 4}):
        assert not shared.is_forbidden(ends)


def test_the_process_is_waited_for_where_rounds_give_nothing_new() -> None:
    # It finds the deadlines, which are completed and excluded, until nothing better is left.
    shared = shared_of(two_alike(), 30.0)
    assert shared.may_prove
    with BoundProcess() as process:
        rounds = Rounds(shared, Completion(shared), process)
        rounds._round = lambda: False  # type: ignore[method-assign]
        rounds.run()
        assert not process.is_busy
    assert shared.known.objective == pytest.approx(12.3841, abs=1e-4)
    assert shared.known.bound == pytest.approx(12.3841, rel=1e-4)


def test_a_round_that_was_only_cut_short_has_twice_the_work_next_time() -> None:
    shared = shared_of(two_alike(), 30.0)
    rounds = Rounds(shared, Completion(shared))
    whole = run_highs(shared.totals.program(whole=False))
    cut_short = replace(whole, status="feasible", bound=2 * whole.objective)
    assert not rounds._more(False, whole)
    assert rounds._more(True, cut_short)
    assert rounds._effort == 1.0
    assert rounds._more(False, cut_short)
    assert rounds._effort == 2.0

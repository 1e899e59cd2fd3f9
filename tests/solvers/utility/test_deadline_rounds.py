"""Rounds of deadlines first, where there is hope to prove the optimum."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from solvers.highs import solve as run_highs
from solvers.utility.deadlines import choose
from solvers.utility.deadlines.bound_process import BoundProcess
from solvers.utility.deadlines.choose import Rounds
from solvers.utility.deadlines.complete import DeadlineCompletion
from solvers.utility.deadlines.state import DeadlineProgram
from tests.solvers.utility.test_time_grid import shared_of, two_alike


def test_forbidden_deadlines_are_those_later_and_fewer() -> None:
    shared = shared_of(two_alike(), 30.0)
    shared.forbid({0: 1, 1: 3})
    for ends in ({0: 1, 1: 3}, {0: 2, 1: 3}, {1: 4}, {}):
        assert shared.is_forbidden(ends)
    for ends in ({0: 0, 1: 3}, {0: 1, 1: 2}, {0: 1, 1: 3, 2: 4}):
        assert not shared.is_forbidden(ends)


def proving_rounds(bound: float = 30.0) -> tuple[DeadlineProgram, DeadlineCompletion, Rounds]:
    shared = shared_of(two_alike(), bound)
    assert shared.may_prove
    completion = DeadlineCompletion(shared, lambda schedule: schedule)
    return shared, completion, Rounds(shared, completion)


def test_the_process_beside_stops_the_race_when_it_is_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class NeverDone:
        finished = False

        def __init__(self, *_: object) -> None: ...

        def __enter__(self) -> NeverDone:
            return self

        def __exit__(self, *_: object) -> None: ...

    shared, _, rounds = proving_rounds()
    with BoundProcess() as bound_process:
        rounds.use_bound_process(bound_process)
        monkeypatch.setattr(choose, "Background", NeverDone)
        assert rounds._race()
    assert shared.known.bound == pytest.approx(12.3841, rel=1e-3)


def test_the_race_is_tried_where_short_rounds_give_the_same_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Each finds the same point, and runs out of time.
    shared, completion, rounds = proving_rounds()
    result = run_highs(shared.totals.program(whole=False))
    cut_short, races = replace(result, status="feasible", bound=2 * result.objective), []
    monkeypatch.setattr(completion, "look_around", lambda *_: cut_short)
    monkeypatch.setattr(completion, "complete", lambda *_: False)
    monkeypatch.setattr(rounds, "_bound_process", SimpleNamespace(is_busy=True))
    monkeypatch.setattr(rounds, "_race", lambda: races.append(True))
    rounds._run()
    assert races == [True]
    assert shared.known.bound == 30.0  # no bound is taken from such a round

"""Rounds of deadlines first, where there is hope to prove the optimum."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from solvers.highs import solve as run_highs
from solvers.utility import deadline_rounds
from solvers.utility.aside import Aside
from solvers.utility.deadline_completion import DeadlineCompletion
from solvers.utility.deadline_program import DeadlineProgram
from solvers.utility.deadline_rounds import Rounds
from tests.solvers.utility.test_time_grid import ground_of, two_alike


def test_forbidden_deadlines_are_those_later_and_fewer() -> None:
    ground = ground_of(two_alike(), 30.0)
    ground.forbid({0: 1, 1: 3})
    for ends in ({0: 1, 1: 3}, {0: 2, 1: 3}, {1: 4}, {}):
        assert ground.is_forbidden(ends)
    for ends in ({0: 0, 1: 3}, {0: 1, 1: 2}, {0: 1, 1: 3, 2: 4}):
        assert not ground.is_forbidden(ends)


def fine_rounds(bound: float = 30.0) -> tuple[DeadlineProgram, DeadlineCompletion, Rounds]:
    ground = ground_of(two_alike(), bound)
    assert ground.fine
    completion = DeadlineCompletion(ground, lambda schedule: schedule)
    return ground, completion, Rounds(ground, completion)


def test_the_process_beside_stops_the_race_when_it_is_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class NeverDone:
        finished = False

        def __init__(self, *_: object) -> None: ...

        def __enter__(self) -> NeverDone:
            return self

        def __exit__(self, *_: object) -> None: ...

    ground, _, rounds = fine_rounds()
    with Aside() as aside:
        rounds.prove_aside(aside)
        monkeypatch.setattr(deadline_rounds, "Background", NeverDone)
        assert rounds._race()
    assert ground.known.bound == pytest.approx(12.3841, rel=1e-3)


def test_the_race_is_tried_where_short_rounds_give_the_same_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Each finds the same point, and runs out of time.
    ground, completion, rounds = fine_rounds()
    result = run_highs(ground.totals.program(whole=False))
    cut_short, races = replace(result, status="feasible", bound=2 * result.objective), []
    monkeypatch.setattr(completion, "look_around", lambda *_: cut_short)
    monkeypatch.setattr(completion, "complete", lambda *_: False)
    monkeypatch.setattr(rounds, "_aside", SimpleNamespace(works=True))
    monkeypatch.setattr(rounds, "_race", lambda: races.append(True))
    rounds._run()
    assert races == [True]
    assert ground.known.bound == 30.0  # no bound is taken from such a round

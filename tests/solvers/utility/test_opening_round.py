"""The round that opens the search for large instances: in less room, with a rounded plan."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs import solve as run_highs
from solvers.utility.deadlines import DeadlineOptions, choose, prove
from solvers.utility.deadlines.choose import Rounds
from solvers.utility.deadlines.prove import BoundProcess
from solvers.utility.deadlines.state import Steps
from tests.solvers.utility.test_deadline_rounds import Paused
from tests.solvers.utility.test_time_grid import GIVEN, GRIDDED, state_of, two_alike

OPENING = {"rounding": 0.9, "opening": 0.125, "choosing": 0.25}


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "Background", Paused)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (replace(GRIDDED, **OPENING), ["opening", "bound", "bound"]),
        (replace(GRIDDED, **OPENING, work_limit=100.0), ["opening", "bound", "bound"]),
        (replace(GRIDDED, rounding=0.0), ["bound", "bound", "bound"]),
        (replace(GIVEN, **OPENING), ["bound", "bound", "bound"]),  # a proof is hoped for
    ],
)
def test_without_the_process_one_round_opens_the_search_and_the_others_are_for_the_bound(
    options: DeadlineOptions, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, made = state_of(two_alike(), 30.0, options), list[str]()
    bound_program = choose.bound_program

    def for_bound(*given: Any, **named: Any) -> prove.Asked:
        made.append("bound")
        return bound_program(*given, **named)

    def plans(*given: Any) -> Steps[float]:
        if given[3] == [0.9]:
            made.append("opening")
        yield
        return math.inf

    monkeypatch.setattr(choose, "bound_program", for_bound)
    monkeypatch.setattr(choose, "complete", plans)
    rounds = Rounds(state, BoundProcess(), uses_process=False)
    more = [rounds._round() for _ in range(3)]
    assert made == expected
    assert more[0] or made[0] == "bound"
    assert state.known.bound is not None
    assert state.known.bound >= 12.3841 * (1 - 1e-4)


@pytest.mark.parametrize("status", ["bounded", "interrupted"])
def test_the_opening_round_takes_nothing_from_the_others(
    status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It finds nothing: the next round is begun all the same, and has no more work for that.
    state = state_of(two_alike(), 30.0, replace(GRIDDED, **OPENING))
    shares, limits = list[float](), state.budget.limits

    def watched(program: LinearProgram, share: float, gap: float | None = None) -> HighsOptions:
        if gap is not None:
            shares.append(share)
        return limits(program, share, gap)

    def solved(program: LinearProgram, *_: object) -> MatrixResult:
        result = run_highs(program)
        if program.is_mip:
            bound = result.bound if status == "bounded" else None
            return replace(result, status=status, x=None, objective=None, bound=bound)
        return result

    monkeypatch.setattr(state.budget, "limits", watched)
    monkeypatch.setattr(state, "solve", solved)
    rounds = Rounds(state, BoundProcess(), uses_process=False)
    assert rounds._round()
    assert rounds._effort == 1.0
    rounds._round()
    assert shares == pytest.approx([0.125, 0.7])


@pytest.mark.usefixtures("paused")
def test_with_a_process_no_round_opens_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    state, rooms = state_of(two_alike(), 30.0, GRIDDED), list[list[float]]()

    def plans(*given: Any) -> Steps[float]:
        rooms.append(given[3])
        yield
        return math.inf

    monkeypatch.setattr(choose, "complete", plans)
    with closing(BoundProcess()) as process:
        rounds = Rounds(state, process, uses_process=True)
        rounds._round()
    assert rooms == [[0.97]]


def test_deadlines_that_were_only_rounded_are_still_completed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, rooms = state_of(two_alike(), 30.0, replace(GRIDDED, **OPENING)), list[list[float]]()

    def plans(*given: Any) -> Steps[float]:
        rooms.append(given[3])
        yield
        return math.inf

    monkeypatch.setattr(choose, "complete", plans)
    rounds = Rounds(state, BoundProcess(), uses_process=False)
    ends = {0: 1, 1: 3}
    for given in ([0.9], [0.995, 1.0], [0.995, 1.0]):
        rounds._complete(ends, math.inf, given)
    assert rooms == [[0.9], [0.995, 1.0]]


@pytest.mark.usefixtures("highs_here")
def test_what_opens_the_search_in_less_room_says_nothing_of_the_bound() -> None:
    state = state_of(two_alike(), 30.0, replace(GRIDDED, rounding=0.9))
    rounds = Rounds(state, BoundProcess(), uses_process=False)
    assert rounds._round()
    assert state.known.objective > 0
    assert state.known.bound == 30.0
    assert not state.forbidden

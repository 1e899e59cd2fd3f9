"""Rounds of deadlines first, and the process that works on the bound meanwhile."""

from __future__ import annotations

import errno
import math
import os
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solvers.errors import WrongSolution
from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs import solve as run_highs
from solvers.utility.deadlines import DeadlineOptions, choose, prove
from solvers.utility.deadlines.choose import Rounds
from solvers.utility.deadlines.prove import BoundProcess
from solvers.utility.deadlines.state import Steps
from solvers.utility.exact import solve as solve_exactly
from tests.solvers.utility.test_time_grid import GIVEN, GRIDDED, state_of, two_alike


class Paused:
    """In place of a solve in a child process: it has found a point and a bound, and never ends."""

    finished = False
    made = 0

    def __init__(
        self, program: LinearProgram, _: HighsOptions, start: np.ndarray | None = None
    ) -> None:
        self._result = run_highs(program)
        self.incumbent, self.bound = self._result.x, self._result.bound
        self.stopped = False
        Paused.made += 1

    def stop(self) -> None:
        self.stopped = True

    def result(self, seconds: float | None = None) -> MatrixResult:
        self.stop()
        return self._result

    def refutes(self, bound: float) -> bool:
        return False


class Idle(BoundProcess):
    """A process that tells what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = 0

    def begin(self, *given: Any) -> None:
        super().begin(*given)
        self.begun += 1


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "Background", Paused)


def test_forbidden_deadlines_are_those_later_and_fewer() -> None:
    state = state_of(two_alike(), 30.0)
    state.forbid({0: 1, 1: 3})
    for ends in ({0: 1, 1: 3}, {0: 2, 1: 3}, {1: 4}, {}):
        assert state.is_forbidden(ends)
    for ends in ({0: 0, 1: 3}, {0: 1, 1: 2}, {0: 1, 1: 3, 2: 4}):
        assert not state.is_forbidden(ends)


def test_the_process_is_waited_for_where_rounds_give_nothing_new() -> None:
    # It finds the deadlines, which are completed and excluded, until nothing better is left.
    state = state_of(two_alike(), 30.0)
    assert state.may_prove
    with closing(BoundProcess()) as process:
        rounds = Rounds(state, process, uses_process=True)
        rounds._round = lambda: False  # type: ignore[method-assign]
        rounds.run()
        assert not process.is_busy
    assert state.known.objective == pytest.approx(12.3841, abs=1e-4)
    assert state.known.bound == pytest.approx(12.3841, rel=1e-4)


def test_a_round_that_was_only_cut_short_has_twice_the_work_next_time() -> None:
    state = state_of(two_alike(), 30.0)
    rounds = Rounds(state, BoundProcess(), uses_process=False)
    whole = run_highs(state.totals.program(whole=False))
    cut_short = replace(whole, status="feasible", bound=2 * whole.objective)
    assert not rounds._another_helps(False, whole)
    assert rounds._another_helps(True, cut_short)
    assert rounds._effort == 1.0
    assert rounds._another_helps(False, cut_short)
    assert rounds._effort == 2.0


def test_cuts_alone_do_not_keep_the_program_for_the_bound_rough() -> None:
    # Every slot is an interval already, so that no grid is finer; each round has found a cut.
    state = state_of(two_alike(), 1000.0, replace(GRIDDED, intervals=1.0))
    rounds = Rounds(state, BoundProcess(), uses_process=False)
    result = run_highs(state.on_grid.program(whole=False))
    gaps = []
    for news in (True, True, False):
        gaps.append(prove.bound_program(state, 1.0, rough=rounds._refines)[1].mip_rel_gap)
        more = rounds._prepare_next(state.on_grid, result, news)
    assert gaps == [2e-3, 5e-4, 5e-4] and not more


def test_a_program_for_the_bound_that_was_cut_off_stays_rough() -> None:
    # It did not say where the grid should be finer, so that this may still come.
    state = state_of(two_alike(), 1000.0, GRIDDED)
    rounds = Rounds(state, BoundProcess(), uses_process=False)
    whole = run_highs(state.on_grid.program(whole=False))
    cut_off = replace(whole, status="feasible", bound=2 * whole.objective)
    assert rounds._prepare_next(state.on_grid, cut_off, True) and rounds._refines
    assert not rounds._prepare_next(state.on_grid, cut_off, False)  # so that it gets more work
    assert rounds._prepare_next(state.on_grid, whole, False) and rounds._refines  # on a finer grid


def test_no_round_has_more_than_all_of_the_work() -> None:
    state = state_of(two_alike(), 30.0)
    rounds = Rounds(state, BoundProcess(), uses_process=False)
    whole = run_highs(state.totals.program(whole=False))
    cut_short = replace(whole, status="feasible", bound=2 * whole.objective)
    for _ in range(20):
        assert rounds._another_helps(False, cut_short)
    assert rounds._effort * state.options.choosing == 1.0


def test_a_search_ends_where_highs_fails() -> None:
    # No work is charged then, so that a limit of work alone would not end it.
    state = state_of(two_alike(), 30.0, replace(GRIDDED, work_limit=1.0))
    solves = []

    def failed(program: LinearProgram, *_: object) -> MatrixResult:
        solves.append(program)
        nothing = {"x": None, "objective": None, "bound": None}
        return replace(run_highs(program), status="failed", **nothing)

    state.solve = failed  # type: ignore[method-assign, assignment]
    Rounds(state, BoundProcess(), uses_process=False).run()
    assert 0 < len(solves) < 10
    assert state.known.bound == 30.0


@pytest.mark.parametrize("refused", ["tempfile.TemporaryFile", "subprocess.Popen"])
@pytest.mark.parametrize("options", [GRIDDED, GIVEN])
def test_a_search_goes_on_without_a_process_that_cannot_start(
    options: DeadlineOptions, refused: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = state_of(two_alike(), 30.0, options)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    # The programs of the search itself are small ones, which need no process.
    monkeypatch.setattr(f"solvers.highs.child.{refused}", refuse)
    with closing(Idle()) as process:
        rounds = Rounds(state, process, uses_process=True)
        rounds.run()
        assert not process.is_busy
        assert process.begun == 1
    assert state.known.objective == pytest.approx(12.3841, abs=1e-4)
    assert state.known.bound == pytest.approx(12.3841, rel=1e-4)
    assert state.known.failure == "no child process: [Errno 12] Cannot allocate memory"


class Dying(Paused):
    """It dies while it is waited for, and has told nothing by then."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.incumbent = self.bound = None

    def wait(self, _: float) -> None:
        self.finished = True

    def result(self, seconds: float | None = None) -> MatrixResult:
        nothing = {"x": None, "objective": None, "bound": None}
        return replace(super().result(seconds), status="failed", died=True, **nothing)


def test_where_the_process_dies_while_it_is_waited_for_rounds_are_for_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = state_of(two_alike(), 30.0)
    monkeypatch.setattr(prove, "Background", Dying)
    with closing(Idle()) as process:
        rounds = Rounds(state, process, uses_process=True)
        rounds._around = lambda: False  # type: ignore[method-assign]
        rounds.run()
        assert process.begun == 1
    assert state.known.objective == pytest.approx(12.3841, abs=1e-4)
    assert state.known.bound == pytest.approx(12.3841, rel=1e-4)


@pytest.mark.usefixtures("paused")
@pytest.mark.parametrize("options", [GIVEN, GRIDDED])
def test_what_the_process_was_started_with_is_not_news(
    options: DeadlineOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It has ended, and starts again without the deadlines that are now excluded.
    state = state_of(two_alike(), 30.0, options)

    def excludes(*_: object) -> Steps[float]:
        yield
        return -math.inf

    monkeypatch.setattr(choose, "complete", excludes)
    with closing(Idle()) as process:
        rounds = Rounds(state, process, uses_process=True)
        process.close()
        process._solve = None
        result = run_highs(state.on_grid.program(whole=False))
        assert rounds._follow_up(state.on_grid, result, [1.0])
        assert len(state.forbidden) == 1
        assert process.begun == 2
        assert not rounds._news


@pytest.mark.usefixtures("paused")
def test_deadlines_found_so_far_are_completed_unless_they_were_or_are_forbidden() -> None:
    state = state_of(two_alike(), 30.0, GRIDDED)
    with closing(Idle()) as process:
        rounds = Rounds(state, process, uses_process=True)
        ends = rounds._found_by_process()
        assert ends == process.found()[0]
        assert len(ends) == 2
        assert rounds._has_better({0: 1})
        assert not rounds._has_better(ends)  # no better than these
        rounds._completed.add(frozenset(ends.items()))
        assert rounds._found_by_process() == {}
        rounds._completed.clear()
        assert rounds._found_by_process() == ends
        state.forbid(ends)
        assert rounds._found_by_process() == {}


@pytest.mark.usefixtures("paused")
def test_the_best_schedule_itself_is_not_completed_again() -> None:
    state = state_of(two_alike(), 30.0, GRIDDED)
    with closing(Idle()) as process:
        rounds = Rounds(state, process, uses_process=True)
        state.known.offer(solve_exactly(state.instance).schedule)
        ends = state.on_grid.ends(state.best_point(state.on_grid))
        process.found = lambda: (ends, math.inf)  # type: ignore[method-assign]
        assert rounds._found_by_process() == {}


@pytest.mark.usefixtures("paused")
def test_a_start_that_is_no_longer_the_best_schedule_was_not_found_by_the_process() -> None:
    state = state_of(two_alike(), 30.0, GRIDDED)
    # One job at slot 1; the other one, as good, stays out.
    first = run_highs(state.on_grid.program(whole=False, ends={0: 1})).x
    with closing(Idle()) as process:
        rounds = Rounds(state, process, uses_process=True)
        assert process._solve is not None
        process._solve[1].incumbent = first  # type: ignore[misc]
        ends, worth = process.found()
        assert list(ends) == [0] and worth < 12.3841 * state.factor
        assert rounds._found_by_process() == ends  # nothing is known that is better
        state.known.offer(solve_exactly(state.instance).schedule)
        assert rounds._found_by_process() == {}


def test_an_interrupt_while_the_process_is_waited_for_leaves_none_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Interrupted(Paused):
        def result(self, seconds: float | None = None) -> MatrixResult:
            raise KeyboardInterrupt

    monkeypatch.setattr(prove, "Background", Interrupted)
    state = state_of(two_alike(), 30.0)
    with pytest.raises(KeyboardInterrupt), closing(BoundProcess()) as process:
        process.begin(state.on_grid, prove.bound_program(state, math.inf, rough=False))
        assert process._solve is not None
        solve = process._solve[1]
        process.poll(1.0)
    assert solve.stopped  # type: ignore[attr-defined]


@pytest.mark.usefixtures("paused")
def test_the_bound_so_far_counts() -> None:
    state = state_of(two_alike(), 30.0, GRIDDED)
    with closing(Idle()) as process:
        rounds = Rounds(state, process, uses_process=True)
        rounds._poll(None)  # there is no result
        assert process.is_busy
        assert state.known.bound is not None
        assert 12.3841 * (1 - 1e-4) <= state.known.bound < 30.0
        assert process.begun == 1


@pytest.mark.usefixtures("paused")
def test_rounds_take_the_rooms_in_turn_and_the_first_gives_the_process_its_cuts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = state_of(two_alike(), 30.0, GRIDDED)
    asked, near = [], []
    where_undecided = LinearProgram.where_undecided

    def learns(*given: object) -> Steps[float]:
        asked.append(given[3])
        state.rows_added += 1
        yield
        return math.inf

    def watched(self: LinearProgram, points: list[np.ndarray], tolerance: float) -> LinearProgram:
        near.append(len(points))
        return where_undecided(self, points, tolerance)

    monkeypatch.setattr(choose, "complete", learns)
    monkeypatch.setattr(LinearProgram, "where_undecided", watched)
    with closing(Idle()) as process:
        rounds = Rounds(state, process, uses_process=True)
        for _ in range(6):
            rounds._completed.clear()
            rounds._around()
        assert asked == [[room] for room in 2 * state.options.rooms]
        assert near == [1, 1, 1, 2, 2, 2]  # the linear relaxation, then the best schedule, too
        assert process.begun == 2


def test_at_the_end_the_process_is_waited_for() -> None:
    # Too little is left for a round, but the bound of the process is still to come.
    state = state_of(two_alike(), 30.0, replace(GRIDDED, least=1.0))
    with closing(BoundProcess()) as process:
        state.options = GRIDDED
        rounds = Rounds(state, process, uses_process=True)
        state.options = replace(GRIDDED, least=1.0)
        rounds.run()
        assert not process.is_busy
    assert state.known.bound is not None
    assert 12.3841 * (1 - 1e-4) <= state.known.bound < 30.0


def test_a_bound_that_highs_refutes_after_it_was_read_is_a_fault() -> None:
    state = state_of(two_alike(), 30.0)
    asked = prove.bound_program(state, math.inf, rough=False)
    with closing(BoundProcess()) as process:
        process.begin(state.on_grid, asked)
        process.wait(60.0)
        assert process._solve is not None
        tally = process._solve[1]._tally
        best = tally.objective
        assert best is not None
        tally.objective, tally.best_bound = None, 0.9 * best  # not refuted yet
        assert process.bound == 0.9 * best
        tally.objective = best
        assert process.bound == math.inf
        with pytest.raises(WrongSolution, match="a point that refutes its bound"):
            process.poll(1.0)
        process.begin(state.on_grid, asked)  # another program, with other bounds
        assert process.poll(60.0) is not None


def test_a_bound_that_closed_the_gap_is_checked_at_the_end(paused: None) -> None:
    # The search ends without the result of the process, whose point may be better.
    state = state_of(two_alike(), 30.0)
    state.known.tighten_bound(state.known.objective)
    with closing(BoundProcess()) as process:
        rounds = Rounds(state, process, uses_process=False)
        process.begin(state.on_grid, prove.bound_program(state, math.inf, rough=False))
        assert process.bound < math.inf
        assert process._solve is not None
        process._solve[1].refutes = lambda bound: True  # type: ignore[method-assign]
        with pytest.raises(WrongSolution, match="a point that refutes its bound"):
            rounds.run()


def test_a_child_that_died_before_it_is_started_again_is_noticed(paused: None) -> None:
    state = state_of(two_alike(), 30.0)
    with closing(BoundProcess()) as process:
        rounds = Rounds(state, process, uses_process=True)
        assert process._solve is not None
        process._solve[1]._result = replace(
            process._solve[1].result(),
            status="failed",
            x=None,
            objective=None,
            bound=None,
            message="the child died",
            died=True,
        )
        rounds._start_process()
        assert not process.is_busy
        assert not rounds._uses_process
    assert state.known.failure == "the child died"
    assert state.known.timed

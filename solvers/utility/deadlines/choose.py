"""Rounds, each of which chooses deadlines and has them completed or excluded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from solvers.highs import MatrixResult
from solvers.result import HIGHS_ROUND_OFF, OPTIMAL_GAP
from solvers.utility.deadlines.complete import complete
from solvers.utility.deadlines.prove import BoundProcess, bound_program, bound_with_cuts
from solvers.utility.deadlines.state import DeadlineState, Steps, bound_of
from solvers.utility.totals_program import TotalsProgram

__all__ = ["Rounds"]

_WAIT = 0.5  # seconds without anything to do, after which the process is asked again


class Rounds:
    """The rounds, and the process that works on the bound meanwhile.

    Parameters
    ----------
    state : DeadlineState
    process : BoundProcess
    uses_process : bool
        Whether the process is used. If not, or once it has died, all rounds but the opening one are
        for the bound.
    """

    def __init__(self, state: DeadlineState, process: BoundProcess, *, uses_process: bool) -> None:
        self._state, self._process, self._uses_process = state, process, uses_process
        # With the process, there is time for a plan whose slots are decided. Where a proof is hoped
        # for, jobs are few: they would lose much in so small a room.
        self._opens = state.options.rounding > 0 and not (uses_process or state.may_prove)
        self._number = 0  # of rounds while the process is busy
        self._effort = 1.0  # times the shares of work that rounds have
        self._news = False  # since the process was started
        self._rows = 0  # of cuts, at that time
        self._first = False  # whether the first round is under way, where no proof is hoped for
        # Deadlines that the process found, still to be completed, and a bound on their worth
        # in the program.
        self._waiting: list[tuple[Mapping[int, int], float]] = []
        self._completed: set[frozenset[tuple[int, int]]] = set()
        # For deadlines chosen in all of the capacities: in the first room, they would lose much.
        self._large_rooms = state.options.rooms[1:]
        self._refines = not state.may_prove  # whether a finer grid is expected to give more
        self._start_process()

    def run(self) -> None:
        """Rounds until the gap is closed, nothing new is learnt, or time or work is over."""
        state, more, used = self._state, True, self._uses_process
        while state.totals.limits and state.may_continue():
            before = state.known.objective
            news = self._poll(None)
            if used and not self._uses_process:  # it died: rounds are for the bound from now on
                used, more = False, True
            if self._waiting:
                news = self._complete(*self._waiting.pop(), self._large_rooms) or news
            elif ends := self._found_by_process():
                news = self._complete(ends, math.inf, self._large_rooms) or news
            elif more:
                more = self._round()
            elif self._process.is_busy:
                self._process.wait(_WAIT)
            elif not news:
                break
            more = more or news or state.known.objective > before
        # Nothing else is begun any more.
        if not state.budget.is_over() and not state.known.closed(OPTIMAL_GAP):
            state.offer_and_polish(state.known.schedule)
        if self._process.is_busy and not state.known.closed(OPTIMAL_GAP):
            self._poll(state.known.seconds_left)
        self._take_result(0.0)  # its last bound, and whether a point refutes one read before

    def _found_by_process(self) -> Mapping[int, int]:
        """The best deadlines that the process has found so far, if they are to be completed.

        Where a proof is hoped for, none are, only those that it ends with: completing takes long.
        The process may have found nothing since it started, from a schedule that was the best then.
        """
        if self._state.may_prove:
            return {}
        ends, worth = self._process.found()
        return {} if self._state.no_better_than_known(worth) or self._is_known(ends) else ends

    def _is_known(self, ends: Mapping[int, int]) -> bool:
        """Whether deadlines have been completed or excluded before, or are the best schedule's."""
        grid = self._state.on_grid
        done = frozenset(ends.items()) in self._completed or self._state.is_forbidden(ends)
        return done or ends == grid.ends(self._state.best_point(grid))

    # Rounds. Each returns whether another one may give more.

    def _round(self) -> bool:
        """Look for good deadlines, to open the search or while the process works on the bound.

        Else solve for the bound.
        """
        if self._opens or self._process.is_busy:
            more = self._around()
            return more or not self._process.is_busy  # one for the bound is still to come
        state = self._state
        left = max(state.options.choosing, 1 - state.budget.spent / state.budget.work)
        share = self._effort * state.options.proving * left
        grid, result = state.on_grid, state.solve(*bound_program(state, share, rough=self._refines))
        state.take_program_bound(bound_of(result))
        news = self._follow_up(grid, result, self._large_rooms)
        return self._another_helps(self._prepare_next(grid, result, news), result)

    def _around(self) -> bool:
        """Search the deadlines that the linear relaxation leaves undecided.

        Once all rooms have had their turn, those where it differs from the best schedule are
        searched as well, and so on, by turns. Each round may use the same share of the capacities
        as the plan after it. The opening one has little work, since its plan is only rounded.
        """
        state, grid, options = self._state, self._state.on_grid, self._state.options
        opening, self._opens = self._opens, False
        rooms, number = options.rooms, self._number
        self._number += not opening
        room = options.rounding if opening else rooms[number % len(rooms)]
        share = options.opening if opening else self._effort * options.choosing
        program = grid.program(whole=False, room=room)
        # Cut off, the simplex would have no point to search near.
        result = state.solve(program.relaxed(), state.budget.limits(program, math.inf))
        if result.x is None or not state.may_continue():
            return opening or self._another_helps(False, result)
        points = [result.x]
        if number // len(rooms) % 2:
            points.append(state.best_point(grid))
        limits = state.budget.limits(program, share, state.rough_gap)
        result = state.solve(program.where_undecided(points, HIGHS_ROUND_OFF), limits)
        self._first = number == 0 and not state.may_prove
        news = self._follow_up(grid, result, [room])
        self._first = False
        # Where a proof is hoped for, the process gains more than another such round.
        if self._process.is_busy and state.may_prove:
            return news
        return opening or self._another_helps(news, result)

    def _another_helps(self, news: bool, result: MatrixResult) -> bool:
        """Whether another round may give more, twice as long if this one was only cut short."""
        cut_short = result.status in ("feasible", "bounded", "interrupted") and not result.died
        if cut_short and not news:
            self._effort = min(2 * self._effort, 1 / self._state.options.choosing)
        return news or cut_short

    def _prepare_next(self, program: TotalsProgram, result: MatrixResult, news: bool) -> bool:
        """Prepare the next program for the bound; whether it may give more."""
        best = program.ends(result.x) if result.x is not None and result.is_optimal else {}
        if self._state.refine(best):
            return True
        # Once it has ended on this grid, to a smaller gap: cuts alone hardly change where it ends.
        rough = self._refines and result.is_optimal
        self._refines = self._refines and not rough
        return news or rough

    # Their deadlines

    def _follow_up(
        self, program: TotalsProgram, result: MatrixResult, rooms: Sequence[float]
    ) -> bool:
        """Look for a schedule with the deadlines found; whether that changed a program."""
        if result.x is None:
            return False
        state, ends, before = self._state, program.ends(result.x), self._state.rows_added
        state.add_new_cuts(program, result.x)
        excluded, worth = False, math.inf if result.objective is None else result.objective
        if not state.no_better_than_known(worth):
            # Where no proof is hoped for, plans find the cuts, too.
            upper = bound_with_cuts(state, ends) if state.may_prove else math.inf
            excluded = self._complete(ends, upper, rooms)
        # Rows with which the process was started meanwhile are no news to it; `_complete` notes
        # what is excluded.
        self._news = self._news or state.rows_added > max(before, self._rows)
        return excluded or state.rows_added > before

    def _complete(self, ends: Mapping[int, int], upper: float, rooms: Sequence[float]) -> bool:
        """Look for a schedule with these deadlines; whether they are now excluded.

        ``upper`` is the bound on them that :func:`bound_with_cuts` gave, if it was asked.
        """
        state = self._state
        if state.is_forbidden(ends):
            return False
        if not (state.may_prove or state.no_better_than_known(upper)) and self._is_known(ends):
            return False
        if max(rooms) > state.options.rounding:  # else, its slots may still be decided
            self._completed.add(frozenset(ends.items()))
        steps = complete(state, ends, upper, rooms, lambda: self._has_better(ends))
        upper = self._followed(steps)
        if not state.no_better_than_known(upper):
            return False
        state.forbid(ends)
        self._news = True
        if not self._process.is_busy:
            self._start_process()
        return True

    # The process

    def _followed(self, steps: Steps[float]) -> float:
        """The result of a computation, with the process polled between its steps."""
        while True:
            try:
                next(steps)
            except StopIteration as finished:
                return float(finished.value)
            self._poll(None)

    def _has_better(self, ends: Mapping[int, int]) -> bool:
        """Whether the process has better deadlines than these that are still to be completed."""
        found = self._found_by_process()
        return bool(self._waiting) or self._state.worth_of(found) > self._state.worth_of(ends)

    def _start_process(self) -> None:
        """Start the process, or start it again, with all that is new.

        A point that it ended with just now is dropped.
        """
        self._take_result(0.0)
        if self._uses_process and self._state.may_continue():
            asked = bound_program(self._state, math.inf, rough=self._refines)
            self._process.begin(self._state.on_grid, asked)
            self._news, self._rows = False, self._state.rows_added

    def _poll(self, seconds: float | None) -> bool:
        """Take the result of the process, if there is one, and start it again with all that is new.

        This is never called during a solve of the parent. If the child died, or could not be
        started, the search goes on without it.
        """
        state, polled = self._state, self._take_result(seconds)
        if polled is None:
            state.take_program_bound(self._process.bound)
            # The first deadlines show which cuts matter, and the tree without them is still small.
            if self._first and self._process.is_busy and state.rows_added > self._rows:
                self._start_process()
            return False
        program, result = polled
        if result.died or result.status == "infeasible" or not state.may_continue():
            return False
        if result.x is not None and result.is_optimal:
            ends = program.ends(result.x)
            self._news = state.add_new_cuts(program, result.x) or self._news
            self._waiting.append((ends, bound_with_cuts(self._state, ends)))
        if self._prepare_next(program, result, self._news):
            self._start_process()
        return True

    def _take_result(self, seconds: float | None) -> tuple[TotalsProgram, MatrixResult] | None:
        """The result of the process, if there is one, with its bound and how it failed noted.

        With a number of seconds, wait so long for it, and then end the solve; with None, take it
        only if it is there.
        """
        polled = self._process.poll(seconds)
        if polled is not None:
            self._state.take_program_bound(bound_of(polled[1]))
            self._state.known.note_failure(polled[1])
            self._uses_process = self._uses_process and not polled[1].died
        return polled

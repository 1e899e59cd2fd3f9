"""Rounds, each of which chooses deadlines and has them completed or excluded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import cycle

import numpy as np

from solvers.highs import MatrixResult
from solvers.result import OPTIMAL_GAP
from solvers.utility.deadlines.complete import Completion
from solvers.utility.deadlines.neighbourhoods import where_undecided
from solvers.utility.deadlines.prove import BoundProcess, for_bound
from solvers.utility.deadlines.state import DeadlineState, bound_of
from solvers.utility.totals_program import TotalsProgram

__all__ = ["Rounds"]

_WAIT = 0.5  # seconds without anything to do, after which the process is asked again


class Rounds:
    """The rounds, and the process that works on the bound meanwhile.

    Parameters
    ----------
    state : DeadlineState
    completion : Completion
    process : BoundProcess, optional
        If there is none, some of the rounds are for the bound.
    """

    def __init__(
        self, state: DeadlineState, completion: Completion, process: BoundProcess | None = None
    ) -> None:
        self._state, self._completion, self._process = state, completion, process
        self._at_first = state.known.objective
        self._number, self._effort = 0, 1.0  # of rounds; times the shares of work that they have
        self._news = False  # since the process was started
        self._to_beat = 0.0  # worth of the best schedule at that time
        # Deadlines that the process found, still to be completed, and a bound on their worth.
        self._waiting: list[tuple[Mapping[int, int], float]] = []
        self._completed: set[frozenset[tuple[int, int]]] = set()  # where nothing is proven
        self._refines = not state.may_prove  # whether a finer grid is expected to give more
        rooms = (1.0,) if state.may_prove else state.options.rooms
        if process is not None and not state.may_prove:
            rooms = tuple(room for room in rooms if room < 1.0)
        self._rounds, self._rooms = len(rooms), cycle(rooms)
        self._start_process()

    def run(self) -> None:
        """Rounds until the gap is closed, nothing new is learnt, or time or work is over."""
        state, idle = self._state, 0
        while state.totals.limits and state.may_continue():
            self._poll(None)
            before = state.known.objective
            if self._waiting:
                news = self._complete(*self._waiting.pop())
                idle = 0
            elif ends := self._found_beside():
                news = self._complete(ends, math.inf)
            elif idle < self._rounds:
                news = self._round()
                idle += 1
            elif self._is_proving:
                assert self._process is not None
                self._process.wait(_WAIT)
                news = self._poll(None)
            else:
                break
            if news or state.known.objective > before:
                idle = 0
        if self._is_proving and not state.known.closed(OPTIMAL_GAP):
            self._poll(state.known.seconds_left)  # too little is left for anything else

    @property
    def _is_proving(self) -> bool:
        return self._process is not None and self._process.is_busy

    def _found_beside(self) -> Mapping[int, int]:
        """The best deadlines that the process has found so far, if they are still to be completed.

        They use all of the capacities on a finer grid than those of a round.
        """
        state = self._state
        if self._process is None or state.may_prove:
            return {}
        ends = self._process.found()
        known = frozenset(ends.items()) in self._completed or state.is_forbidden(ends)
        return {} if known else ends

    # Rounds. Each returns whether another one may give more.

    def _round(self) -> bool:
        state, number = self._state, self._number
        self._number += 1
        if number >= state.options.rounds and not self._is_proving:
            left = max(state.options.choosing, 1 - state.spent / state.work)
            share = self._effort * state.options.proving * left
            asked = for_bound(state, share, rough=self._refines)
            return self._prove(state.on_grid, state.solve(*asked))
        room = next(self._rooms)
        if room == 1.0 and not self._is_proving:
            return self._best()
        planned = state.known.objective > self._at_first
        return self._around(room, with_best=bool(number % 2) and planned and not state.may_prove)

    def _best(self) -> bool:
        """Search all deadlines, starting from those of the best schedule."""
        state, grid, start = self._state, self._state.on_grid, None
        if state.restricted:  # the best schedule may be excluded, too, and is then no start
            program = grid.program(whole=False, least=state.objective_to_beat)
        else:
            program, start = grid.program(whole=False), state.best_point(grid)
        limits = state.limits(program, self._effort * state.options.choosing)
        result = state.solve(program, limits, start)
        state.tighten_bound(bound_of(result))
        return self._more(self._use(grid, result), result)

    def _around(self, room: float, *, with_best: bool) -> bool:
        """Search a share of the capacities near the linear relaxation, or also near the best."""
        state, grid = self._state, self._state.on_grid
        program = grid.program(whole=False, room=room)
        limits = state.limits(program, self._effort * state.options.choosing)
        result = state.solve(program.relaxed(), limits)
        if result.x is not None and state.may_continue():
            points = [result.x, state.best_point(grid)] if with_best else [result.x]
            slack = state.options.slack
            program = where_undecided(program, grid.done.values(), points, slack)
            result = state.solve(program, limits)
        news = self._use(grid, result)
        # Where a proof is hoped for, the process beside gives more than the same once more.
        return news if state.may_prove else self._more(news, result)

    def _prove(self, program: TotalsProgram, result: MatrixResult) -> bool:
        """Use a result of the program for the bound."""
        self._state.tighten_bound(bound_of(result))
        return self._more(self._finer(program, result, self._use(program, result)), result)

    def _more(self, news: bool, result: MatrixResult) -> bool:
        """Whether another round may give more, twice as long if this one was only cut short."""
        cut_short = not result.is_optimal and result.status != "infeasible"
        if cut_short and not news:
            self._effort *= 2
        return news or cut_short

    def _finer(self, program: TotalsProgram, result: MatrixResult, news: bool) -> bool:
        """Prepare the next program for the bound; whether it may give more."""
        best = program.ends(result.x) if result.x is not None and result.is_optimal else {}
        if self._state.refine(best):
            return True
        if news or not self._refines:
            return news
        self._refines = False  # the same again, to a smaller gap
        return True

    # Their deadlines

    def _use(self, program: TotalsProgram, result: MatrixResult) -> bool:
        """Look for a schedule with the deadlines found; whether that changed a program."""
        if result.x is None:
            return False
        state, ends = self._state, program.ends(result.x)
        news = state.learn(program, result.x)
        if result.objective is None or not state.no_better_than_known(result.objective):
            before = state.rows_added
            news = self._complete(ends) or state.rows_added > before or news
        self._news = self._news or news
        return news

    def _complete(self, ends: Mapping[int, int], upper: float | None = None) -> bool:
        """Look for a schedule with these deadlines; whether they are now excluded."""
        state = self._state
        if state.is_forbidden(ends):
            return False
        settled = upper is not None and state.no_better_than_known(upper)
        if not state.may_prove and not settled:
            known = frozenset(ends.items())
            if known in self._completed:
                return False
            self._completed.add(known)
        most = np.inf
        for bound in self._completion.complete(ends, upper, lambda: self._has_better(ends)):
            most = bound
            self._poll(None)
            if upper is None and self._has_better(ends):
                self._completed.discard(frozenset(ends.items()))
                break
        if not state.no_better_than_known(most):
            return False
        state.forbid(ends)
        self._news = True
        if state.may_prove and not self._is_proving:
            self._start_process()
        return True

    # The process

    def _has_better(self, ends: Mapping[int, int]) -> bool:
        """Whether the process has better deadlines than these that are still to be completed."""
        found = self._found_beside()
        return bool(self._waiting) or self._state.worth_of(found) > self._state.worth_of(ends)

    def _has_much_less_to_find(self) -> bool:
        """Whether the best schedule is so much better than when the process was started."""
        known = self._state.known
        assert known.bound is not None
        left, was_left = known.bound - known.objective, known.bound - self._to_beat
        return not self._state.may_prove and left < self._state.options.restart * was_left

    def _start_process(self) -> None:
        if self._process is not None and self._state.may_continue():
            self._to_beat = self._state.known.objective
            program, options = for_bound(self._state, 1.0, rough=self._refines)
            self._process.begin(self._state.on_grid, program, replace(options, work_limit=None))
            self._news = False

    def _poll(self, seconds: float | None) -> bool:
        """Take the result of the process, if there is one, and start it again with all that is new.

        This is the only place where that happens, and no solve is under way when it does.
        """
        if self._process is None:
            return False
        state, polled = self._state, self._process.poll(seconds)
        if polled is None:
            state.tighten_bound(self._process.bound)
            if self._is_proving and self._has_much_less_to_find():
                self._start_process()
            return False
        program, result = polled
        state.tighten_bound(bound_of(result))
        if result.status == "infeasible" or not state.may_continue():
            return False
        if result.x is not None and result.is_optimal:
            ends = program.ends(result.x)
            self._news = state.learn(program, result.x) or self._news
            self._waiting.append((ends, self._completion.find_cuts(ends)))
        if self._finer(program, result, self._news):
            self._start_process()
        return True

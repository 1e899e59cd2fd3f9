"""Rounds of deadlines first (:mod:`solvers.utility.deadline_search` says what they are)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import cycle

from models.utility.formulations.schedules import without_idle
from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs.background import Background
from solvers.result import OPTIMAL_GAP
from solvers.utility.aside import Aside
from solvers.utility.deadline_completion import DeadlineCompletion
from solvers.utility.deadline_program import DeadlineProgram, bound_of
from solvers.utility.totals_program import TotalsProgram

__all__ = ["Rounds"]

_SHORT_ROUNDS = 3
# Share of the capacities in short rounds, by whether a process beside is at work on the bound.
_ROOMS = {True: (0.97, 0.985, 0.95, 0.98, 0.96), False: (0.97, 1.0, 0.95, 0.98, 0.96)}
_NEAR_ROOMS = (0.97, 0.985, 0.95)  # the same in rounds near the best schedule
_GRID_GAP = 5e-3  # of a program on a grid that is refined then
_SHORT = 0.15  # of all time, for the program of a short round
_LONG = 0.7  # of the time left, for that of a long one
_JUST = 0.03  # of all time, since which the process beside has only just begun
_POLL = 0.05  # seconds
_SEED_HERE = 1  # of HiGHS, so that it does not go the way of the process beside
#: Options of HiGHS where only the bound matters: its heuristics are for the short rounds.
_FOR_BOUND = {
    "mip_heuristic_effort": 0.0,
    "mip_heuristic_run_rens": False,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_root_reduced_cost": False,
    "mip_allow_restart": False,
}


def _cut_short(result: MatrixResult) -> bool:
    return not result.is_optimal and result.status != "infeasible"


class Rounds:
    """The rounds, and the process beside them that is at work on the bound.

    Parameters
    ----------
    ground : DeadlineProgram
    completion : DeadlineCompletion
    """

    def __init__(self, ground: DeadlineProgram, completion: DeadlineCompletion) -> None:
        self._ground, self._completion = ground, completion
        self._at_first = ground.known.objective
        self._aside: Aside | None = None
        self._news = False  # for it
        # Its deadlines, to be kept yet, and what bounds them.
        self._waiting: list[tuple[Mapping[int, int], float]] = []
        self._completed: set[frozenset[tuple[int, int]]] = set()  # deadlines, on a grid
        self._refines = not ground.fine  # whether a finer grid is expected to give more

    def prove_aside(self, aside: Aside) -> None:
        """Have the bound improved in a process beside."""
        self._aside = aside
        self._begin_aside()
        self._ground.after_solve = self._look_aside

    def run(self) -> None:
        """Rounds until the gap is closed, nothing new is learnt, or time is up."""
        while self._ground.totals.limits:
            self._run()
            if self._waiting and self._ground.goes_on():
                continue
            if not self._works_aside or self._ground.known.closed(OPTIMAL_GAP):
                break
            self._use_bound(self._ground.known.left)

    @property
    def _works_aside(self) -> bool:
        """Whether the process beside is at work."""
        return self._aside is not None and self._aside.works

    def _run(self) -> None:
        ground, number, idle = self._ground, 0, 0
        shares = (1.0,) if ground.fine else _ROOMS[self._works_aside]
        rooms, near = cycle(shares), cycle(_NEAR_ROOMS)
        while ground.goes_on():
            if self._waiting:
                self._complete_waiting()
                continue
            races = ground.fine and self._works_aside
            if idle >= len(shares) + races:
                break
            before = ground.known.objective
            planned = before > self._at_first
            if races and idle:
                news = self._race()
            elif number >= _SHORT_ROUNDS and not self._works_aside:
                news = self._long_round()
            elif number % 2 and planned and not ground.fine:
                news = self._near_round(next(near))
            else:
                news = self._short_round(next(rooms))
            number += 1
            idle = 0 if news or ground.known.objective > before else idle + 1

    def _near_round(self, room: float) -> bool:
        """Better deadlines near to those of the best schedule; whether it changes a program."""
        ground, program = self._ground, self._ground.on_grid
        result = self._completion.look_near(room, _SHORT * ground.seconds)
        return self._use(program, result) or _cut_short(result)

    def _short_round(self, room: float) -> bool:
        """Good deadlines on the grid; whether another round may give more."""
        ground, program = self._ground, self._ground.on_grid
        if room < 1.0:
            result = self._completion.look_around(room, _SHORT * ground.seconds)
        elif ground.fine and self._works_aside:
            result = self._completion.look_around(room, _SHORT * ground.seconds)
            return self._use(program, result)  # if not, a long one may
        else:
            result = self._best()
            self._take(result)
        return self._use(program, result) or _cut_short(result)

    def _long_round(self) -> bool:
        """The program for the bound; whether another round may give more."""
        program = self._ground.on_grid
        return self._prove(program, self._ground.solve(*self._for_bound(self._long)))

    def _race(self) -> bool:
        """The same beside the process for the bound, until one of the two has a result."""
        assert self._aside is not None
        program, began = self._ground.on_grid, time.monotonic()
        asked, options = self._for_bound(self._long)
        with Background(asked, replace(options, seed=_SEED_HERE)) as here:
            while not here.finished and not self._aside.finished:
                time.sleep(_POLL)
            result = here.result() if here.finished else None
        if result is None:
            self._look_aside()
            return True
        news = self._prove(program, result)
        if news and self._works_aside and self._aside.began < began:
            self._use_bound(0.0)  # it solves what is solved now
        return news

    @property
    def _long(self) -> float:
        return _LONG * self._ground.known.left

    def _prove(self, program: TotalsProgram, result: MatrixResult) -> bool:
        """Use a result of the program for the bound; whether another round may give more."""
        self._take(result)
        news = self._finer(program, result, self._use(program, result))
        return news or _cut_short(result)

    def _finer(self, program: TotalsProgram, result: MatrixResult, news: bool) -> bool:
        """Make the next program for the bound give more; whether it may."""
        best = program.ends(result.x) if result.x is not None and result.is_optimal else {}
        if self._ground.refine(best):
            return True
        if news or not self._refines:
            return news
        self._refines = False  # the same again, to a smaller gap
        return True

    def _use(self, program: TotalsProgram, result: MatrixResult) -> bool:
        """Look for a schedule with the deadlines found; whether that changes a program."""
        if result.x is None:
            return False
        ground, ends = self._ground, program.ends(result.x)
        before = ground.rows_added
        ground.learn(program, result.x)
        forbidden = False
        if result.objective is None or not ground.is_met(result.objective):
            forbidden = self._complete(ends)
        news = forbidden or ground.rows_added > before
        self._news = self._news or news
        return news

    def _complete(self, ends: Mapping[int, int], upper: float | None = None) -> bool:
        """Look for a schedule with these deadlines; whether they are done with."""
        if self._ground.is_forbidden(ends):
            return False
        done_with = upper is not None and self._ground.is_met(upper)
        if not self._ground.fine and not done_with:
            known = frozenset(ends.items())
            if known in self._completed:
                return False
            self._completed.add(known)
        if not self._completion.complete(ends, upper):
            return False
        self._ground.forbid(self._completion.widened(ends))
        self._news = True
        if self._ground.fine and self._aside is not None and not self._aside.works:
            self._begin_aside()
        return True

    def _complete_waiting(self) -> None:
        """The same with deadlines of the process beside, which may have begun again meanwhile."""
        ends, upper = self._waiting.pop()
        if self._complete(ends, upper) and self._ground.fine and self._works_aside:
            assert self._aside is not None
            if time.monotonic() - self._aside.began < _JUST * self._ground.seconds:
                self._use_bound(0.0)  # or it would find them again

    def _best(self) -> MatrixResult:
        """The best deadlines, as far as a short round can tell."""
        ground = self._ground
        options = ground.options(_SHORT * ground.seconds)
        if ground.restricted:  # and perhaps the best schedule is left out, too
            least = ground.least
            program = ground.on_grid.program(whole=False, least=least)
            return ground.solve(program, options)
        start = ground.on_grid.point(without_idle(ground.instance, ground.known.schedule))
        return ground.solve(ground.on_grid.program(whole=False), options, start)

    def _for_bound(self, seconds: float) -> tuple[LinearProgram, HighsOptions]:
        """The program asked only for what is better than the best schedule, and how to solve it."""
        ground = self._ground
        ground.restricted = True
        program = ground.on_grid.program(whole=False, least=ground.least)
        options = replace(ground.options(seconds), extra=_FOR_BOUND)
        if self._refines:
            options = replace(options, mip_rel_gap=_GRID_GAP)
        return program, options

    def _take(self, result: MatrixResult) -> None:
        self._ground.lower_bound_to(bound_of(result))

    def _begin_aside(self) -> None:
        if self._aside is not None and self._ground.goes_on():
            self._aside.begin(self._ground.on_grid, *self._for_bound(self._ground.known.left))
            self._news = False

    def _look_aside(self) -> None:
        """Take the result of the process beside, if it has one, and start it again."""
        if self._aside is not None and self._aside.finished:
            self._use_bound(0.0)

    def _use_bound(self, seconds: float) -> None:
        """Wait for the process beside, so long at most, and start it again with all that is new."""
        assert self._aside is not None
        ground = self._ground
        program, result = self._aside.take(seconds)
        self._take(result)
        if result.status == "infeasible" or not ground.goes_on():
            return
        if result.x is not None and result.is_optimal:
            ends = program.ends(result.x)
            before = ground.rows_added
            ground.learn(program, result.x)
            upper = self._completion.find_cuts(ends)
            self._news = ground.rows_added > before or self._news
            self._waiting.append((ends, upper))
        if self._finer(program, result, self._news):
            self._begin_aside()

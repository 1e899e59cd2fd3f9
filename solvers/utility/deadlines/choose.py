"""The rounds of the search by deadlines, which :mod:`solvers.utility.deadlines.search` explains."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import cycle

from models.utility.formulations.schedules import without_idle
from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs.background import Background
from solvers.result import OPTIMAL_GAP
from solvers.utility.deadlines.bound_process import BoundProcess
from solvers.utility.deadlines.complete import DeadlineCompletion
from solvers.utility.deadlines.state import DeadlineProgram, bound_of
from solvers.utility.totals_program import TotalsProgram

__all__ = ["Rounds"]

_SHORT_ROUNDS = 3
# Share of the capacities in short rounds, by whether a child process is working on the bound.
_ROOMS = {True: (0.97, 0.985, 0.95, 0.98, 0.96), False: (0.97, 1.0, 0.95, 0.98, 0.96)}
_NEAR_ROOMS = (0.97, 0.985, 0.95)  # the same, in rounds near the best schedule
_GRID_GAP = 5e-3  # relative gap that is enough on a grid that will be refined
_SHORT = 0.15  # share of all time, for the program of a short round
_LONG = 0.7  # share of the time left, for the program of a long round
_JUST = 0.03  # share of all time: a child process started no longer ago starts afresh
_POLL = 0.05  # seconds between two looks at the processes
_SEED_HERE = 1  # of HiGHS, so that it does not search as the child process does
#: Options of HiGHS where only the bound matters; its heuristics are left to the short rounds.
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
    """The rounds, and the child process that works on the bound meanwhile.

    Parameters
    ----------
    shared : DeadlineProgram
    completion : DeadlineCompletion
    """

    def __init__(self, shared: DeadlineProgram, completion: DeadlineCompletion) -> None:
        self._shared, self._completion = shared, completion
        self._at_first = shared.known.objective
        self._bound_process: BoundProcess | None = None
        self._news = False  # since the child process was started
        # Deadlines that it found, still to be completed, and a bound on their worth.
        self._waiting: list[tuple[Mapping[int, int], float]] = []
        self._completed: set[frozenset[tuple[int, int]]] = set()  # on a grid
        self._refines = not shared.may_prove  # whether a finer grid is expected to give more

    def use_bound_process(self, bound_process: BoundProcess) -> None:
        """Let a child process solve for the bound from now on."""
        self._bound_process = bound_process
        self._start_bound_process()
        self._shared.after_solve = self._collect_bound

    def run(self) -> None:
        """Rounds until the gap is closed, nothing new is learnt, or time is up."""
        while self._shared.totals.limits:
            self._run()
            if self._waiting and self._shared.may_continue():
                continue
            if not self._is_proving or self._shared.known.closed(OPTIMAL_GAP):
                break
            self._take_bound(self._shared.known.seconds_left)

    @property
    def _is_proving(self) -> bool:
        """Whether a child process is solving for the bound."""
        return self._bound_process is not None and self._bound_process.is_busy

    def _run(self) -> None:
        shared, number, idle = self._shared, 0, 0
        shares = (1.0,) if shared.may_prove else _ROOMS[self._is_proving]
        rooms, near = cycle(shares), cycle(_NEAR_ROOMS)
        while shared.may_continue():
            if self._waiting:
                self._complete_waiting()
                continue
            races = shared.may_prove and self._is_proving
            if idle >= len(shares) + races:
                break
            before = shared.known.objective
            planned = before > self._at_first
            if races and idle:
                news = self._race()
            elif number >= _SHORT_ROUNDS and not self._is_proving:
                news = self._long_round()
            elif number % 2 and planned and not shared.may_prove:
                news = self._near_round(next(near))
            else:
                news = self._short_round(next(rooms))
            number += 1
            idle = 0 if news or shared.known.objective > before else idle + 1

    def _near_round(self, room: float) -> bool:
        """Search near the deadlines of the best schedule; whether another round may give more."""
        shared, program = self._shared, self._shared.on_grid
        result = self._completion.look_near(room, _SHORT * shared.seconds)
        return self._use(program, result) or _cut_short(result)

    def _short_round(self, room: float) -> bool:
        """Search for good deadlines on the grid; whether another round may give more."""
        shared, program = self._shared, self._shared.on_grid
        if room < 1.0:
            result = self._completion.look_around(room, _SHORT * shared.seconds)
        elif shared.may_prove and self._is_proving:
            result = self._completion.look_around(room, _SHORT * shared.seconds)
            return self._use(program, result)  # if it gives no more, a long round may
        else:
            result = self._best()
            self._tighten_bound(result)
        return self._use(program, result) or _cut_short(result)

    def _long_round(self) -> bool:
        """Solve the program for the bound; whether another round may give more."""
        program = self._shared.on_grid
        return self._prove(program, self._shared.solve(*self._for_bound(self._long)))

    def _race(self) -> bool:
        """Solve it here while the child process does, too, until one of the two has a result."""
        assert self._bound_process is not None
        program, began = self._shared.on_grid, time.monotonic()
        asked, options = self._for_bound(self._long)
        with Background(asked, replace(options, seed=_SEED_HERE)) as here:
            while not here.finished and not self._bound_process.finished:
                time.sleep(_POLL)
            result = here.result() if here.finished else None
        if result is None:
            self._collect_bound()
            return True
        news = self._prove(program, result)
        if news and self._is_proving and self._bound_process.began < began:
            self._take_bound(0.0)  # it is solving what has just been solved
        return news

    @property
    def _long(self) -> float:
        return _LONG * self._shared.known.seconds_left

    def _prove(self, program: TotalsProgram, result: MatrixResult) -> bool:
        """Use a result of the program for the bound; whether another round may give more."""
        self._tighten_bound(result)
        news = self._finer(program, result, self._use(program, result))
        return news or _cut_short(result)

    def _finer(self, program: TotalsProgram, result: MatrixResult, news: bool) -> bool:
        """Prepare the next program for the bound; whether it may give more."""
        best = program.ends(result.x) if result.x is not None and result.is_optimal else {}
        if self._shared.refine(best):
            return True
        if news or not self._refines:
            return news
        self._refines = False  # the same again, to a smaller gap
        return True

    def _use(self, program: TotalsProgram, result: MatrixResult) -> bool:
        """Look for a schedule with the deadlines found; whether that changed a program."""
        if result.x is None:
            return False
        shared, ends = self._shared, program.ends(result.x)
        before = shared.rows_added
        shared.learn(program, result.x)
        forbidden = False
        if result.objective is None or not shared.no_better_than_known(result.objective):
            forbidden = self._complete(ends)
        news = forbidden or shared.rows_added > before
        self._news = self._news or news
        return news

    def _complete(self, ends: Mapping[int, int], upper: float | None = None) -> bool:
        """Look for a schedule with these deadlines; whether they are now excluded."""
        if self._shared.is_forbidden(ends):
            return False
        settled = upper is not None and self._shared.no_better_than_known(upper)
        if not self._shared.may_prove and not settled:
            known = frozenset(ends.items())
            if known in self._completed:
                return False
            self._completed.add(known)
        if not self._completion.complete(ends, upper):
            return False
        self._shared.forbid(self._completion.widened(ends))
        self._news = True
        if self._shared.may_prove and not self._is_proving:
            self._start_bound_process()
        return True

    def _complete_waiting(self) -> None:
        """Complete deadlines that the child process found; it may be working again already."""
        ends, upper = self._waiting.pop()
        if self._complete(ends, upper) and self._shared.may_prove and self._is_proving:
            assert self._bound_process is not None
            if time.monotonic() - self._bound_process.began < _JUST * self._shared.seconds:
                self._take_bound(0.0)  # else it would find the same deadlines again

    def _best(self) -> MatrixResult:
        """The best deadlines, as far as a short round can tell."""
        shared = self._shared
        options = shared.options(_SHORT * shared.seconds)
        if shared.restricted:  # the best schedule may be excluded, too, and is then no start
            least = shared.objective_to_beat
            program = shared.on_grid.program(whole=False, least=least)
            return shared.solve(program, options)
        start = shared.on_grid.point(without_idle(shared.instance, shared.known.schedule))
        return shared.solve(shared.on_grid.program(whole=False), options, start)

    def _for_bound(self, seconds: float) -> tuple[LinearProgram, HighsOptions]:
        """The program for what beats the best schedule, and options that suit the bound."""
        shared = self._shared
        shared.restricted = True
        program = shared.on_grid.program(whole=False, least=shared.objective_to_beat)
        options = replace(shared.options(seconds), extra=_FOR_BOUND)
        if self._refines:
            options = replace(options, mip_rel_gap=_GRID_GAP)
        return program, options

    def _tighten_bound(self, result: MatrixResult) -> None:
        self._shared.tighten_bound(bound_of(result))

    def _start_bound_process(self) -> None:
        if self._bound_process is not None and self._shared.may_continue():
            program, options = self._for_bound(self._shared.known.seconds_left)
            self._bound_process.begin(self._shared.on_grid, program, options)
            self._news = False

    def _collect_bound(self) -> None:
        """Take the result of the child process, if it is ready, and start it again."""
        if self._bound_process is not None and self._bound_process.finished:
            self._take_bound(0.0)

    def _take_bound(self, seconds: float) -> None:
        """Wait at most so long for the child process; start it again with all that is new."""
        assert self._bound_process is not None
        shared = self._shared
        program, result = self._bound_process.take(seconds)
        self._tighten_bound(result)
        if result.status == "infeasible" or not shared.may_continue():
            return
        if result.x is not None and result.is_optimal:
            ends = program.ends(result.x)
            before = shared.rows_added
            shared.learn(program, result.x)
            upper = self._completion.find_cuts(ends)
            self._news = shared.rows_added > before or self._news
            self._waiting.append((ends, upper))
        if self._finer(program, result, self._news):
            self._start_bound_process()

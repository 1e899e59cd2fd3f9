"""Large instances: which jobs complete by when, decided first; their workers, slot by slot, then.

A round has four steps.

1. The totals program, made coarse and on a grid of time, with the deadlines d alone integer. HiGHS
   branches on a few hundred variables instead of thousands: deadlines, and a bound where all
   of the capacities may be used. With a little less of them, deadlines that can be kept: only
   those are searched that the linear relaxation leaves undecided.
2. Packing cuts that its loads break, as rows where loads come near to them.
3. The same program slot by slot, in which jobs keep these deadlines, or later ones, or stay out:
   solved in a second or a few, again and again until no cut is broken. It is a plan in fractions of
   workers. One that uses a little less than all of the capacities is followed by whole workers on
   real servers (:mod:`solvers.utility.plan_tracking`).
4. Where there is hope to prove the optimum, a bound on what these deadlines are worth, and their
   best schedule in whole workers (:mod:`solvers.utility.whole_workers`). If no schedule with
   these deadlines, or later ones, is worth more than the best one known, they are done with: the
   program of step 1 is told to look elsewhere. Elsewhere only the best deadlines of the process
   beside are asked about.

The first rounds are short and find the cuts that matter; a long one has the time for the bound. On
a grid, every other short round looks where the best schedule and the relaxation differ, once a
plan has led to one. With a second thread there are short rounds only, and one program is solved for
the bound alone all the while, in a child process. When its best deadlines are found, they are
completed as well, the grid is made finer where they are, and it is solved again. Where there is
hope to prove the optimum, these short rounds, too, look around the linear relaxation alone, which
takes a fraction of the time; when they find nothing better, the same program is solved here as
well, from another random seed: whichever is first stops the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import cycle

import numpy as np

from models.utility.formulations.schedules import without_idle
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs.background import Background
from solvers.result import OPTIMAL_GAP
from solvers.utility.deadline_completion import DeadlineCompletion
from solvers.utility.deadline_program import DeadlineProgram, bound_of
from solvers.utility.knowledge import Knowledge
from solvers.utility.separation import PackingCut
from solvers.utility.totals_program import TotalsProgram

__all__ = ["deadline_search"]

_SHORT_ROUNDS = 3
# Share of the capacities in short rounds, by whether a process beside is at work on the bound.
_ROOMS = {True: (0.97, 0.985, 0.95, 0.98, 0.96), False: (0.97, 1.0, 0.95, 0.98, 0.96)}
_NEAR_ROOMS = (0.97, 0.985, 0.95)  # the same in rounds near the best schedule
_GRID_GAP = 5e-3  # of a program on a grid that is refined then
_SHORT = 0.15  # of all time, for the program of a short round
_LONG = 0.7  # of the time left, for that of a long one
_LEAST = 0.03  # of all time, for which another round is not worth it
_SEED_HERE = 1  # of HiGHS, so that it does not go the way of the process beside
#: Options of HiGHS where only the bound matters: its heuristics are for the short rounds.
_FOR_BOUND = {
    "mip_heuristic_effort": 0.0,
    "mip_heuristic_run_rens": False,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_root_reduced_cost": False,
    "mip_allow_restart": False,
}


def deadline_search(
    instance: UtilityInstance,
    *,
    cuts: Iterable[tuple[int, PackingCut]],
    loads: Sequence[np.ndarray],
    completions: np.ndarray,
    bound: float,
    start: UtilitySchedule,
    deadline: float,
    improve: Callable[[UtilitySchedule], UtilitySchedule],
    threads: int = 1,
) -> Knowledge:
    """Bound and schedule, better than the ones it is given, in a given time.

    Parameters
    ----------
    instance : UtilityInstance
    cuts : iterable of (int, PackingCut)
        Packing cuts of the column generation, with their sides.
    loads : pair of ndarray, shape (T, I)
        Workers and parameter servers of its fractional solution.
    completions : ndarray, shape (T, I)
        How much of each job completes in each slot there.
    bound : float
        Its bound.
    start : UtilitySchedule
        A feasible schedule.
    deadline : float
        ``time.monotonic()`` at which to stop; finite.
    improve : callable
        Local search: asked of every schedule found.
    threads : int
        With two or more, the bound has a process of its own.

    Returns
    -------
    Knowledge
        Its bound is HiGHS's word where it is better than the given one.

    Raises
    ------
    WrongSolution
        If a schedule breaks a constraint or is worth more than the bound.
    """
    ground = DeadlineProgram(instance, bound, deadline, completions)
    ground.begin(cuts, loads, start)
    rounds = _Rounds(ground, DeadlineCompletion(ground, improve))
    with ExitStack() as stack:
        if threads > 1 and ground.goes_on(_LEAST):
            rounds.prove_aside(stack)
        rounds.run()
    ground.known.settle()
    return ground.known


def _cut_short(result: MatrixResult) -> bool:
    return not result.is_optimal and result.status != "infeasible"


class _Rounds:
    """The rounds, and the process beside them that is at work on the bound."""

    def __init__(self, ground: DeadlineProgram, completion: DeadlineCompletion) -> None:
        self._ground, self._completion = ground, completion
        self._at_first = ground.known.objective
        self._stack: ExitStack | None = None
        self._aside: Background | None = None
        self._aside_began = 0.0  # time.monotonic()
        self._program_aside = ground.on_grid  # that it solves
        self._news = False  # for it
        # Its deadlines, to be kept yet, and what bounds them.
        self._waiting: list[tuple[Mapping[int, int], float]] = []
        self._completed: set[frozenset[tuple[int, int]]] = set()  # deadlines, on a grid
        self._refines = not ground.fine  # whether a finer grid is expected to give more

    def prove_aside(self, stack: ExitStack) -> None:
        """Have the bound improved in a process beside, until the stack is left."""
        self._stack = stack
        self._begin_aside()
        self._ground.after_solve = self._look_aside

    def run(self) -> None:
        """Rounds until the gap is closed, nothing new is learnt, or time is up."""
        while self._ground.totals.limits:
            self._run()
            if self._waiting and self._ground.goes_on(_LEAST):
                continue
            if self._aside is None or self._ground.known.closed(OPTIMAL_GAP):
                break
            self._use_bound(self._ground.known.left)

    def _run(self) -> None:
        ground, number, idle = self._ground, 0, 0
        shares = (1.0,) if ground.fine else _ROOMS[self._aside is not None]
        rooms, near = cycle(shares), cycle(_NEAR_ROOMS)
        most = len(shares) + (ground.fine and self._aside is not None)  # and a long one
        while ground.goes_on(_LEAST) and idle < most:
            if self._waiting:
                self._complete(*self._waiting.pop())
                continue
            before = ground.known.objective
            long = self._proves_here(number, idle)
            planned = ground.known.objective > self._at_first
            if number % 2 and planned and not long and not ground.fine:
                news = self._near_round(next(near))
            else:
                news = self._round(long=long, room=1.0 if long else next(rooms))
            number += 1
            idle = 0 if news or ground.known.objective > before else idle + 1

    def _near_round(self, room: float) -> bool:
        """Better deadlines near to those of the best schedule; whether it changes a program."""
        ground, program = self._ground, self._ground.on_grid
        result = self._completion.look_near(room, _SHORT * ground.seconds)
        return self._use(program, result) or _cut_short(result)

    def _round(self, *, long: bool, room: float) -> bool:
        """The best deadlines on the grid; whether another round may give more."""
        program = self._ground.on_grid
        around = not long and (room < 1.0 or (self._ground.fine and self._aside is not None))
        if around:
            result = self._completion.look_around(room, _SHORT * self._ground.seconds)
        else:
            result = self._chosen(long=long)
            self._take(result)
        news = self._use(program, result)
        if long:
            news = self._finer(program, result, news)
            if news and self._aside is not None:  # which solves what is solved now
                self._use_bound(0.0)
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
        if self._ground.fine:
            self._send_aside_elsewhere()
        return True

    def _proves_here(self, number: int, idle: int) -> bool:
        """Whether a round is a long one: a later one, or the process beside is all that is left."""
        if self._aside is None:
            return number >= _SHORT_ROUNDS
        return self._ground.fine and idle > 0

    def _chosen(self, *, long: bool) -> MatrixResult:
        ground = self._ground
        if long:
            program, options = self._for_bound(_LONG * ground.known.left)
            return ground.solve(program, replace(options, seed=_SEED_HERE))
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

    def _send_aside_elsewhere(self) -> None:
        """Start the process beside again, if it has ended or has hardly begun."""
        if self._stack is None or not self._ground.goes_on(_LEAST):
            return
        if self._aside is None:
            self._begin_aside()
        elif time.monotonic() - self._aside_began < _LEAST * self._ground.seconds:
            self._use_bound(0.0)

    def _begin_aside(self) -> None:
        assert self._stack is not None
        self._aside_began = time.monotonic()
        self._program_aside = self._ground.on_grid
        self._aside = self._stack.enter_context(
            Background(*self._for_bound(self._ground.known.left))
        )
        self._news = False

    def _look_aside(self) -> None:
        """Take the result of the process beside, if it has one, and start it again."""
        if self._aside is not None and self._aside.finished:
            self._use_bound(0.0)

    def _use_bound(self, seconds: float) -> None:
        """Wait for the process beside, so long at most, and start it again with all that is new."""
        assert self._aside is not None
        ground, program = self._ground, self._program_aside
        result = self._aside.result(seconds)
        self._aside = None
        self._take(result)
        if result.status == "infeasible" or not ground.goes_on(_LEAST):
            return
        if result.x is not None:
            ends = program.ends(result.x)
            before = ground.rows_added
            ground.learn(program, result.x)
            upper = self._completion.find_cuts(ends)
            self._news = ground.rows_added > before or self._news
            self._waiting.append((ends, upper))
        if self._finer(program, result, self._news) and ground.goes_on(_LEAST):
            self._begin_aside()

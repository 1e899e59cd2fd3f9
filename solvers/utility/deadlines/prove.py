"""Bounds: on all schedules, in a child process; and on those with given deadlines."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from solvers.errors import WrongSolution
from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs.background import Background
from solvers.highs.engine import HighsError
from solvers.highs.growing import Infeasible
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.state import DeadlineState, bound_of
from solvers.utility.search_state import refusing
from solvers.utility.totals_program import TotalsProgram

__all__ = ["BoundProcess", "bound_program", "bound_with_cuts", "with_whole_workers"]

# Cuts at nodes make them slow, and so do many looks at a variable before its pseudo-costs count:
# docs/formulations.md. HiGHS's heuristics and restarts pay.
_FOR_BOUND = {"mip_allow_cut_separation_at_nodes": False, "mip_pscost_minreliable": 1}

Asked = tuple[LinearProgram, HighsOptions, np.ndarray | None]
"""A program, options, and a point to start from."""


def bound_program(state: DeadlineState, share: float, *, rough: bool) -> Asked:
    """The program for the bound, options that suit it, and the best schedule known as a start."""
    program, start = _from_best(state, state.on_grid)
    options = state.budget.limits(program, share, state.rough_gap if rough else None)
    return program, replace(options, extra=_FOR_BOUND), start


def _from_best(
    state: DeadlineState, totals: TotalsProgram, ends: Mapping[int, int] | None = None
) -> tuple[LinearProgram, np.ndarray | None]:
    """A program, in whole workers if deadlines are given; and the best schedule known as a start.

    If that does not have these deadlines, or if its own are excluded, there is no start, and a row
    restricts the program to better schedules. With the row instead of the start, proofs are harder
    and HiGHS has no point near which it could look for better ones.
    """
    best = state.best_point(totals)
    kept = ends is None or totals.keeps(best, ends)
    start = best if kept and not state.is_forbidden(totals.ends(best)) else None
    least = state.objective_to_beat if start is None else None
    program = totals.program(whole=ends is not None, ends=ends, least=least)
    return program, start if program.is_mip else None  # where no job can complete, it is none


class BoundProcess:
    """Solves one program at a time, in a child process that is there only while it does."""

    def __init__(self) -> None:
        self._solve: tuple[TotalsProgram, Background] | None = None
        self._told = math.inf  # the lowest bound that `bound` has been, for the present program

    def close(self) -> None:
        """Leave no process behind."""
        if self._solve is not None:
            self._solve[1].stop()

    @property
    def is_busy(self) -> bool:
        """Whether it has a program whose result has not been taken yet."""
        return self._solve is not None

    def begin(self, totals: TotalsProgram, asked: Asked) -> None:
        """Start solving a program, made from a totals program; it must have none.

        Raises
        ------
        WrongSolution
            If HiGHS refuses the point to start from.
        """
        assert self._solve is None
        program, options, start = asked
        with refusing(totals.instance, start):
            solve = Background(program, options, start)
        self._solve, self._told = (totals, solve), math.inf

    @property
    def bound(self) -> float:
        """The bound so far of the program that it has; infinity if there is none yet."""
        bound = None if self._solve is None else self._solve[1].bound
        if bound is None:
            return math.inf
        self._told = min(self._told, bound)
        return bound

    def found(self) -> tuple[dict[int, int], float]:
        """The best deadlines so far of the program that it has, and what they are worth in it.

        None, and minus infinity, if there are none yet. At first they are those of the point from
        which it started.
        """
        if self._solve is None:
            return {}, -math.inf
        totals, solve = self._solve
        point = solve.incumbent  # another thread may find a better one meanwhile
        return ({}, -math.inf) if point is None else (totals.ends(point), totals.worth(point))

    def wait(self, seconds: float) -> None:
        """Wait for a result, no longer than so many seconds; the solve goes on."""
        if self._solve is not None:
            self._solve[1].wait(seconds)

    def poll(self, seconds: float | None) -> tuple[TotalsProgram, MatrixResult] | None:
        """The totals program and its result, if there is one.

        With a number of seconds, wait so long for it, and then end the solve.

        Raises
        ------
        WrongSolution
            If a point that HiGHS has found refutes a bound that was read before, and by which the
            search may have excluded better schedules.
        """
        if self._solve is None or (seconds is None and not self._solve[1].finished):
            return None
        totals, solve = self._solve
        result = solve.result(seconds)  # where this is interrupted, `close` still has to stop it
        self._solve = None
        if solve.refutes(self._told):
            name = totals.instance.name
            raise WrongSolution(f"{name}: HiGHS found a point that refutes its bound {self._told}")
        return totals, result


def bound_with_cuts(state: DeadlineState, ends: Mapping[int, int]) -> float:
    """An upper bound on all schedules with these deadlines; the cuts found for it are kept.

    It is minus infinity if all of them are excluded.
    """
    upper = math.inf
    try:
        program = PlanProgram(state, ends, 1.0)
        for _ in range(state.options.cut_points):
            program.solve_with_cuts()
            upper = min(upper, program.objective)
            whole = program.whole_at(program.x)[program.deadlines].all()
            if not state.may_prove or whole or not state.may_improve(upper):
                break
            limits = state.budget.limits(program.program, state.options.completing)
            result = state.solve(program.program, limits)
            upper = min(upper, bound_of(result))
            if result.x is None or not state.may_improve(upper):
                break
            program.move_to(result.x)
            if not program.add_new_cuts():
                break
        program.add_near_to_grid()
    except Infeasible:  # all schedules with these deadlines are excluded
        return -math.inf
    except HighsError as error:  # the bound so far is valid
        state.known.note_error(error)
    return upper


def with_whole_workers(state: DeadlineState, ends: Mapping[int, int]) -> float:
    """Look for the best schedule with given deadlines, in whole workers on real servers.

    The totals program with all variables integer is solved again and again, each time with the
    packing cuts that its loads violate. Where the servers cannot hold a load that violates no cut,
    the slot is written out server by server. Once every load can be placed, the optimum is what
    these deadlines are worth. It is solved to a wide gap, which finds cuts sooner, as long as that
    brings new ones, and to the gap of a proof after that.

    Parameters
    ----------
    state : DeadlineState
        Of an instance small enough to prove; it takes over the schedules and cuts found.
    ends : dict of int to int
        Jobs complete by these slots, or later, or stay out; those not in it stay out.

    Returns
    -------
    float
        In the unit of the program, an upper bound on all schedules that have these deadlines, are
        not forbidden and beat the best one known; minus infinity if there are none.

    Raises
    ------
    WrongSolution
        If the best schedule has these deadlines, but the program does not allow it.
    """
    totals, upper, proving = state.totals, math.inf, False
    written: list[tuple[int, int]] = []
    until = state.budget.spent + state.options.whole * state.budget.work
    while state.budget.spent < until:
        program, start = _from_best(state, totals, ends)
        share = (until - state.budget.spent) / state.budget.work
        limits = state.budget.limits(program, share, None if proving else state.rough_gap)
        result = state.solve(program, limits, start)
        upper = min(upper, bound_of(result))
        if result.x is None:
            break
        point = totals.with_ps_needed(np.round(result.x))
        unplaced = state.known.unplaced(totals, point)
        state.known.offer(state.known.repaired(totals, point))
        added = state.add_new_cuts(totals, point)
        if state.no_better_than_known(upper) or not state.may_continue():
            break
        if not added:
            if proving and not unplaced:
                break
            proving = not unplaced
            written.extend(unplaced)
        if written:
            totals = copy.deepcopy(state.totals)
            for side, slot in written:
                totals.write_out(side, slot)
    return upper

"""Column generation over any best-schedule oracle, with a bound after every round.

The master chooses schedules (columns) of jobs under coupling rows ``sum usage x <= capacity``;
the oracle prices the rows' duals job by job. Whatever the duals, weak duality gives

    bound = capacity duals + sum_j payoff_j

with payoffs cut off at 0 where a job may stay out. The best bound so far is therefore always at
hand, and the run can be stopped at any time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from solvers.coupled_problem import CoupledProblem
from solvers.highs.engine import HighsError
from solvers.highs.growing import GrowingProgram, Optimum, OutOfTime
from solvers.interrupts import kernels_interruptible

__all__ = ["ColumnGeneration", "GenerationResult", "Round"]

_OUT_OF_TIME = "time limit"
"""The message of a column generation that its deadline cut off."""
_NOT_RUN = "not run"


@dataclass(frozen=True)
class Round:
    """One line of the log.

    Parameters
    ----------
    number : int
    value : float
        Of the restricted master: the LP's value once no column is missing.
    bound : float
        Best bound so far.
    columns, rows : int
    seconds : float
        Since the start.
    """

    number: int
    value: float
    bound: float
    columns: int
    rows: int
    seconds: float


@dataclass(frozen=True)
class GenerationResult:
    """Outcome of a column generation.

    Parameters
    ----------
    bound : float
        Best bound; minus infinity if some job that has to be scheduled has no schedule at all.
    duals : ndarray
        The prices that prove it, of the first so many rows; those added since have price 0.
    columns : list
        All columns, in the order of ``weights``.
    weights : ndarray
        Their values in the last master solution.
    log : list of Round
    converged : bool
        Whether it ended by itself: not by the clock, nor because HiGHS failed.
    feasible : bool
        Whether the last master solution schedules all jobs that have to be. If not, and
        ``converged``, the LP has no solution, as far as floating point can tell.
    message : str
        How it ended.
    options : mapping
        How it was asked for.
    """

    bound: float
    duals: np.ndarray
    columns: list[Any]
    weights: np.ndarray
    log: list[Round]
    converged: bool
    feasible: bool
    message: str
    options: Mapping[str, object]

    @property
    def timed(self) -> bool:
        """Whether the clock ended it."""
        return self.message == _OUT_OF_TIME

    @property
    def failure(self) -> str:
        """How HiGHS failed, if that ended it; else empty."""
        return "" if self.converged or self.timed else self.message


class ColumnGeneration:
    """The loop: solve the master, smooth the duals, price, bound, separate.

    Smoothing (Wentges 1997): columns are priced at a mean of the best duals and the master's.
    It damps the swings of the duals, and only it makes the bound rise early. Where smoothed
    duals give no new column, the master's own are tried.

    Jobs that have to be scheduled can stay out of the restricted master at a penalty, since its
    columns may not fit together. Where a job stays out at the optimum, the penalty is raised
    a hundredfold, from 10 times the largest value to 1e7 times. The bound knows no penalty.

    Values should be about 100 (:mod:`solvers.utility.scaling`): HiGHS's tolerances are absolute.

    Parameters
    ----------
    problem : CoupledProblem
    smoothing : float
        Weight of the best duals, in [0, 1).
    gap : float
        Relative distance of bound and master at which columns are complete enough to look
        for violated rows, or to stop.
    deadline : float
        ``time.monotonic()`` at which to stop.

    Raises
    ------
    ValueError
        If ``smoothing`` is not in [0, 1), or ``gap`` is negative.
    """

    def __init__(
        self,
        problem: CoupledProblem,
        *,
        smoothing: float = 0.6,
        gap: float = 1e-3,
        deadline: float = math.inf,
    ) -> None:
        if not 0.0 <= smoothing < 1.0:  # else smoothed prices below 0, or the same ones for ever
            raise ValueError(f"smoothing {smoothing} is not in [0, 1)")
        if not gap >= 0.0:
            raise ValueError(f"gap {gap} is negative")
        self._problem = problem
        self._smoothing = smoothing
        self._gap = gap
        self._deadline = deadline
        self._master = GrowingProgram("max")
        self._columns: list[Any] = []
        self._log: list[Round] = []
        self._scale = 0.0  # largest value of a column
        self._times = 0.0  # the penalty, in units of it
        low = 1.0 if problem.must_run else -math.inf
        for _ in range(problem.jobs):
            self._master.add_row(low, 1.0)
        # Columns of the master before those of the problem: jobs that stay out.
        self._outside = problem.jobs if problem.must_run else 0
        for job in range(self._outside):
            self._master.add_column(0.0, np.array([job]), np.ones(1))
        self._rows = 0
        self._add_rows()
        # The best bound and the duals that prove it: one thing, so that no interruption parts them.
        self._proven = math.inf, np.zeros(self._rows)
        self._optimum: Optimum | None = None
        self._converged, self._message = False, _NOT_RUN

    def run(self, watch: Callable[[Round], None] | None = None) -> GenerationResult:
        """Generate until the bound meets the master and no row is violated, or time is up.

        Once only: what an interruption leaves half done is not taken up again.

        Parameters
        ----------
        watch : callable, optional
            Told of every round. What it raises ends the run, as Ctrl-C does; :meth:`result` then
            has what is known.

        Raises
        ------
        RuntimeError
            If it was run before.
        """
        if self._message != _NOT_RUN:
            raise RuntimeError("a column generation runs once")
        self._message = "interrupted"
        try:
            with kernels_interruptible():
                self._message = self._generate(watch)
            self._converged = True
        except OutOfTime:
            self._message = _OUT_OF_TIME
        except HighsError as error:  # the bound stands without the master
            self._message = str(error)
        return self.result()

    def result(self) -> GenerationResult:
        """What is known by now, however :meth:`run` ended, or while it goes on."""
        bound, duals = self._proven
        weights, feasible = np.zeros(len(self._columns)), not self._problem.must_run
        if self._optimum is not None:
            known = self._optimum.x[self._outside :]
            weights[: len(known)] = known
            feasible = not self._stays_out(self._optimum)
        return GenerationResult(
            bound,
            duals,
            list(self._columns[: len(weights)]),
            weights,
            list(self._log),
            self._converged,
            feasible,
            self._message,
            {"smoothing": self._smoothing, "gap": self._gap},
        )

    def _generate(self, watch: Callable[[Round], None] | None) -> str:
        """Returns why it ended by itself."""
        began = time.monotonic()
        self._add(self._price(self._proven[1], math.inf))  # so that there is a bound
        if self._proven[0] == -math.inf:
            return "a job has no schedule"
        if not self._columns:
            return "nothing to schedule"
        self._penalise(10.0)
        optimum = self._solve()
        stalled = 0
        while True:
            new = self._improve(optimum)
            if new:
                self._add(new)
                optimum = self._solve()
            spent = time.monotonic() - began
            sizes = len(self._columns), self._rows
            entry = Round(len(self._log), optimum.objective, self._proven[0], *sizes, spent)
            self._log.append(entry)
            if watch is not None:
                watch(entry)
            bound = self._proven[0]
            if new and bound - optimum.objective > self._gap * abs(bound):
                continue
            if self._stays_out(optimum):
                if not new:
                    if self._times >= 1e7:
                        return "the jobs do not fit together"
                    self._penalise(100.0 * self._times)
                    optimum = self._solve()
                continue
            before = optimum.objective
            weights = optimum.x[self._outside :]
            if not self._problem.separate(self._columns, weights, self._deadline):
                self._check_clock()
                return "converged"
            self._add_rows()
            optimum = self._solve()
            # Rows that no longer move the master are not worth their room.
            moved = before - optimum.objective > 1e-4 * abs(before)
            stalled = 0 if moved else stalled + 1
            if stalled >= 3:
                return "further rows do not move the bound"

    def _solve(self) -> Optimum:
        self._optimum = self._master.solve(self._deadline)
        return self._optimum

    def _check_clock(self) -> None:
        if time.monotonic() >= self._deadline:
            raise OutOfTime("deadline")

    def _penalise(self, times: float) -> None:
        """Charge so many times the largest value for a job that stays out."""
        self._times = times
        for column in range(self._outside):
            self._master.change_cost(column, -times * (self._scale or 1.0))

    def _stays_out(self, optimum: Optimum) -> bool:
        return bool((optimum.x[: self._outside] > 1e-6).any())

    def _improve(self, optimum: Optimum) -> list[Any]:
        """Price at smoothed duals, then at the master's own; returns columns that enter."""
        duals = np.maximum(optimum.row_duals[self._problem.jobs :], 0.0)
        convexity = optimum.row_duals[: self._problem.jobs]
        best = np.zeros(len(duals))
        for weight in (self._smoothing, 0.0):
            self._check_clock()
            best[: len(self._proven[1])] = self._proven[1]  # rows added since have price 0
            found = self._price(weight * best + (1 - weight) * duals, self._deadline)
            new = [c for c in found if self._enters(c, duals, convexity)]
            if new:
                return new
        return []

    def _price(self, duals: np.ndarray, deadline: float) -> list[Any]:
        """Columns at given duals; keeps the bound they prove."""
        priced = self._problem.price(duals, deadline)
        found = [column for column in priced if column is not None]
        payoffs = np.array([column.payoff for column in found])
        if not self._problem.must_run:
            payoffs = np.maximum(payoffs, 0.0)
        bound = float(self._problem.capacities() @ duals + payoffs.sum())
        if self._problem.must_run and len(found) < len(priced):
            bound = -math.inf
        if bound < self._proven[0]:
            self._proven = bound, duals
        return found

    def _enters(self, column: Any, duals: np.ndarray, convexity: np.ndarray) -> bool:
        rows, amounts = self._problem.usage(column, 0)
        reduced = column.value - float(amounts @ duals[rows]) - convexity[column.job]
        # HiGHS's duals are exact to 1e-7, relative to values of about 100.
        return bool(reduced > 1e-7 * (max(self._scale, abs(column.value)) or 1.0))

    def _add(self, columns: Sequence[Any]) -> None:
        jobs = self._problem.jobs
        for column in columns:
            rows, amounts = self._problem.usage(column, 0)
            self._master.add_column(
                column.value,
                np.concatenate([[column.job], jobs + rows]),
                np.concatenate([[1.0], amounts]),
            )
            self._columns.append(column)
            self._scale = max(self._scale, abs(column.value))

    def _add_rows(self) -> None:
        """Give the master the rows that the problem has added."""
        capacities = self._problem.capacities()
        count = len(capacities) - self._rows
        rows, places, weights = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
        for place, column in enumerate(self._columns, self._outside):
            used, amounts = self._problem.usage(column, self._rows)
            rows.append(used - self._rows)
            places.append(np.full(len(used), place))
            weights.append(amounts)
        where = np.concatenate(rows), np.concatenate(places)
        shape = count, self._outside + len(self._columns)
        matrix = sparse.coo_array((np.concatenate(weights), where), shape).tocsr()
        self._master.add_rows(matrix, capacities[self._rows :])
        self._rows = len(capacities)

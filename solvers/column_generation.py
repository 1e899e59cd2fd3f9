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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from solvers.highs.growing import GrowingProgram, Optimum

__all__ = ["ColumnGeneration", "CoupledProblem", "GenerationResult", "Round"]


class CoupledProblem(Protocol):
    """A packing problem over job schedules, as a maximisation.

    A minimisation is given as the maximisation of minus the cost, with ``must_run``.
    """

    jobs: int
    must_run: bool
    """Whether every job has to be scheduled: then payoffs are not cut off at 0."""

    def capacities(self) -> np.ndarray:
        """Right-hand sides of the coupling rows, shape (m,); grows with :meth:`separate`."""

    def price(self, duals: np.ndarray) -> Sequence[Any | None]:
        """Best column of every job at nonnegative duals (None: it has no schedule).

        Columns offer ``job``, ``value`` and ``payoff``.
        """

    def usage(self, column: Any, first_row: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows from ``first_row`` on that a column uses, and how much."""

    def separate(self, columns: Sequence[Any], weights: np.ndarray) -> int:
        """Add rows that the fractional solution breaks; returns how many."""


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
        Best bound.
    duals : ndarray
        The prices that prove it.
    columns : list
        All columns, in the order of ``weights``.
    weights : ndarray
        Their values in the last master solution.
    log : list of Round
    converged : bool
        Whether it ended by itself and not by the clock.
    """

    bound: float
    duals: np.ndarray
    columns: list[Any]
    weights: np.ndarray
    log: list[Round] = field(default_factory=list)
    converged: bool = False


class ColumnGeneration:
    """The loop: solve the master, smooth the duals, price, bound, separate.

    Smoothing (Wentges 1997): columns are priced at a mean of the best duals and the master's.
    It damps the swings of the duals, and only it makes the bound rise early. Where smoothed
    duals give no new column, the master's own are tried.

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
    """

    def __init__(
        self,
        problem: CoupledProblem,
        *,
        smoothing: float = 0.6,
        gap: float = 1e-3,
        deadline: float = math.inf,
    ) -> None:
        self._problem = problem
        self._smoothing = smoothing
        self._gap = gap
        self._deadline = deadline
        self._master = GrowingProgram("max")
        self._columns: list[Any] = []
        low = 1.0 if problem.must_run else -math.inf
        for _ in range(problem.jobs):
            self._master.add_row(low, 1.0)
        self._rows = 0
        self._add_rows()
        self._bound = math.inf
        self._best = np.zeros(self._rows)

    def run(self, watch: Callable[[Round], None] | None = None) -> GenerationResult:
        """Generate until the bound meets the master and no row is violated, or time is up.

        Parameters
        ----------
        watch : callable, optional
            Told of every round.
        """
        began = time.monotonic()
        log: list[Round] = []
        self._add(self._price(self._best))
        optimum = self._master.solve()
        converged, stalled = False, 0
        while time.monotonic() < self._deadline:
            new = self._improve(optimum)
            if new:
                self._add(new)
                optimum = self._master.solve()
            entry = Round(
                len(log),
                optimum.objective,
                self._bound,
                len(self._columns),
                self._rows,
                time.monotonic() - began,
            )
            log.append(entry)
            if watch is not None:
                watch(entry)
            if new and self._bound - optimum.objective > self._gap * abs(self._bound):
                continue
            before = self._bound
            if not self._problem.separate(self._columns, optimum.x):
                converged = True
                break
            self._add_rows()
            optimum = self._master.solve()
            # Cuts that no longer move the master are not worth their rows.
            stalled = stalled + 1 if optimum.objective > before * (1 - 1e-4) else 0
            if stalled >= 3:
                converged = True
                break
        return GenerationResult(self._bound, self._best, self._columns, optimum.x, log, converged)

    def _improve(self, optimum: Optimum) -> list[Any]:
        """Price at smoothed duals, then at the master's own; returns columns that enter."""
        duals = np.maximum(optimum.row_duals[self._problem.jobs :], 0.0)
        convexity = optimum.row_duals[: self._problem.jobs]
        for weight in (self._smoothing, 0.0):
            found = self._price(weight * self._best + (1 - weight) * duals)
            new = [c for c in found if self._enters(c, duals, convexity)]
            if new:
                return new
        return []

    def _price(self, duals: np.ndarray) -> list[Any]:
        """Columns at given duals; keeps the bound they prove."""
        found = [column for column in self._problem.price(duals) if column is not None]
        payoffs = np.array([column.payoff for column in found])
        if not self._problem.must_run:
            payoffs = np.maximum(payoffs, 0.0)
        bound = float(self._problem.capacities() @ duals + payoffs.sum())
        if bound < self._bound:
            self._bound, self._best = bound, duals
        return found

    def _enters(self, column: Any, duals: np.ndarray, convexity: np.ndarray) -> bool:
        rows, amounts = self._problem.usage(column, 0)
        reduced = column.value - float(amounts @ duals[rows]) - convexity[column.job]
        return bool(reduced > 1e-9 * max(1.0, abs(column.value)))

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

    def _add_rows(self) -> None:
        """Give the master the rows that the problem has added."""
        capacities = self._problem.capacities()
        entries: list[tuple[list[int], list[float]]] = [
            ([], []) for _ in range(len(capacities) - self._rows)
        ]
        for place, column in enumerate(self._columns):
            rows, amounts = self._problem.usage(column, self._rows)
            for row, amount in zip(rows.tolist(), amounts.tolist(), strict=True):
                entries[row - self._rows][0].append(place)
                entries[row - self._rows][1].append(amount)
        for (places, weights), capacity in zip(entries, capacities[self._rows :], strict=True):
            self._master.add_row(-math.inf, float(capacity), np.array(places), np.array(weights))
        if self._rows:
            self._best = np.concatenate([self._best, np.zeros(len(capacities) - self._rows)])
        self._rows = len(capacities)

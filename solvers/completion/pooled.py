"""The schedule LP (8) of (2) with pooled servers, for column generation."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solvers.completion.pool_bound import PoolOracle, sums
from solvers.coupled_problem import CoupledProblem
from solvers.highs.growing import OutOfTime

__all__ = ["PooledColumn", "PooledProblem"]

_USUAL = 100.0  # of the value of a column: HiGHS's tolerances are absolute


@dataclass(frozen=True)
class PooledColumn:
    """A start and a configuration of a job."""

    job: int
    start: int
    configuration: int
    completion: int
    value: float
    payoff: float


class PooledProblem(CoupledProblem):
    """One row per priced slot and resource.

    Values are minus the weighted completion times, scaled so that they are about 100. So many
    ``slots`` have rows.
    """

    must_run = True

    def __init__(self, oracle: PoolOracle, slots: int) -> None:
        self.oracle, self.jobs = oracle, len(oracle.jobs)
        self._slots, self._resources = slots, len(oracle.capacity)
        self._weights = [job.weight for job in oracle.jobs]
        self.factor = _USUAL / (float(np.mean(self._weights)) * slots) if self.jobs else 1.0

    def capacities(self) -> np.ndarray:
        """All of every resource in every slot: rows are in shares of it."""
        return np.ones(self._slots * self._resources)

    def prices(self, duals: np.ndarray) -> np.ndarray:
        """Duals as prices in the problem's units, shape (S, R)."""
        shares = duals.reshape(self._slots, self._resources) / self.factor
        return np.asarray(shares / self.oracle.capacity)

    def price(self, duals: np.ndarray, deadline: float) -> Sequence[PooledColumn]:
        """Best column of every job."""
        if time.monotonic() >= deadline:
            raise OutOfTime("deadline")
        total = sums(self.prices(duals))
        return [self._column(job, total) for job in range(self.jobs)]

    def _column(self, job: int, total: np.ndarray) -> PooledColumn:
        cost, start, k = self.oracle.best(job, total)
        completion = start + int(self.oracle.of[job].duration[k])
        value = -self._weights[job] * completion * self.factor
        return PooledColumn(job, start, k, completion, value, -cost * self.factor)

    def usage(self, column: PooledColumn, first_row: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows that a column uses, and how much of them."""
        share = self.oracle.of[column.job].amounts[column.configuration] / self.oracle.capacity
        slots = range(self._slots)[column.start : column.completion]  # later ones have no rows
        rows = np.arange(slots.start * self._resources, slots.stop * self._resources)
        amounts = np.tile(share, len(slots))
        used = (amounts > 0.0) & (rows >= first_row)
        return rows[used], amounts[used]

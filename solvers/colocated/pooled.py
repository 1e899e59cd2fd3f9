"""R-DMLRS (8), (9) with pooled machines, for column generation."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.colocated.instance import ColocatedInstance
from solvers.colocated.pool_bound import PooledColumn, PoolOracle
from solvers.coupled_problem import CoupledProblem
from solvers.highs.growing import OutOfTime
from solvers.scaling import factor_for

__all__ = ["PooledProblem"]


class PooledProblem(CoupledProblem):
    """One row per slot and resource.

    Rows are in shares of the capacity of all machines, and values are multiplied by ``factor``, a
    power of two.
    """

    must_run = False

    def __init__(self, instance: ColocatedInstance) -> None:
        cluster = instance.cluster.tolerant
        self.instance, self.jobs = instance, len(instance.jobs)
        self.oracles = [PoolOracle(job, cluster) for job in instance.jobs]
        total = cluster.servers.sum(axis=0)
        self._kept = np.flatnonzero(total > 0.0)
        self._capacity = total[self._kept]
        self._shape = cluster.slots, len(total)
        largest = max((float(o.values.max()) for o in self.oracles if o.feasible), default=0.0)
        self.factor = factor_for(largest)

    def capacities(self) -> np.ndarray:
        """All of every resource in every slot."""
        return np.ones(self._shape[0] * len(self._kept))

    def prices(self, duals: np.ndarray) -> np.ndarray:
        """Duals as prices in the instance's units, shape (T, R)."""
        prices = np.zeros(self._shape)
        shares = duals.reshape(self._shape[0], -1) / self.factor
        prices[:, self._kept] = shares / self._capacity
        return prices

    def price(self, duals: np.ndarray, deadline: float) -> Sequence[PooledColumn | None]:
        """Best column of every job, in scaled values."""
        prices, found = self.prices(duals), []
        for oracle in self.oracles:
            if time.monotonic() >= deadline:
                raise OutOfTime("deadline")
            column = oracle.best(prices @ oracle.job.worker, prices @ oracle.job.ps)
            found.append(None if column is None else self._scaled(column))
        return found

    def _scaled(self, column: PooledColumn) -> PooledColumn:
        times = self.factor
        return replace(column, value=column.value * times, cost=column.cost * times)

    def usage(self, column: PooledColumn, first_row: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows that a column uses, and how much of them."""
        job = self.instance.jobs[column.job]
        used = np.outer(column.workers, job.worker) + np.outer(column.ps, job.ps)
        shares = (used[:, self._kept] / self._capacity).ravel()
        rows = np.flatnonzero(shares)
        rows = rows[rows >= first_row]
        return rows, shares[rows]

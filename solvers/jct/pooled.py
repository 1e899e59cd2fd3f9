"""Pooled schedules as a problem for column generation: prices that prove more than the program's.

The linear program lets a job be partly in the cloud, and completes it at a mean over its chunks.
Here each job has one of its schedules on the pool, or a mixture of them, at their whole JCTs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solvers.column_generation import ColumnGeneration
from solvers.highs.growing import OutOfTime
from solvers.jct.oracle import best_pooled
from solvers.jct.pool import Pool

__all__ = ["PooledColumn", "PooledSchedules", "generated_prices"]


@dataclass(frozen=True, eq=False)
class PooledColumn:
    """A schedule of one job on the pool; what column generation asks of it.

    Parameters
    ----------
    job : int
    value : float
        Minus the JCT.
    payoff : float
        Minus JCT and price.
    rows, amounts : ndarray
        Capacity rows that it uses, and how many workers of each.
    """

    job: int
    value: float
    payoff: float
    rows: np.ndarray
    amounts: np.ndarray


class PooledSchedules:
    """One row for the workers of each type in each slot before ``end``; later ones are free.

    Parameters
    ----------
    pool : Pool
    end : int
        Slots with prices.
    """

    must_run = True

    def __init__(self, pool: Pool, end: int) -> None:
        self._pool, self._end = pool, end
        self.jobs = len(pool.jobs)

    def table(self, duals: np.ndarray) -> np.ndarray:
        """Duals of the rows as prices, shape (types, end)."""
        return np.maximum(0.0, duals).reshape(len(self._pool.workers), self._end)

    def capacities(self) -> np.ndarray:
        """Workers of each type, once for every slot."""
        return np.repeat(self._pool.workers.astype(float), self._end)

    def price(self, duals: np.ndarray, deadline: float) -> list[PooledColumn | None]:
        """Best schedule of every job."""
        table, found = self.table(duals), list[PooledColumn | None]()
        for index, job in enumerate(self._pool.jobs):
            if time.monotonic() > deadline:
                raise OutOfTime("pricing")
            prices = table[job.kind] if job.has_edge else np.zeros(0)
            best = best_pooled(job, prices, self._pool.slots)
            if best is None:
                found.append(None)
                continue
            priced = best.slots < self._end
            found.append(
                PooledColumn(
                    job=index,
                    value=-float(best.jct),
                    payoff=-best.cost,
                    rows=job.kind * self._end + best.slots[priced],
                    amounts=best.workers[priced].astype(float),
                )
            )
        return found

    def usage(self, column: PooledColumn, first_row: int) -> tuple[np.ndarray, np.ndarray]:
        """Workers that a schedule has in the rows from ``first_row`` on."""
        later = column.rows >= first_row
        return column.rows[later], column.amounts[later]

    def separate(
        self, columns: Sequence[PooledColumn], weights: np.ndarray, deadline: float
    ) -> int:
        """No row is left out."""
        return 0


def generated_prices(pool: Pool, end: int, deadline: float) -> np.ndarray:
    """Prices by column generation, shape (types, end); the best so far at the deadline.

    Parameters
    ----------
    pool : Pool
    end : int
        Slots with prices.
    deadline : float
        Of ``time.monotonic()``.
    """
    problem = PooledSchedules(pool, end)
    generated = ColumnGeneration(problem, deadline=deadline).run()
    return problem.table(generated.duals)

"""One schedule of one job: a column of R-DMLRS (8), (9)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from models.allocations import summed_rows
from models.colocated.cluster import Job
from models.colocated.instance import ColocatedInstance
from models.colocated.schedule import ColocatedSchedule

__all__ = ["Column", "schedule_of"]


@dataclass(frozen=True, eq=False)
class Column:
    """A feasible schedule ``pi_i`` of job i: satisfies (3), (4), (7) and has enough PSs.

    Parameters
    ----------
    job : int
        Index of the job.
    completion : int
        ``t~``, the last slot with a worker, (6).
    value : float
        ``u_i(t~ - a_i)``, or the worth the oracle was given.
    workers, ps : ndarray of int64, shape (n, 3) and (m, 3)
        Rows (slot, server, count), sorted, read-only, counts positive.
    cost : float
        Price of the resources used, at the prices it was found for (0 if none).
    """

    job: int
    completion: int
    value: float
    workers: np.ndarray
    ps: np.ndarray
    cost: float = 0.0

    @classmethod
    def build(
        cls,
        job: Job,
        value: float,
        workers: np.ndarray | list,
        ps: np.ndarray | list,
        cost: float = 0.0,
    ) -> Column:
        """Make a column from rows in any order, at least one of them with workers."""
        rows = summed_rows(workers, 3)
        return cls(job.index, int(rows[-1, 0]), value, rows, summed_rows(ps, 3), cost)

    @property
    def payoff(self) -> float:
        """Right-hand side of (11): value minus cost."""
        return self.value - self.cost


def schedule_of(instance: ColocatedInstance, columns: Iterable[Column]) -> ColocatedSchedule:
    """Schedule that runs each of these columns, at most one per job; other jobs do not run."""
    admitted = np.zeros(len(instance.jobs), dtype=bool)
    tables: list[list[tuple[int, ...]]] = [[], []]
    for column in columns:
        if admitted[column.job]:
            raise ValueError(f"two columns of job {column.job}, against (9)")
        admitted[column.job] = True
        for table, part in zip(tables, (column.workers, column.ps), strict=True):
            table += [(column.job, *row) for row in part.tolist()]
    return ColocatedSchedule.build(instance, admitted, *tables)

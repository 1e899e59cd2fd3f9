"""One schedule of one elastic job: a column of the schedule ILP, (14) of OASiS, (8) of PD-ORS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from models.allocations import summed_rows

__all__ = ["Column"]


@dataclass(frozen=True, eq=False)
class Column:
    """A feasible schedule ``l`` or ``pi_i`` of job i: satisfies all rules but the capacities.

    Parameters
    ----------
    job : int
        Index of the job.
    completion : int
        The last slot with a worker.
    value : float
        Utility of completing then, or the worth the oracle was given.
    workers, ps : ndarray of int64, shape (n, 3) and (m, 3)
        Rows (slot, server, count), sorted, counts positive.
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
        job: Any,
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
        """Right-hand side of (20) of OASiS and (11) of PD-ORS: value minus cost."""
        return self.value - self.cost

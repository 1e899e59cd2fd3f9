"""One schedule of one job: a column of the schedule ILP (14)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Column", "Resources"]


@dataclass(frozen=True, eq=False)
class Resources:
    """One number per (slot, server, resource): prices, or free capacities.

    Parameters
    ----------
    worker : ndarray of float, shape (T, H, R)
        ``p_h^r(t)``, or what is free on the servers that run workers.
    ps : ndarray of float, shape (T, K, R)
        ``q_k^r(t)``, or what is free on the servers that run parameter servers.
    """

    worker: np.ndarray
    ps: np.ndarray


@dataclass(frozen=True, eq=False)
class Column:
    """A feasible schedule ``l`` of job i: satisfies (2), (3), (6), (7), (9), (10), (12), (13).

    Parameters
    ----------
    job : int
        Index of the job.
    completion : int
        ``t_il``, the last slot with a worker.
    value : float
        ``f_i(t_il - a_i)``, or the worth the oracle was given.
    workers : ndarray of int64, shape (n, 3)
        Rows (slot, server, ``y_ih^l(t)``), sorted, counts positive.
    ps : ndarray of int64, shape (m, 3)
        Rows (slot, server, ``z_ik^l(t)``), sorted, counts positive.
    cost : float
        Price of the resources used, at the prices it was found for (0 if none).
    """

    job: int
    completion: int
    value: float
    workers: np.ndarray
    ps: np.ndarray
    cost: float = 0.0

    @property
    def payoff(self) -> float:
        """Right-hand side of (20): value minus cost."""
        return self.value - self.cost

"""Place a load on the servers of a side, or show that they cannot hold it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from models.tolerance import SCORER
from solvers.highs import HighsOptions, LinearProgram, solve
from solvers.packing import best_packing

__all__ = ["Placer", "Placing", "usable"]

_MAX_NODES = 2_000
_NO_LIMITS = HighsOptions()
_INWARD = 1e-8  # relative; more than the round-off that the kernels allow for


def usable(capacity: np.ndarray) -> np.ndarray:
    """Capacities up to the scorer's tolerance, less a hair for round-off."""
    return _most(capacity) * (1.0 - _INWARD)


def _most(capacity: np.ndarray) -> np.ndarray:
    return capacity + SCORER * np.maximum(1.0, capacity)


class Placing(NamedTuple):
    """Where a load goes.

    Parameters
    ----------
    counts : ndarray of int64, shape (S, I)
        What is placed; at most the load.
    complete : bool
        Whether that is all of it.
    """

    counts: np.ndarray
    complete: bool


class Placer:
    """Places loads on the servers of one side, in whole workers; remembers what it has placed.

    Parameters
    ----------
    servers : ndarray, shape (S, R)
        Capacities; up to the scorer's tolerance may be used.
    demand : ndarray, shape (I, R)
    """

    def __init__(self, servers: np.ndarray, demand: np.ndarray) -> None:
        self._servers, self._most = usable(servers), _most(servers)
        self._demand = demand
        total = servers.sum(axis=0)
        # The largest share of the cluster, so that what is hard to place goes first.
        self.size = (demand / np.where(total > 0, total, 1.0)).max(axis=1, initial=0.0)
        self._known: dict[bytes, Placing] = {}

    def place(self, load: np.ndarray, limits: HighsOptions | None = _NO_LIMITS) -> Placing:
        """Place a load of whole workers (shape (I,)).

        Server after server takes the packing of the largest size. If something is left over, an
        integer program places more or proves that nothing better exists, as far as its limits
        allow; it is not tried without any.
        """
        key = np.asarray(load, dtype=np.int64).tobytes()
        if key not in self._known:
            self._known[key] = self._place(np.asarray(load, dtype=np.int64), limits)
        return self._known[key]

    def fill(self, counts: np.ndarray, more: np.ndarray) -> np.ndarray:
        """Counts placed (shape (S, I)), and as much of a further load as there is room for."""
        active = np.flatnonzero(more)
        demand, size, left = self._demand[active], self.size[active], more[active]
        room = np.maximum(self._servers - counts @ self._demand, 0.0)
        filled = counts.copy()
        for s, capacity in enumerate(room):
            if not left.any():
                break
            added = best_packing(capacity, demand, size, left, _MAX_NODES)[2]
            filled[s, active] += added
            left = left - added
        return filled

    def fits(self, counts: np.ndarray) -> bool:
        """Whether counts per server (shape (S, I)) are within the capacities."""
        return bool((counts @ self._demand <= self._most).all())

    def _place(self, load: np.ndarray, limits: HighsOptions | None) -> Placing:
        active = np.flatnonzero(load)
        counts = np.zeros((len(self._servers), len(load)), dtype=np.int64)
        greedy = self._greedily(active, load[active])
        complete = bool((greedy.sum(axis=0) == load[active]).all())
        if not complete and limits is not None:
            better = self._exactly(active, load[active], limits)
            if better is not None:
                greedy = better
                complete = bool((greedy.sum(axis=0) == load[active]).all())
        counts[:, active] = greedy
        return Placing(counts, complete)

    def _greedily(self, active: np.ndarray, load: np.ndarray) -> np.ndarray:
        demand, size, left = self._demand[active], self.size[active], load.copy()
        counts = np.zeros((len(self._servers), len(active)), dtype=np.int64)
        for s, capacity in enumerate(self._servers):
            if not left.any():
                break
            counts[s] = best_packing(capacity, demand, size, left, _MAX_NODES)[2]
            left -= counts[s]
        return counts

    def _exactly(
        self, active: np.ndarray, load: np.ndarray, limits: HighsOptions
    ) -> np.ndarray | None:
        """Place as much (by size) as possible; None if HiGHS has found nothing in time."""
        demand, servers = self._demand[active], self._most
        jobs, count = len(active), len(servers)
        share = demand[None] / servers[:, None]  # [S, jobs, R]
        most = np.where((share <= 1).all(axis=2), load, 0)
        share = np.where((share <= 1) & (share > 1e-9), share, 0.0)
        column = np.arange(count * jobs).reshape(count, jobs)
        server, job, resource = np.nonzero(share)
        rows = server * share.shape[2] + resource
        fits = sparse.csr_array(
            (share[server, job, resource], (rows, column[server, job])),
            shape=(count * share.shape[2], column.size),
        )
        totals = sparse.csr_array(
            (np.ones(column.size), (np.tile(np.arange(jobs), count), column.ravel())),
            shape=(jobs, column.size),
        )
        program = LinearProgram(
            sense="max",
            cost=np.tile(self.size[active] / self.size[active].max(), count),
            matrix=sparse.vstack([fits, totals]),
            row_upper=np.concatenate([np.ones(fits.shape[0]), load.astype(float)]),
            upper=most.ravel().astype(float),
            integer=np.ones(column.size, dtype=bool),
        )
        result = solve(program, limits, in_child=False)
        if result.x is None:
            return None
        counts = np.round(result.x).astype(np.int64).reshape(count, jobs)
        # HiGHS lets rows pass by its tolerance; the scorer does not.
        fits_all = (counts @ demand <= servers).all(axis=1)
        counts[~fits_all] = 0
        return counts

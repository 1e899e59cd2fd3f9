"""Place a load on the servers of a side, or show that they cannot hold it."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from models.tolerance import SCORER, tolerant
from solvers.highs import HighsOptions, LinearProgram, MatrixResult, solve
from solvers.highs.engine import HighsError
from solvers.highs.growing import OutOfTime
from solvers.packing import best_packing
from solvers.utility.separation import Mixture, PackingCut, PackingSeparator

__all__ = ["Placer", "Placing", "placeable"]

_MAX_NODES = 2_000
_LOOKS = 200  # of HiGHS at its limits, for whole numbers of packings: more hardly ever helps
_NO_LIMITS = HighsOptions()
_REMEMBERED = 1_000  # loads: at 200 jobs and 50 servers 80 MB, and a plan has 300 slots
_INWARD = 1e-8  # relative; more than the round-off that the kernels allow for


def placeable(capacity: np.ndarray) -> np.ndarray:
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
    cut : PackingCut, optional
        What shows that the servers cannot hold all of it, if anything was found that does.
    """

    counts: np.ndarray
    complete: bool
    cut: PackingCut | None = None


class Placer:
    """Places loads on the servers of one side, in whole workers; remembers what it has placed last.

    Parameters
    ----------
    servers : ndarray, shape (S, R)
        Capacities; up to the scorer's tolerance may be used.
    demand : ndarray, shape (I, R)
    separator : PackingSeparator, optional
        Of the same servers and demand; its packings are tried, too.

    Attributes
    ----------
    failure : str
        How the first program failed that HiGHS could not cope with; else empty. Less may then be
        placed, and nothing false.
    """

    def __init__(
        self, servers: np.ndarray, demand: np.ndarray, separator: PackingSeparator | None = None
    ) -> None:
        self._separator = separator
        self._servers, self._most = placeable(servers), _most(servers)
        self._demand = demand
        total = servers.sum(axis=0)
        # The largest share of the cluster, so that what is hard to place goes first.
        self.size = (demand / np.where(total > 0, total, 1.0)).max(axis=1, initial=0.0)
        self._group = np.unique(tolerant(servers), axis=0, return_inverse=True)[1].ravel()
        self._known: dict[bytes, Placing] = {}
        self.failure = ""

    def place(
        self,
        load: np.ndarray,
        limits: HighsOptions = _NO_LIMITS,
        deadline: float = math.inf,
    ) -> Placing:
        """Place a load of whole workers (shape (I,)).

        Server after server takes the packing of the largest size. If something is left over, whole
        numbers of the separator's packings are tried. If that leaves something over, too, and no
        cut shows that it has to, an integer program places more or proves that nothing better
        exists, as far as its limits allow.

        Parameters
        ----------
        load : ndarray of int64, shape (I,)
        limits : HighsOptions
            Of each program; the deadline takes the place of their time limit.
        deadline : float
            ``time.monotonic()`` after which nothing more is tried.
        """
        load = np.asarray(load, dtype=np.int64)
        key = load.tobytes()
        if key not in self._known:
            if len(self._known) == _REMEMBERED:
                self._known.pop(next(iter(self._known)))  # the oldest
            self._known[key] = self._place(load, limits, deadline)
        return self._known[key]

    def fits(self, counts: np.ndarray) -> bool:
        """Whether counts per server (shape (S, I)) are within the capacities."""
        return bool((counts @ self._demand <= self._most).all())

    def _place(self, load: np.ndarray, limits: HighsOptions, deadline: float) -> Placing:
        active = np.flatnonzero(load)
        counts = np.zeros((len(self._servers), len(load)), dtype=np.int64)
        counts[:, active] = self._greedily(active, load[active])
        mixture: Mixture | None = None
        if self._left(counts, load) and self._separator and time.monotonic() < deadline:
            try:
                mixture = self._separator.mixture(load.astype(float), deadline)
            except OutOfTime:
                pass
            except HighsError as error:  # numbers that HiGHS cannot cope with
                self.failure = self.failure or str(error)
        if mixture is not None and len(mixture.groups) and time.monotonic() < deadline:
            more = self._from_packings(load, mixture, limits.until(deadline))
            counts = self._larger(counts, more)
        cut = None if mixture is None else mixture.cut
        if self._left(counts, load) and cut is None and time.monotonic() < deadline:
            better = self._exactly(active, load[active], limits.until(deadline))
            if better is not None:
                exact = np.zeros_like(counts)
                exact[:, active] = better
                counts = self._larger(counts, exact)
        return Placing(counts, not self._left(counts, load), cut)

    def _solve(self, program: LinearProgram, limits: HighsOptions) -> MatrixResult:
        result = solve(program, limits, in_child=False)
        if result.failed:
            self.failure = self.failure or result.message
        return result

    @staticmethod
    def _left(counts: np.ndarray, load: np.ndarray) -> bool:
        """Whether something of a load is not placed."""
        return bool((counts.sum(axis=0) < load).any())

    def _larger(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Which of two places more, by size."""
        return max(one, other, key=lambda counts: float(counts.sum(axis=0) @ self.size))

    def _from_packings(
        self, load: np.ndarray, mixture: Mixture, limits: HighsOptions
    ) -> np.ndarray:
        """Place as much as whole numbers of packings hold, then more in the room that is left."""
        groups, packings = mixture.groups, mixture.packings
        active = np.flatnonzero(load)
        jobs, count = len(active), np.bincount(self._group)
        matrix = np.zeros((jobs + len(count), jobs + len(groups)))
        matrix[:jobs, :jobs], matrix[:jobs, jobs:] = np.eye(jobs), -packings[:, active].T
        matrix[jobs + groups, jobs + np.arange(len(groups))] = 1.0
        program = LinearProgram(
            sense="max",
            cost=np.append(self.size[active] / self.size[active].max(), np.zeros(len(groups))),
            matrix=matrix,
            row_upper=np.append(np.zeros(jobs), count),
            upper=np.append(load[active], count[groups]).astype(float),
            integer=np.ones(jobs + len(groups), dtype=bool),
        )
        counts, left = np.zeros((len(self._servers), len(load)), dtype=np.int64), load.copy()
        looks = min(_LOOKS, limits.work_limit or _LOOKS)
        result = self._solve(program, replace(limits, work_limit=looks))
        if result.x is None:
            return counts
        free = [np.flatnonzero(self._group == g).tolist() for g in range(len(count))]
        times = np.round(result.x[jobs:]).astype(np.int64)
        for g, packing in zip(
            np.repeat(groups, times), np.repeat(packings, times, axis=0), strict=True
        ):
            server = free[g].pop()
            held = np.minimum(packing, left)
            if (held @ self._demand <= self._most[server]).all():
                counts[server], left = held, left - held
        return self._fill(counts, left)

    def _fill(self, counts: np.ndarray, more: np.ndarray) -> np.ndarray:
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
        result = self._solve(program, limits)
        if result.x is None:
            return None
        counts = np.round(result.x).astype(np.int64).reshape(count, jobs)
        # HiGHS lets rows pass by its tolerance; the scorer does not.
        fits_all = (counts @ demand <= servers).all(axis=1)
        counts[~fits_all] = 0
        return counts

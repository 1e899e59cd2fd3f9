"""The schedule ILP (14) with pooled servers, and cuts that say what the servers really hold.

Rows of the relaxation: per slot, side and resource the capacities added up over the servers;
and per slot and side any number of *packing cuts* ``sum_i u_i n_i(t) <= sum_h max {u y}``, the
maximum over whole y that fit server h. Duals of the rows are prices for
:func:`solvers.utility.pool_bound.pool_bound`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.utility.instance import UtilityInstance
from solvers.highs.engine import HighsError
from solvers.highs.growing import OutOfTime
from solvers.packing_groups import packing_groups
from solvers.utility.pool_bound import PoolPrices, PricedCut
from solvers.utility.separation import PackingCut, PackingSeparator
from solvers.utility.totals import TotalsColumn, TotalsOracle

__all__ = ["PooledProblem"]


@dataclass(frozen=True, eq=False)
class _Row:
    """``sum_i weight_i n_i(t) <= capacity`` on one side (0 workers, 1 parameter servers)."""

    side: int
    slot: int
    weight: np.ndarray  # [I]
    capacity: float
    resource: int | None  # None for a packing cut


class PooledProblem:
    """A :class:`solvers.coupled_problem.CoupledProblem` over totals per slot.

    Parameters
    ----------
    instance : UtilityInstance
    """

    must_run = False

    def __init__(self, instance: UtilityInstance) -> None:
        cluster = instance.cluster.tolerant
        self.jobs = len(instance.jobs)
        width = len(cluster.resources)
        self._oracles = [TotalsOracle(job, cluster) for job in instance.jobs]
        runnable = np.array([oracle.feasible for oracle in self._oracles])
        self._demand, servers = instance.demand, cluster.sides
        self._rows: list[_Row] = []
        for side in (0, 1):
            total = servers[side].sum(axis=0)
            for r in range(width):
                weight = np.where(runnable, self._demand[side][:, r], 0.0)
                if weight.any():
                    self._rows.extend(
                        _Row(side, t, weight, float(total[r]), r) for t in range(cluster.slots)
                    )
        self._slots = cluster.slots
        self._separators = [
            PackingSeparator(
                packing_groups(servers[side]),
                self._demand[side],
                np.array([job.chunks for job in instance.jobs], dtype=np.int64),
            )
            for side in (0, 1)
        ]
        self._rebuild()

    def _rebuild(self) -> None:
        rows = self._rows
        self._capacity = np.array([row.capacity for row in rows])
        self._side = np.array([row.side for row in rows], dtype=np.int64)
        self._slot = np.array([row.slot for row in rows], dtype=np.int64)
        weight = np.array([row.weight for row in rows]).reshape(len(rows), self.jobs)
        self._weight = weight.T.copy()

    def capacities(self) -> np.ndarray:
        """Right-hand sides of the rows."""
        return self._capacity

    def pool_prices(self, duals: np.ndarray) -> PoolPrices:
        """Duals of the first so many rows as prices that :func:`pool_bound` can check."""
        shape = (self._slots, self._demand[0].shape[1])
        pooled = (np.zeros(shape), np.zeros(shape))
        cuts = []
        for row, dual in zip(self._rows, duals.tolist(), strict=False):
            if row.resource is not None:
                pooled[row.side][row.slot, row.resource] = dual
            elif dual > 0:
                cuts.append(PricedCut(row.side, row.slot, dual, row.weight))
        return PoolPrices(pooled[0], pooled[1], tuple(cuts))

    def price(self, duals: np.ndarray, deadline: float) -> Sequence[TotalsColumn | None]:
        """Best totals of every job."""
        cost = [np.zeros((self._slots, self.jobs)) for _ in (0, 1)]
        paid = np.flatnonzero(duals > 0)
        for side in (0, 1):
            rows = paid[self._side[paid] == side]
            np.add.at(cost[side], self._slot[rows], duals[rows, None] * self._weight[:, rows].T)
        found = []
        for i, oracle in enumerate(self._oracles):
            if time.monotonic() >= deadline:
                raise OutOfTime("deadline")
            found.append(oracle.best(cost[0][:, i], cost[1][:, i]))
        return found

    def usage(self, column: TotalsColumn, first_row: int) -> tuple[np.ndarray, np.ndarray]:
        """Amounts that a column uses of the rows from ``first_row`` on."""
        slot, side = self._slot[first_row:], self._side[first_row:]
        count = np.where(side == 0, column.workers[slot], column.ps[slot])
        amount = count * self._weight[column.job, first_row:]
        rows = np.flatnonzero(amount)
        return rows + first_row, amount[rows]

    def totals(
        self, columns: Sequence[TotalsColumn], weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """``n_i(t)`` and ``m_i(t)`` of a fractional solution, shape (I, T) each."""
        n, m = (np.zeros((self.jobs, self._slots)) for _ in (0, 1))
        for place in np.flatnonzero(weights > 1e-9).tolist():
            column = columns[place]
            n[column.job] += weights[place] * column.workers
            m[column.job] += weights[place] * column.ps
        return n, m

    def completions(self, columns: Sequence[TotalsColumn], weights: np.ndarray) -> np.ndarray:
        """How much of each job completes in each slot, shape (I, T), of a fractional solution."""
        share = np.zeros((self.jobs, self._slots))
        for place in np.flatnonzero(weights > 1e-9).tolist():
            share[columns[place].job, columns[place].completion] += weights[place]
        return share

    def packing_cuts(self) -> list[tuple[int, PackingCut]]:
        """All packing cuts found so far, with their sides."""
        return [
            (row.side, PackingCut(row.weight, row.capacity))
            for row in self._rows
            if row.resource is None
        ]

    def separate(
        self, columns: Sequence[TotalsColumn], weights: np.ndarray, deadline: float
    ) -> int:
        """Add the packing cuts that the solution violates, at most one per slot and side.

        Some may be missing if ``deadline``, of ``time.monotonic()``, comes first.

        Raises
        ------
        HighsError
            If no cut is found, and for some load the search for one failed.
        """
        fresh: list[_Row] = []
        failed: HighsError | None = None
        for side, load in enumerate(self.totals(columns, weights)):
            for t in range(self._slots):
                try:
                    cut = self._separators[side].cut(load[:, t], deadline)
                except OutOfTime as error:
                    failed = error
                    break
                except HighsError as error:  # numbers that HiGHS cannot cope with
                    failed = error
                    continue
                if cut is not None:
                    fresh.append(_Row(side, t, cut.weight, cut.capacity, None))
        if not fresh and failed is not None:
            raise failed
        self._rows += fresh
        self._rebuild()
        return len(fresh)

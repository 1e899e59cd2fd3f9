"""A linear program whose duals are prices for the leaves of a tree of branchings on deadlines.

The relaxation of :class:`solvers.utility.totals_program.TotalsProgram`, with rows that count the
parameter servers of each job (:mod:`solvers.utility.job_program`). A branching is a bound on
variables: from one leaf to the next the basis stays dual feasible, and a solve takes a few simplex
iterations. Its value is no bound to rely on, and need not be: the prices are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from models.utility.instance import UtilityInstance
from solvers.highs import HighsOptions, LinearProgram
from solvers.highs.growing import GrowingProgram, Infeasible, Optimum, OutOfTime
from solvers.utility.deadline_tree import Allowed, Branch
from solvers.utility.job_program import JobProgram
from solvers.utility.pool_bound import PoolPrices, PricedCut, rounded
from solvers.utility.scaling import scale_utilities
from solvers.utility.search_state import LOOKS_PER_UNIT, SearchState
from solvers.utility.separation import PackingCut
from solvers.utility.sparse_rows import NEVER, SparseRows
from solvers.utility.time_grid import TimeGrid
from solvers.utility.totals_program import SIDES, TotalsProgram

__all__ = ["DeadlineRelaxation"]

_OVERLOAD = 100.0  # cost of twice the capacities, relative to all that the jobs are worth
_VIOLATION = 1e-5  # of a cut, relative
_FULL = 1e-6  # share by which capacities may be exceeded all the same


_Limit = tuple[int, int, int | None, np.ndarray, float]
"""A packing cut, or a resource, in one interval: side, interval, resource, weights, capacity."""


class _Row(NamedTuple):
    """A row that has a price: a packing cut, or a resource, in one interval."""

    side: int
    interval: int
    resource: int | None
    weight: np.ndarray
    unit: float


class DeadlineRelaxation:
    """The program, solved for one set of deadlines after another.

    All capacities may be exceeded by one share, at a price so high that nobody would unless some
    jobs have to complete that do not fit together. So there are duals unless a single job cannot
    do what it has to, and those of a leaf without any schedule prove that next to nothing is there,
    or less than nothing.

    Parameters
    ----------
    instance : UtilityInstance
    cuts : iterable of (int, PackingCut)
        Packing cuts that are known, with their sides.
    deadline : float
        ``time.monotonic()`` at which to stop.
    work : float
        Units of work (:class:`solvers.utility.deadlines.DeadlineOptions`) after which to stop.
    coarse, grid
        As in :class:`solvers.utility.totals_program.TotalsProgram`, `coarse` in the unit of the
        instance. Prices are those of slots all the same: what an interval has, each of its slots.
        With either, deadlines alone are branched on.

    Attributes
    ----------
    work_left : float
        Units of work.
    """

    def __init__(
        self,
        instance: UtilityInstance,
        cuts: Iterable[tuple[int, PackingCut]],
        deadline: float,
        work: float = math.inf,
        *,
        coarse: float = 0.0,
        grid: TimeGrid | None = None,
    ) -> None:
        scaled = scale_utilities(instance)
        self._factor, self._deadline, self.work_left = scaled.factor, deadline, work
        cluster = instance.cluster.tolerant
        self._shape = cluster.slots, len(cluster.resources)
        self._coarse = coarse > 0 or grid is not None
        self._totals = totals = TotalsProgram(
            scaled.instance, coarse=coarse * scaled.factor, grid=grid
        )
        self._separators = SearchState(instance, totals.limits, deadline, HighsOptions())
        self._jobs = [JobProgram.of(totals, i) for i in totals.done]
        self._most = np.zeros((2, len(instance.jobs)), dtype=np.int64)
        for i, limits in totals.limits.items():
            self._most[:, i] = limits.most, limits.most_ps
        program = totals.program()
        self._upper = program.upper
        self._program = self._without_capacities(program)
        self._rows: list[_Row] = []
        self._first_row = self._program.rows
        # The cuts known, by side and weights; and by side, place and interval, which are a row.
        self._cuts: tuple[dict[bytes, PackingCut], ...] = ({}, {})
        self._are_rows: set[tuple[int, int, int]] = set()
        self._add_rows(
            (side, interval, r, instance.demand[side][:, r], total)
            for side in SIDES
            for r, total in enumerate(cluster.sides[side].sum(axis=0).tolist())
            for interval in range(len(totals.grid.length))
        )
        for side, cut in cuts:
            self._cuts[side].setdefault(cut.weight.tobytes(), cut)

    def _without_capacities(self, program: LinearProgram) -> GrowingProgram:
        """The program without the rows that have a price, and with a column for the overload."""
        free = program.row_upper > 0  # capacities, or no limit at all
        kept = ~(free & np.isfinite(program.row_upper))
        self._overload = program.matrix.shape[1]
        most = float(np.maximum(program.cost, 0.0).sum())
        rows = SparseRows()
        for job in self._jobs:
            job.add_rows(rows)
        matrix = sparse.vstack([program.matrix[kept], rows.matrix(self._overload)])
        return GrowingProgram.of(
            LinearProgram(
                sense="max",
                cost=np.append(program.cost, -_OVERLOAD * max(most, 1.0)),
                matrix=sparse.hstack([matrix, sparse.csr_array((matrix.shape[0], 1))]),
                row_lower=np.concatenate([program.row_lower[kept], *rows.lower]),
                row_upper=np.concatenate([program.row_upper[kept], *rows.upper]),
                upper=np.append(program.upper, math.inf),
            )
        )

    def _add_rows(self, limits: Iterable[_Limit]) -> None:
        """Add a row for each limit that a schedule could exceed."""
        rows = SparseRows()
        for side, interval, resource, weight, capacity in limits:
            columns = self._totals.counts(side)[interval]
            used = np.flatnonzero((columns != NEVER) & (weight > 0))
            if weight[used] @ self._most[side, used] <= capacity:
                continue
            unit = float(weight[used].max())
            limit = int(self._totals.grid.length[interval]) * capacity / unit
            share = weight[used] / unit
            rows.add(1, -math.inf, limit, (0, columns[used], share), (0, self._overload, -limit))
            self._rows.append(_Row(side, interval, resource, weight, unit))
        if rows.count:
            self._program.add_rows(rows.matrix(self._overload + 1), np.concatenate(rows.upper))

    @property
    def cuts(self) -> list[tuple[int, PackingCut]]:
        """All packing cuts known, with their sides."""
        return [(side, cut) for side in SIDES for cut in self._cuts[side].values()]

    @property
    def failure(self) -> str:
        """How HiGHS failed when cuts were looked for, if it did; else empty."""
        return self._separators.failure

    def glance(self, allowed: Allowed) -> float:
        """Value for some deadlines, with the rows that are there.

        Raises
        ------
        OutOfTime
            If the deadline comes first, or the work is done.
        HighsError
            If HiGHS fails.
        """
        try:
            return self._solve(allowed).objective
        except Infeasible:  # some job cannot do what it has to
            return -math.inf

    def scaled(self, bound: float) -> float:
        """A bound in the unit of the objective."""
        return bound * self._factor - self._totals.left_out

    def solve(self, allowed: Allowed) -> Optimum:
        """Solve it for some deadlines, with those of the cuts known that its loads would violate.

        Raises HighsError as :meth:`glance` does, and Infeasible if some job cannot do what it has
        to.
        """
        while True:
            optimum = self._solve(allowed)
            if not self._add_violated(optimum):
                return optimum

    def _solve(self, allowed: Allowed) -> Optimum:
        lower, upper = np.zeros(self._overload), self._upper.copy()
        for job in self._jobs:
            job.restrict(allowed, lower, upper)
        self._program.bound_columns(np.arange(self._overload), lower, upper)
        if self.work_left <= 0:
            raise OutOfTime("limit of work")
        before = self._program.iterations
        try:
            return self._program.solve(self._deadline)
        finally:
            looks = (self._program.iterations - before) / 100
            self.work_left -= looks * self._program.nonzeros / LOOKS_PER_UNIT

    def _add_violated(self, optimum: Optimum) -> int:
        """Add rows of cuts where a point violates them; returns how many."""
        known, violated = len(self._rows), []
        for side in SIDES:
            cuts = list(self._cuts[side].values())
            if not cuts:
                continue
            loads = self._totals.loads(optimum.x[:-1], side)[self._totals.grid.starts]
            loads = loads @ np.array([cut.weight for cut in cuts]).T
            limit = np.array([cut.capacity for cut in cuts]) * (1.0 + _VIOLATION)
            for interval, place in np.argwhere(loads > limit).tolist():
                if (side, place, interval) not in self._are_rows:
                    violated.append(
                        (side, interval, None, cuts[place].weight, cuts[place].capacity)
                    )
                    self._are_rows.add((side, place, interval))
        self._add_rows(violated)
        return len(self._rows) - known

    def separate(self, optimum: Optimum) -> bool:
        """Look for further cuts that a point violates; whether any was found and is a row now.

        Where capacities are exceeded there is nothing to look for: cuts are exceeded with them.
        """
        if optimum.x[self._overload] > _FULL:
            return False
        for side, cut in self._separators.find_cuts(self._totals, optimum.x[:-1]):
            self._cuts[side].setdefault(cut.weight.tobytes(), cut)
        return self._add_violated(optimum) > 0

    def prices(self, optimum: Optimum) -> PoolPrices:
        """The duals as prices of the instance, rounded."""
        tables, grid = np.zeros((2, *self._shape)), self._totals.grid
        cuts = []
        duals = np.maximum(optimum.row_duals[self._first_row :], 0.0) / self._factor
        for place in np.flatnonzero(duals).tolist():
            row, price = self._rows[place], duals[place] / self._rows[place].unit
            slots = np.flatnonzero(grid.interval == row.interval)
            if row.resource is None:
                cuts += [PricedCut(row.side, t, price, row.weight) for t in slots.tolist()]
            else:
                tables[row.side, slots, row.resource] = price
        return rounded(PoolPrices(tables[0], tables[1], tuple(cuts)))

    def branchings(self, optimum: Optimum) -> list[Branch]:
        """For each job whose deadline is not whole, the slot nearest to its middle; by how near.

        If all deadlines are whole, the same of parameter servers, and then of workers; of those
        too that are whole and have less than the parameter servers they need.
        """
        whole = JobProgram.parameter_servers, JobProgram.workers
        for find in (JobProgram.deadline, *(() if self._coarse else whole)):
            found = [branch for job in self._jobs if (branch := find(job, optimum.x)) is not None]
            if found:
                return [
                    branch for _, branch in sorted(found, key=lambda one: (-one[0], one[1].job))
                ]
        return []

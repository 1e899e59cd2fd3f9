"""Fractional workers slot by slot for given deadlines, with packing cuts added as needed.

With a row for every cut and slot, the totals program is too large to be solved again and again.
With rows only where loads once came near a cut, loads violate it elsewhere: there were plans that
exceeded by up to 18 percent what the servers can hold in a slot. So this is a linear program with
only those jobs, deadlines and rows that matter. It is given the cuts that its loads violate, first
known ones, then new ones that separation finds, until there are none; each solve starts from the
basis of the one before. Only after that are its deadlines made integer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy import sparse

from solvers.highs import LinearProgram
from solvers.highs.growing import GrowingProgram
from solvers.utility.deadlines.neighbourhoods import where_undecided
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.sparse_rows import NEVER
from solvers.utility.totals_program import SIDES, SMALLEST

__all__ = ["PlanProgram"]


class PlanProgram:
    """The program, and its last point.

    Parameters
    ----------
    state : DeadlineState
        It takes over the cuts found.
    ends : dict of int to int
        Jobs complete by these slots, or later, or stay out; those not in it stay out.
    room : float
        Share of the capacities that may be used.
    early : bool
        Whether running earlier counts a little, so that what whole workers miss of the plan can
        be made up later. The objective is then not quite that of the instance.

    Attributes
    ----------
    x : ndarray
        Its latest point, in the columns of the totals program.
    objective : float
        Of the linear program, after :meth:`solve`.
    """

    def __init__(
        self, state: DeadlineState, ends: Mapping[int, int], room: float, *, early: bool
    ) -> None:
        self._state, self._totals, self._options = state, state.totals, state.options
        self._room, self._ends = room, dict(ends)
        program = self._totals.program(whole=False, ends=ends, room=room)
        cost = program.cost - (self._lateness(program) if early else 0.0)
        self._columns = np.flatnonzero(program.upper > 0)
        self._place = np.full(len(cost), NEVER)
        self._place[self._columns] = np.arange(len(self._columns))
        upper = program.upper[self._columns]
        matrix = program.matrix[:, self._columns]
        most, least = matrix.maximum(0) @ upper, matrix.minimum(0) @ upper
        binds = (most > program.row_upper) | (least < program.row_lower)
        self._program = LinearProgram(
            sense="max",
            cost=cost[self._columns],
            matrix=matrix[binds],
            row_lower=program.row_lower[binds],
            row_upper=program.row_upper[binds],
            lower=np.zeros(len(upper)),
            upper=upper,
            integer=program.integer[self._columns],
        )
        self._growing = GrowingProgram.of(self._program)  # without the integrality
        self._cut_rows: list[sparse.csr_array] = []
        self._has = [np.zeros((self._totals.grid.slots, 0), dtype=bool) for _ in SIDES]
        self._most = [self._most_at_once(side) for side in SIDES]
        self.x = np.zeros(len(cost))
        self.objective = math.inf

    def _lateness(self, program: LinearProgram) -> np.ndarray:
        """What it costs to run a job later, by column."""
        totals, cost = self._totals, np.zeros(len(program.cost))
        mean = float(program.cost[program.upper > 0].sum()) / max(1, len(self._ends))
        for i in self._ends:
            columns, job = totals.counts(0)[:, i], totals.limits[i].job
            slots = np.flatnonzero(columns != NEVER)
            delay = (slots - job.arrival) / totals.grid.slots
            cost[columns[slots]] = self._options.early * mean / job.work * delay
        return cost

    def _most_at_once(self, side: int) -> np.ndarray:
        """Most workers or parameter servers of each job in each slot, shape (T, I)."""
        columns = self._totals.counts(side)
        most = np.zeros(columns.shape)
        for i in self._ends:
            limits = self._totals.limits[i]
            runs = columns[:, i] != NEVER
            most[runs, i] = limits.most_ps if side else limits.most
        return most

    def solve(self) -> None:
        """Solve the linear program.

        Raises
        ------
        HighsError
            If HiGHS fails, or time is up.
        """
        before = self._growing.iterations
        optimum = self._growing.solve(self._state.deadline)
        work = (self._growing.iterations - before) // 100
        self._state.charge(work, self._program.matrix.nnz)
        self.objective = optimum.objective
        self.x[self._columns] = optimum.x

    def add_broken(self) -> int:
        """Add the known cuts that its point violates; returns how many rows were added."""
        added, room = 0, self._room * (1 + self._options.broken)
        for side in SIDES:
            weight, capacity = self._state.cuts.of_side(side)
            has = np.zeros((self._totals.grid.slots, len(weight)), dtype=bool)
            has[:, : self._has[side].shape[1]] = self._has[side]
            share = weight / capacity[:, None]
            used = self._totals.loads(self.x, side) @ share.T
            # Only the capacities that jobs could exceed are reduced to the room.
            broken = (used > room) & (self._most[side] @ share.T > 1) & ~has
            self._has[side] = has | broken
            slots, which = np.nonzero(broken)
            if len(slots):
                self._add(self._totals.counts(side)[slots], share[which])
                added += len(slots)
        return added

    def learn(self) -> int:
        """Find the cuts that its point violates; returns how many rows were added."""
        self._state.separate(self._totals, self.x / (self._room * (1 + self._options.broken)))
        return self.add_broken()

    def _add(self, columns: np.ndarray, weight: np.ndarray) -> None:
        """Rows ``weight columns <= room``, shape (n, I) both."""
        place = np.where(columns == NEVER, NEVER, self._place[columns])
        row, job = np.nonzero((place != NEVER) & (weight > SMALLEST))
        shape = (len(columns), len(self._columns))
        rows = sparse.csr_array((weight[row, job], (row, place[row, job])), shape=shape)
        self._growing.add_rows(rows, np.full(len(columns), self._room))
        self._cut_rows.append(rows)

    def whole(self) -> LinearProgram:
        """The same program with d integer."""
        program = self._program
        count = sum(rows.shape[0] for rows in self._cut_rows)
        return replace(
            program,
            matrix=sparse.vstack([program.matrix, *self._cut_rows], format="csr"),
            row_lower=np.append(program.row_lower, np.full(count, -math.inf)),
            row_upper=np.append(program.row_upper, np.full(count, self._room)),
        )

    def undecided(self) -> LinearProgram:
        """The part of :meth:`whole` near what the latest point leaves undecided."""
        places = (self._place[self._totals.done[i]] for i in self._ends)
        done = [place[place != NEVER] for place in places]
        x, program = self.x[self._columns], self.whole()
        open_yet = np.abs(x - np.round(x)) > self._options.done
        program = replace(program, integer=program.integer & open_yet)
        return where_undecided(program, done, [x], self._options.slack)

    def move_to(self, point: np.ndarray) -> None:
        """Make a point of :meth:`whole` the latest one."""
        self.x[self._columns] = point

    def keep(self, ends: Mapping[int, int]) -> None:
        """From now on, allow only these deadlines or later ones."""
        upper = np.array(self._program.upper)
        for i in self._ends:
            out = self._place[self._totals.earlier(i, ends.get(i))]
            out = out[out != NEVER]
            self._growing.fix_at_zero(out)
            upper[out] = 0.0
        self._program = replace(self._program, upper=upper)
        self._ends = dict(ends)

"""Fractional workers slot by slot for given deadlines, with packing cuts added as needed.

With a row for every cut and slot, the totals program is too large to be solved again and again.
With rows only where loads once came near a cut, loads violate it elsewhere: there were plans that
exceeded by up to 18 percent what the servers can hold in a slot. So this is a linear program with
only those jobs, deadlines and rows that matter. It is given the cuts that its loads violate, first
known ones, then new ones that separation finds, until there are none; each solve starts from the
basis of the one before. After that its deadlines become integer, and its workers block by block
(:mod:`solvers.utility.deadlines.relax_and_fix`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from solvers.highs import LinearProgram
from solvers.highs.growing import GrowingProgram
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.sparse_rows import NEVER
from solvers.utility.totals_program import SIDES, SMALLEST

__all__ = ["PlanProgram", "Window"]


class Window(NamedTuple):
    """What is still to be decided when a block of slots is.

    Parameters
    ----------
    program : LinearProgram
        Over the open columns.
    open_yet : ndarray of bool
        By column of the whole program.
    value : ndarray
        Of the others.
    """

    program: LinearProgram
    open_yet: np.ndarray
    value: np.ndarray


class PlanProgram:
    """The program, and its last point.

    Parameters
    ----------
    state : DeadlineState
        It takes over the cuts found.
    ends : dict of int to int
        Jobs complete by these slots, or later, or stay out; those not in it stay out.
    room : float
        Share of the capacities that may be used; all of them in slots that are being decided.
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
        self._upper = upper
        self._growing = GrowingProgram.of(self._program)  # without the integrality
        self._cut_rows: list[sparse.csr_array] = []
        self._slot_of, self._job_of = self._slots_of_columns(), self._jobs_of_columns()
        self._row_slots = [self._slots_of_rows(self._program.matrix)]
        self._lower, self._first = np.zeros(len(upper)), 0  # slots before it are fixed
        self._has = [np.zeros((self._totals.grid.slots, 0), dtype=bool) for _ in SIDES]
        self._most = [self._most_at_once(side) for side in SIDES]
        self.x = self._plan = np.zeros(len(cost))
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

    def _slots_of_columns(self) -> np.ndarray:
        """The slot of each n and m, NEVER of each d."""
        slot_of = np.full(len(self._place), NEVER)
        for side in SIDES:
            columns = self._totals.counts(side)
            slots, jobs = np.nonzero(columns != NEVER)
            slot_of[columns[slots, jobs]] = slots
        return slot_of[self._columns]

    def _jobs_of_columns(self) -> np.ndarray:
        """The job of each column."""
        job_of = np.full(len(self._place), NEVER)
        for i, done in self._totals.done.items():
            counts = np.array([self._totals.counts(side)[:, i] for side in SIDES])
            job_of[np.append(done, counts[counts != NEVER])] = i
        return job_of[self._columns]

    def _slots_of_rows(self, matrix: sparse.csr_array) -> np.ndarray:
        """The slot of the n and m in each row, NEVER where there are none, or of several slots."""
        row, column = matrix.nonzero()
        slot, last = self._slot_of[column], self._totals.grid.slots
        row, slot = row[slot != NEVER], slot[slot != NEVER]
        least, most = np.full(matrix.shape[0], last), np.full(matrix.shape[0], NEVER)
        np.minimum.at(least, row, slot)
        np.maximum.at(most, row, slot)
        return np.where(least == most, most, NEVER)

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
        self.x = np.zeros(len(self.x))
        self.x[self._columns] = optimum.x
        self._plan = self.x.copy()

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
            broken[: self._first] = False
            self._has[side] = has | broken
            slots, which = np.nonzero(broken)
            if len(slots):
                self._add(self._totals.counts(side)[slots], share[which])
                self._row_slots.append(slots)
                added += len(slots)
        return added

    def learn(self) -> int:
        """Find the cuts that its point violates; returns how many rows were added."""
        x = self.x / (self._room * (1 + self._options.broken))
        x[self._columns[(self._slot_of != NEVER) & (self._slot_of < self._first)]] = 0.0
        self._state.separate(self._totals, x)
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

    def move_to(self, point: np.ndarray) -> None:
        """Make a point of :meth:`whole` the latest one."""
        self.x[self._columns] = point

    # Block by block

    def window(self, first: int, last: int, stays: np.ndarray | None = None) -> Window:
        """What is left of :meth:`whole`, with n and m of these slots integer, too.

        Slots before them are as they were fixed. They may use all of the capacities, later ones
        the room. No job becomes later than in the latest point by more than a few slots, and those
        that are out stay out. Columns of a mask stay as they are in the latest point.
        """
        program, slots = self.whole(), np.concatenate(self._row_slots)
        open_yet = (program.upper > self._lower) & ~self._too_late()
        value = np.where(open_yet, 0.0, self._lower)
        if stays is not None:
            stays = stays & open_yet
            value[stays] = self.x[self._columns[stays]]
            open_yet &= ~stays
        # A job that is given up keeps the workers that it had: (2), (3) and (6) do not allow that.
        loose = ((slots != NEVER) & (slots < first)) | (program.row_lower == program.row_upper)
        row_upper = np.where(loose, math.inf, program.row_upper)
        now = (slots >= first) & (slots <= last)
        row_upper[now & (row_upper > 0)] /= self._room
        used, matrix = program.matrix @ value, program.matrix[:, open_yet]
        binds = np.isfinite(row_upper) | np.isfinite(program.row_lower)
        binds &= np.diff(matrix.indptr) > 0
        whole = (self._slot_of >= first) & (self._slot_of <= last)
        part = LinearProgram(
            sense="max",
            cost=program.cost[open_yet],
            matrix=matrix[binds],
            row_lower=(program.row_lower - used)[binds],
            row_upper=(row_upper - used)[binds],
            lower=self._lower[open_yet],
            upper=program.upper[open_yet],
            integer=(program.integer | whole)[open_yet],
            offset=float(program.cost @ value),  # or a relative gap would be of what is open alone
        )
        return Window(part, open_yet, value)

    @property
    def deadlines(self) -> np.ndarray:
        """Columns of d; bool."""
        return self._slot_of == NEVER

    def counts_in(self, slots: np.ndarray) -> np.ndarray:
        """Columns of n and m in the slots of a mask, shape (T,); bool."""
        return ~self.deadlines & slots[self._slot_of]

    def beyond(self, slot: int) -> np.ndarray:
        """Columns of n and m from a slot on, and of d of the jobs that complete there; bool."""
        beyond = self._slot_of >= slot
        for i, end in self._totals.ends(self.x).items():
            places = self._place[self._totals.done[i]]
            beyond[places[places != NEVER]] = end >= slot
        return beyond

    def _too_late(self) -> np.ndarray:
        """Columns of n and m long after a job completes in the latest point; bool."""
        late = np.zeros(len(self._columns), dtype=bool)
        for i in self._ends:
            done = self.x[self._totals.done[i]]
            in_part = np.flatnonzero(done > max(done[-1] - SMALLEST, SMALLEST))
            first = 0
            if len(in_part):
                first = int(self._totals.ends_of(i)[in_part[0]]) + self._options.late + 1
            for side in SIDES:
                columns = self._totals.counts(side)[first:, i]
                places = self._place[columns[columns != NEVER]]
                late[places[places != NEVER]] = True
        return late

    def without(self, window: Window, start: np.ndarray) -> np.ndarray:
        """A start, in the columns of a window, without the jobs for which it is closed."""
        differs = ~window.open_yet & (np.abs(start - window.value) > SMALLEST)
        kept = ~np.isin(self._job_of, self._job_of[differs])
        return np.where(kept, start, 0.0)[window.open_yet]

    def decided(self, window: Window, point: np.ndarray) -> np.ndarray:
        """A point of a window, in the columns of the totals program."""
        x, value = self.x.copy(), window.value.copy()
        value[window.open_yet] = point
        x[self._columns] = value
        return x

    def hold(self, side: int, slot: int, size: np.ndarray, held: np.ndarray) -> None:
        """Allow no more in a slot, by size, than what servers were found to hold, shape (I,)."""
        self._add(self._totals.counts(side)[[slot]], size[None] / max(float(size @ held), SMALLEST))
        self._row_slots.append(np.array([slot]))

    def reopen(self, points: Iterable[np.ndarray]) -> list[np.ndarray]:
        """Undo all that was decided and fixed; the latest point is that of the plan in fractions.

        Returns what this program allows of other points in the columns of the totals program, in
        the columns of :meth:`whole`.
        """
        self._program, self._first = replace(self._program, upper=self._upper), 0
        self._lower = np.zeros(len(self._columns))
        self.x = self._plan.copy()
        return [np.minimum(point[self._columns], self._upper) for point in points]

    def fix(self, slot: int, counts: np.ndarray) -> None:
        """Settle workers and parameter servers of a slot, shape (2, I), and of all before it.

        From now on, jobs complete when they do in the latest point, or later, or not at all.
        """
        upper, ends = np.array(self._program.upper), self._totals.ends(self.x)
        for i in self._ends:
            early = self._place[self._totals.earlier(i, ends.get(i))]
            upper[early[early != NEVER]] = 0.0
        for side in SIDES:
            columns = self._totals.counts(side)[slot]
            jobs = np.flatnonzero(columns != NEVER)
            places = self._place[columns[jobs]]
            run = places != NEVER
            self._lower[places[run]] = upper[places[run]] = counts[side, jobs[run]]
        self._program, self._first = replace(self._program, upper=upper), slot + 1

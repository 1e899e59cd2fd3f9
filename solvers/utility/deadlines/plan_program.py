"""Fractional workers slot by slot for given deadlines, with packing cuts added as needed.

With a row for every cut and slot, the totals program is too large to be solved again and again.
With rows only where loads once came near a cut, loads violate it elsewhere: there were plans that
exceeded by up to 18 percent what the servers can hold in a slot. So this is a linear program with
only those jobs, deadlines and rows that matter. It is given the cuts that its loads violate, first
known ones, then new ones that separation finds, until there are none; each solve starts from the
basis of the one before. After that its deadlines become integer, and its workers slot by slot
(:mod:`solvers.utility.deadlines.relax_and_fix`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from solvers.highs import LinearProgram
from solvers.highs.engine import HighsError
from solvers.highs.growing import GrowingProgram, Infeasible
from solvers.result import HIGHS_ROUND_OFF
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.sparse_rows import NEVER
from solvers.utility.totals_program import SIDES, SMALLEST

__all__ = ["PlanProgram", "Window"]


class Window(NamedTuple):
    """What is still to be decided when the workers of a slot are.

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
        Share of the capacities that may be used; all of them in the slot that is being decided.

    Attributes
    ----------
    x : ndarray
        Its latest point, in the columns of the totals program.
    objective : float
        Of the linear program, after :meth:`solve`.
    next_slot : int
        The slot that is decided next; those before it are fixed.
    """

    def __init__(self, state: DeadlineState, ends: Mapping[int, int], room: float) -> None:
        self._state, self._totals, self._options = state, state.totals, state.options
        self._room, self._ends = room, dict(ends)
        program = self._totals.program(whole=False, ends=ends, room=room)
        self._most = [self._totals.loads(program.upper, side) for side in SIDES]
        self._columns = np.flatnonzero(program.upper > 0)
        self._slot_of, self._job_of = self._slots_and_jobs()
        upper, matrix = program.upper[self._columns], program.matrix[:, self._columns]
        most, least = matrix.maximum(0) @ upper, matrix.minimum(0) @ upper
        binds = (most > program.row_upper) | (least < program.row_lower)
        self._room_of_rows = self._totals.room_of_rows(room)[binds]
        self.program = LinearProgram(
            sense="max",
            cost=program.cost[self._columns],
            matrix=matrix[binds],
            row_lower=program.row_lower[binds],
            row_upper=program.row_upper[binds],
            lower=np.zeros(len(upper)),
            upper=upper,
            integer=program.integer[self._columns],
        )
        self._growing = GrowingProgram.of(self.program)  # without the integrality
        self._nonzeros = self.program.matrix.nnz  # cuts do not count: few of them bind
        self._row_slots = self._slots_of_rows(self.program.matrix)
        self._has = [np.zeros((self._totals.grid.slots, 0), dtype=bool) for _ in SIDES]
        self.x = np.zeros(len(program.cost))
        self.objective = math.inf
        self._lower, self._upper = np.zeros(len(program.cost)), program.upper.copy()
        self.next_slot = 0

    def _slots_and_jobs(self) -> tuple[np.ndarray, np.ndarray]:
        """The slot of each column, NEVER of a d; and its job."""
        slot_of, job_of = np.full((2, self._totals.columns), NEVER)
        for i, done in self._totals.done.items():
            job_of[done] = i
        for side in SIDES:
            columns = self._totals.counts(side)
            slots, jobs = np.nonzero(columns != NEVER)
            slot_of[columns[slots, jobs]], job_of[columns[slots, jobs]] = slots, jobs
        return slot_of[self._columns], job_of[self._columns]

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
        Infeasible
            If all schedules with these deadlines are excluded.
        HighsError
            If HiGHS fails, or time is up.
        """
        before = self._growing.iterations
        try:
            optimum = self._growing.solve(self._state.budget.deadline)
        except Infeasible as error:
            if self.program.admits_zero:  # no job at all is a plan, unless deadlines are excluded
                raise HighsError("HiGHS says infeasible although 0 is feasible") from error
            raise
        finally:
            work = (self._growing.iterations - before) / 100
            self._state.budget.charge(work, self._nonzeros)
        self.objective = optimum.objective
        self.x = np.zeros(len(self.x))
        self.x[self._columns] = optimum.x

    def solve_with_cuts(self) -> None:
        """Solve the linear program again and again until no cut is found that its loads violate.

        Where no more work may be done, the last point violates some. Raises like :meth:`solve`.
        """
        self.solve()
        for _ in range(self._options.cut_rounds):
            if self._state.budget.is_over() or not (self.add_known_cuts() or self.add_new_cuts()):
                return
            self.solve()

    def add_near_to_grid(self) -> None:
        """Have the program on the grid take cuts as rows where the loads come near to them."""
        loads = [self._totals.loads(self.x, side) / self._room for side in SIDES]
        self._state.add_near(loads)

    def add_known_cuts(self) -> int:
        """Add the known cuts that its point violates; returns how many rows were added."""
        added, room = 0, self._room * (1 + self._options.least_violation)
        for side in SIDES:
            weight, capacity = self._state.cuts.of_side(side)
            has = np.zeros((self._totals.grid.slots, len(weight)), dtype=bool)
            has[:, : self._has[side].shape[1]] = self._has[side]
            share = weight / capacity[:, None]
            used = self._totals.loads(self.x, side) @ share.T
            # Only the capacities that jobs could exceed are reduced to the room.
            violated = (used > room) & (self._most[side] @ share.T > 1) & ~has
            violated[: self.next_slot] = False
            self._has[side] = has | violated
            slots, which = np.nonzero(violated)
            if len(slots):
                self._add(side, slots, share[which])
                added += len(slots)
        return added

    def add_new_cuts(self, until: int | None = None) -> int:
        """Find the cuts that its loads violate before a slot; returns how many rows were added.

        Cuts that are known already are added for all slots that are open.
        """
        x = self.x / (self._room * (1 + self._options.least_violation))
        away = self._slot_of < self.next_slot
        if until is not None:
            away |= self._slot_of >= until
        x[self._columns[(self._slot_of != NEVER) & away]] = 0.0
        self._state.separate(self._totals, x)
        return self.add_known_cuts()

    def _add(self, side: int, slots: np.ndarray, weight: np.ndarray) -> None:
        """Rows ``weight load <= room``, one in each of these slots; weights have shape (n, I)."""
        columns = self._totals.counts(side)[slots]
        row, job = np.nonzero((columns != NEVER) & (weight > SMALLEST))
        shape = (len(slots), self._totals.columns)
        rows = sparse.csr_array((weight[row, job], (row, columns[row, job])), shape=shape)
        rows, upper = rows[:, self._columns], np.full(len(slots), self._room)
        self._growing.add_rows(rows, upper)
        program = self.program
        self.program = replace(
            program,
            matrix=sparse.vstack([program.matrix, rows], format="csr"),
            row_lower=np.append(program.row_lower, np.full(len(slots), -math.inf)),
            row_upper=np.append(program.row_upper, upper),
        )
        self._row_slots = np.append(self._row_slots, slots)
        self._room_of_rows = np.append(self._room_of_rows, upper)

    def move_to(self, point: np.ndarray) -> None:
        """Make a point of the program the latest one."""
        self.x[self._columns] = point

    # Slot by slot

    def window(
        self, stays: np.ndarray, *, decides: bool = True, point: np.ndarray | None = None
    ) -> Window:
        """What is left of the program once slots are fixed.

        If it `decides` the next slot, n and m of that slot are integer, too, and it may use all of
        the capacities. Later slots have the room. Jobs that are out in a point stay out, and
        columns of a mask as they are: in the latest point, if none is given.
        """
        point = self.x if point is None else point
        program, slots = self.program, self._row_slots
        lower, upper = self._lower[self._columns], self._upper[self._columns]
        out = [i for i in self._ends if point[self._totals.done[i][-1]] <= SMALLEST]
        open_yet = (upper > lower) & ~np.isin(self._job_of, out)
        value = np.where(open_yet, 0.0, lower)
        stays = stays & open_yet
        value[stays] = point[self._columns[stays]]
        open_yet &= ~stays
        # A job that is given up keeps the workers that it had: (2), (3) and (6) do not allow that.
        fixed = (slots != NEVER) & (slots < self.next_slot)
        loose = fixed | (program.row_lower == program.row_upper)
        row_upper = np.where(loose, math.inf, program.row_upper)
        if decides:
            row_upper /= np.where(slots == self.next_slot, self._room_of_rows, 1.0)
        used, matrix = program.matrix @ value, program.matrix[:, open_yet]
        binds = np.isfinite(row_upper) | np.isfinite(program.row_lower)
        binds &= np.diff(matrix.indptr) > 0
        whole = decides & (self._slot_of == self.next_slot)
        part = LinearProgram(
            sense="max",
            cost=program.cost[open_yet],
            matrix=matrix[binds],
            row_lower=(program.row_lower - used)[binds],
            row_upper=(row_upper - used)[binds],
            lower=lower[open_yet],
            upper=upper[open_yet],
            integer=(program.integer | whole)[open_yet],
            offset=float(program.cost @ value),  # or a relative gap would be of what is open alone
        )
        return Window(part, open_yet, value)

    @property
    def deadlines(self) -> np.ndarray:
        """Columns of d; bool."""
        return self._slot_of == NEVER

    def whole_at(self, point: np.ndarray) -> np.ndarray:
        """Columns whose values are whole at a point; bool."""
        x = point[self._columns]
        return np.abs(x - np.round(x)) <= HIGHS_ROUND_OFF

    def beyond(self, slot: int) -> np.ndarray:
        """Columns of n and m from a slot on, and of d of the jobs that complete there; bool."""
        late = [i for i, end in self._totals.ends(self.x).items() if end >= slot]
        return (self._slot_of >= slot) | (self.deadlines & np.isin(self._job_of, late))

    def decided(self, window: Window, point: np.ndarray) -> np.ndarray:
        """A point of a window, in the columns of the totals program."""
        x, value = self.x.copy(), window.value.copy()
        value[window.open_yet] = point
        x[self._columns] = value
        return x

    def start(self, window: Window, point: np.ndarray) -> np.ndarray | None:
        """Where HiGHS starts in a window: the integers of a point, to which it finds the rest."""
        if window.program.integer.all():
            return None  # nothing is left to find, and rounding may have broken a row
        if not window.program.is_mip:
            return None  # a linear program has no start
        x = np.round(point[self._columns[window.open_yet]])
        return np.where(window.program.integer, x, np.nan)

    def hold(self, side: int, size: np.ndarray, held: np.ndarray) -> None:
        """Allow no more in the next slot, by size, than what servers hold of it, shape (I,)."""
        self._add(side, np.array([self.next_slot]), size[None] / max(float(size @ held), SMALLEST))

    def fix(self, counts: np.ndarray) -> None:
        """Settle workers and parameter servers of the next slot, shape (2, I).

        From now on, jobs complete when they do in the latest point, or later, or not at all.
        """
        ends = self._totals.ends(self.x)
        for i in self._ends:
            self._upper[self._totals.earlier(i, ends.get(i))] = 0.0
        for side in SIDES:
            columns = self._totals.counts(side)[self.next_slot]
            jobs = np.flatnonzero(columns != NEVER)
            self._lower[columns[jobs]] = self._upper[columns[jobs]] = counts[side, jobs]
        self.next_slot += 1

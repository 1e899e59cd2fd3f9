"""The compact ILP in totals per slot: servers are left out, and come back as cuts.

Glossary
--------
``d[i,t]``, ``n[i,t]``, ``m[i,t]``
    As in :mod:`models.utility.formulations.compact`: job i is done by the end of slot t, and
    its workers and parameter servers in slot t, summed over the servers.

Given n and m, what is left of the compact ILP falls apart into one question per slot and side:
can the servers hold these loads? The program asks only that the loads fit the capacities added
up, and obey *packing cuts* (:mod:`solvers.utility.separation`), each written for every slot,
for servers are the same in all of them. So its optimum is an upper bound, and the optimum
of the instance once all its loads can be placed. It is far smaller than the compact ILP, and has
none of its symmetry between servers.

Where the cuts do not tell a load from one that can be placed, the slot is *written out*: given
the variables of the compact ILP for its servers.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from models.utility.formulations import JobLimits, job_limits
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from models.utility.score import score
from solvers.highs import LinearProgram
from solvers.utility.separation import PackingCut

__all__ = ["SIDES", "TotalsProgram"]

SIDES = (0, 1)  # workers, parameter servers
_NEVER = -1
_Part = tuple[ArrayLike, ArrayLike, ArrayLike]  # row, column, value
_SMALLEST = 1e-7  # weights of a cut below it, relative to the largest, are left out


class _Rows:
    """Rows of a sparse matrix, collected piece by piece."""

    def __init__(self) -> None:
        self.lower: list[np.ndarray] = []
        self.upper: list[np.ndarray] = []
        self._entries: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.count = 0

    def add(
        self,
        count: int,
        lower: float,
        upper: float | np.ndarray,
        *parts: tuple[ArrayLike, ArrayLike, ArrayLike],
    ) -> None:
        """Add ``count`` rows; a part is (row within them, column, value), spread to one shape."""
        self.lower.append(np.full(count, lower))
        self.upper.append(np.full(count, upper))
        for part in parts:
            row, column, value = (np.ravel(x) for x in np.broadcast_arrays(*part))
            used = column != _NEVER
            self._entries.append((row[used] + self.count, column[used], value[used]))
        self.count += count

    def matrix(self, columns: int) -> sparse.csr_array:
        """All rows."""
        row, column, value = (
            np.concatenate([entry[k] for entry in self._entries] or [np.zeros(0)]) for k in range(3)
        )
        return sparse.csr_array(
            (value, (row.astype(int), column.astype(int))), shape=(self.count, columns)
        )


class TotalsProgram:
    """The program, and the cuts it has been given so far.

    Parameters
    ----------
    instance : UtilityInstance
        Its utilities in a unit that suits HiGHS (:mod:`solvers.utility.scaling`).
    """

    def __init__(self, instance: UtilityInstance) -> None:
        cluster = instance.cluster.tolerant
        jobs, slots = len(instance.jobs), cluster.slots
        self.instance = instance
        self.limits: dict[int, JobLimits] = {lim.job.index: lim for lim in job_limits(instance)}
        self._cost: list[np.ndarray] = []
        self._upper: list[np.ndarray] = []
        self._columns = 0
        self._rows = _Rows()
        self._done = np.full((jobs, slots), _NEVER)
        self._count = np.full((2, jobs, slots), _NEVER)  # n and m
        self._place: dict[tuple[int, int], np.ndarray] = {}  # [S, I] of slots written out
        self._servers = (cluster.worker_servers, cluster.ps_servers)
        width = len(cluster.resources)
        self._demand = tuple(
            np.array([side(job) for job in instance.jobs]).reshape(-1, width)
            for side in (lambda job: job.worker, lambda job: job.ps)
        )
        for limits in self.limits.values():
            self._add_job(limits)
        for side in SIDES:
            total = self._servers[side].sum(axis=0)
            for r in range(width):
                self.add_cut(side, PackingCut(self._demand[side][:, r], float(total[r])))

    def _add_columns(self, cost: np.ndarray | float, upper: np.ndarray) -> np.ndarray:
        first, count = self._columns, len(upper)
        self._cost.append(np.broadcast_to(np.asarray(cost, dtype=float), (count,)))
        self._upper.append(np.asarray(upper, dtype=float))
        self._columns += count
        return np.arange(first, first + count)

    def _add_job(self, limits: JobLimits) -> None:
        """Variables and rows of one job; the names are those of the compact ILP."""
        job, slots = limits.job, self.instance.cluster.slots
        i, first, early = job.index, job.arrival, limits.earliest
        room = slots - first
        value = np.append(job.values(slots), 0.0)
        done = self._add_columns(value[early:slots] - value[early + 1 :], np.ones(slots - early))
        n = self._add_columns(0.0, np.full(room, limits.most))
        m = self._add_columns(0.0, np.full(room, limits.most_ps))
        self._done[i, early:] = done
        self._count[0, i, first:], self._count[1, i, first:] = n, m
        last, rows, at = done[-1], self._rows, np.arange(room)
        # d[i,t-1], or none before anything can be done; running = d[i,T-1] - d[i,t-1]
        before = np.append(_NEVER, self._done[i, first:-1])

        def running(factor: float) -> tuple[_Part, ...]:
            return (at, last, -factor), (at, before, factor)

        rows.add(1, 0.0, 0.0, (0, n, 1.0), (0, last, -float(job.work)))  # (2)
        rows.add(room, -math.inf, 0.0, (at, n, 1.0), *running(limits.most))  # (3), (8)
        slope, level = limits.slope_of_6()
        for edge, height in {(slope, level), *limits.staircase()}:  # (6)
            parts = ((at, n, 1.0), (at, m, -edge), *(running(height) if height else ()))
            rows.add(room, -math.inf, 0.0, *parts)
        rows.add(room, -math.inf, 0.0, (at, m, 1.0), (at, n, -1.0))  # (7)
        steps = np.arange(len(done) - 1)
        rows.add(len(steps), -math.inf, 0.0, (steps, done[:-1], 1.0), (steps, done[1:], -1.0))
        # Work by the deadline: sum of n[i,s] over s <= t is at least W d[i,t].
        step, slot = np.nonzero(np.arange(room) <= (early - first + steps)[:, None])
        parts = ((step, n[slot], 1.0), (steps, done[:-1], -float(job.work)))
        rows.add(len(steps), 0.0, math.inf, *parts)

    def add_cut(self, side: int, cut: PackingCut) -> None:
        """Add ``weight load <= capacity`` in every slot."""
        largest = float(cut.weight.max(initial=0.0))
        jobs = np.array([i for i in self.limits if cut.weight[i] > _SMALLEST * largest], dtype=int)
        if not len(jobs):
            return
        weight, capacity = cut.weight[jobs] / largest, cut.capacity / largest
        columns = self._count[side][jobs]  # [jobs, T]
        most = np.array(
            [lim.most_ps if side else lim.most for lim in (self.limits[i] for i in jobs)]
        )
        heaviest = (columns != _NEVER).T @ (weight * most)
        slots = np.flatnonzero(heaviest > capacity)
        self._rows.add(
            len(slots),
            -math.inf,
            capacity,
            (np.arange(len(slots)), columns[:, slots], weight[:, None]),
        )

    def write_out(self, side: int, slot: int) -> None:
        """Give a slot the variables of its servers, with (4) or (5)."""
        servers, demand = self._servers[side], self._demand[side]
        here = [i for i in self.limits if self._count[side, i, slot] != _NEVER]
        place = np.full((len(servers), len(demand)), _NEVER)
        for i in here:
            room = self.limits[i].ps if side else self.limits[i].workers
            fits = np.flatnonzero(room)
            place[fits, i] = self._add_columns(0.0, room[fits])
            total = (0, self._count[side, i, slot], 1.0)
            self._rows.add(1, -math.inf, 0.0, total, (0, place[fits, i], -1.0))
        for s, capacity in enumerate(servers):
            for r in np.flatnonzero(capacity > 0):
                share = demand[:, r] / capacity[r]
                used = np.flatnonzero((place[s] != _NEVER) & (share > _SMALLEST))
                if len(used):
                    self._rows.add(1, -math.inf, 1.0, (0, place[s, used], share[used]))
        self._place[side, slot] = place

    def is_written_out(self, side: int, slot: int) -> bool:
        """Whether the slot has the variables of its servers."""
        return (side, slot) in self._place

    def program(self, deadlines_of: np.ndarray | None = None) -> LinearProgram:
        """The program with all its cuts, integer.

        Parameters
        ----------
        deadlines_of : ndarray, optional
            A point whose d is to be kept: the program then asks only how, and not what.
        """
        lower = np.zeros(self._columns)
        upper = np.concatenate(self._upper)
        if deadlines_of is not None:
            done = self._done[self._done != _NEVER]
            lower[done] = upper[done] = deadlines_of[done]
        return LinearProgram(
            sense="max",
            cost=np.concatenate(self._cost),
            matrix=self._rows.matrix(self._columns),
            row_lower=np.concatenate(self._rows.lower),
            row_upper=np.concatenate(self._rows.upper),
            lower=lower,
            upper=upper,
            integer=np.ones(self._columns, dtype=bool),
        )

    def loads(self, x: np.ndarray, side: int) -> np.ndarray:
        """Workers or parameter servers of a point, shape (T, I)."""
        return self._values(x, self._count[side]).T

    def placed(self, x: np.ndarray, side: int, slot: int) -> np.ndarray:
        """Where a point has them in a slot that is written out, shape (S, I)."""
        return self._values(x, self._place[side, slot])

    @staticmethod
    def _values(x: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return np.where(columns == _NEVER, 0.0, x[columns])

    def point(self, schedule: UtilitySchedule) -> np.ndarray:
        """The point of a feasible schedule without idle workers."""
        x = np.zeros(self._columns)
        completion = score(self.instance, schedule).completion
        for i in np.flatnonzero(completion >= 0):
            done = self._done[i, completion[i] :]
            x[done[done != _NEVER]] = 1.0
        for side, table in enumerate((schedule.workers, schedule.ps)):
            np.add.at(x, self._count[side, table[:, 0], table[:, 1]], table[:, 3])
            for (place_side, slot), place in self._place.items():
                if place_side == side:
                    here = table[table[:, 1] == slot]
                    x[place[here[:, 2], here[:, 0]]] = here[:, 3]
        return x

"""The compact ILP in totals per slot: servers are left out, and represented by cuts.

Glossary
--------
``d[i,t]``, ``n[i,t]``, ``m[i,t]``
    As in :mod:`models.utility.formulations.compact`: job i is done by the end of slot t, and
    its workers and parameter servers in slot t, summed over the servers; m is at least what
    n needs.

Given n and m, what is left of the compact ILP falls apart into one question per slot and side:
can the servers hold these loads? The program asks only that the loads fit the capacities added
up, and obey *packing cuts* (:mod:`solvers.utility.separation`), each written for every slot,
for servers are the same in all of them. So its optimum is an upper bound, and the optimum
of the instance once all its loads can be placed. It is far smaller than the compact ILP, and has
none of its symmetry between servers.

Where a load satisfies all cuts but cannot be placed, the slot is *written out*: the program gets
the variables that the compact ILP has for the servers of that slot.

Deadlines that are worth the same are one variable: only the last slot of such a *group* has its
d. A *coarse* program also groups deadlines that are worth nearly the same. It is smaller and still
gives an upper bound, since a group counts as much as its first slot.

On a *grid* of time, n and m count a whole interval of slots, and every row is the sum of the rows
of its slots. Deadlines are still slots: in the interval that contains its deadline, a job can use
no more than its largest number of workers in the slots up to there. That is a relaxation, so its
optimum is an upper bound, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from models.utility.formulations import JobLimits, job_limits
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from models.utility.score import score
from solvers.highs import LinearProgram
from solvers.utility.deadline_groups import DeadlineGroups, deadline_groups
from solvers.utility.job_rows import JobColumns, add_job_rows
from solvers.utility.separation import PackingCut
from solvers.utility.sparse_rows import NEVER, SparseRows
from solvers.utility.time_grid import TimeGrid

__all__ = ["SIDES", "SMALLEST", "TotalsProgram", "count_deadlines"]

SIDES = (0, 1)  # workers, parameter servers
SMALLEST = 1e-7
"""Weights of a cut below it, relative to the largest, are left out of programs."""


def count_deadlines(instance: UtilityInstance, coarse: float) -> int:
    """How many d the program of an instance has (see :class:`TotalsProgram`)."""
    slots = instance.cluster.slots
    return sum(
        len(deadline_groups(limits.job.values(slots).tolist(), limits.earliest, coarse).ends)
        for limits in job_limits(instance)
    )


class TotalsProgram:
    """The program, and the cuts it has been given so far.

    Parameters
    ----------
    instance : UtilityInstance
        Its utilities in a unit that suits HiGHS (:mod:`solvers.utility.scaling`).
    coarse : float
        Deadlines of a job whose worths differ by at most this are grouped, and deadlines worth
        at most this are left out.
    grid : TimeGrid, optional
        By default, every slot by itself.

    Attributes
    ----------
    grid : TimeGrid
    columns : int
        How many variables there are.
    done : dict of int to ndarray of int64
        By job, columns of its d, one per group, the earlier ones first.
    left_out : float
        The most that the deadlines left out are worth, of all jobs: the optimum of the program plus
        this is an upper bound. In the program, the other deadlines of a job count for what they are
        worth beyond its best one left out.
    """

    def __init__(
        self, instance: UtilityInstance, *, coarse: float = 0.0, grid: TimeGrid | None = None
    ) -> None:
        cluster = instance.cluster.tolerant
        self.instance = instance
        self.grid = TimeGrid(cluster.slots) if grid is None else grid
        self.limits: dict[int, JobLimits] = {lim.job.index: lim for lim in job_limits(instance)}
        self._cost: list[np.ndarray] = []
        self._upper: list[np.ndarray] = []
        self.columns = 0
        self._rows = SparseRows()
        self._capacities: list[np.ndarray] = []  # their rows
        self._coarse = coarse
        self.left_out = 0.0
        self._groups: dict[int, DeadlineGroups] = {}
        self.done: dict[int, np.ndarray] = {}
        # n and m, by interval
        self._count = np.full((2, len(instance.jobs), len(self.grid.length)), NEVER)
        self._place: dict[tuple[int, int], np.ndarray] = {}  # [S, I] of slots written out
        self._demand, self._servers = instance.demand, cluster.sides
        for limits in list(self.limits.values()):
            self._add_job(limits)
        for side in SIDES:
            total = self._servers[side].sum(axis=0)
            for r in range(len(total)):
                self.add_cut(side, PackingCut(self._demand[side][:, r], float(total[r])))

    def _add_columns(self, cost: np.ndarray | float, upper: np.ndarray) -> np.ndarray:
        first, count = self.columns, len(upper)
        self._cost.append(np.broadcast_to(np.asarray(cost, dtype=float), (count,)))
        self._upper.append(np.asarray(upper, dtype=float))
        self.columns += count
        return np.arange(first, first + count)

    def _add_job(self, limits: JobLimits) -> None:
        """Variables and rows of one job; the names are those of the compact ILP."""
        job, grid = limits.job, self.grid
        groups = deadline_groups(job.values(grid.slots).tolist(), limits.earliest, self._coarse)
        self.left_out += groups.left_out
        if not len(groups.ends):
            del self.limits[job.index]
            return
        value = groups.values
        steps = value - np.append(value[1:], groups.left_out)  # no job gets both
        done = self._add_columns(steps, np.ones(len(value)))
        slots = np.arange(job.arrival, int(groups.ends[-1]) + 1)
        begin, end = int(grid.interval[slots[0]]), int(grid.interval[slots[-1]]) + 1
        length = np.bincount(grid.interval[slots] - begin)
        n = self._add_columns(0.0, length * float(limits.most))
        m = self._add_columns(0.0, length * float(limits.most_ps))
        self._groups[job.index], self.done[job.index] = groups, done
        self._count[0, job.index, begin:end], self._count[1, job.index, begin:end] = n, m
        add_job_rows(self._rows, grid, JobColumns(limits, groups, done, n, m))

    def add_cut(self, side: int, cut: PackingCut, where: np.ndarray | None = None) -> int:
        """Add ``weight load <= capacity`` in the intervals of a mask (shape (B,)), or in all.

        It becomes a row only where jobs could exceed it. Returns how many rows were added.
        """
        largest = float(cut.weight.max(initial=0.0))
        jobs = np.array([i for i in self.limits if cut.weight[i] > SMALLEST * largest], dtype=int)
        if not len(jobs):
            return 0
        weight, capacity = cut.weight[jobs] / largest, cut.capacity / largest
        columns = self._count[side][jobs]  # [jobs, B]
        most = np.array(
            [lim.most_ps if side else lim.most for lim in (self.limits[i] for i in jobs)]
        )
        heaviest = (columns != NEVER).T @ (weight * most)
        needed = heaviest > capacity
        at = np.flatnonzero(needed if where is None else needed & where)
        self._capacities.append(self._rows.count + np.arange(len(at)))
        self._rows.add(
            len(at),
            -math.inf,
            capacity * self.grid.length[at],
            (np.arange(len(at)), columns[:, at], weight[:, None]),
        )
        return len(at)

    def forbid(self, ends: Mapping[int, int]) -> bool:
        """Exclude these deadlines, and all that are later or of fewer jobs.

        Some job then has to complete earlier, or to complete though it is not among them.

        Parameters
        ----------
        ends : dict of int to int
            Last slots of jobs (:meth:`ends`).

        Returns
        -------
        bool
            Whether any deadlines are left.
        """
        columns = []
        for i in self.done:
            columns.extend(self.earlier(i, ends.get(i))[-1:].tolist())
        if columns:
            self._rows.add(1, 1.0, math.inf, (0, np.array(columns), 1.0))
        return bool(columns)

    def write_out(self, side: int, slot: int) -> None:
        """Add the variables of the servers in a slot that is an interval by itself: (4) or (5)."""
        servers, demand = self._servers[side], self._demand[side]
        interval = self.grid.interval[slot]
        assert self.grid.length[interval] == 1
        here = [i for i in self.limits if self._count[side, i, interval] != NEVER]
        place = np.full((len(servers), len(demand)), NEVER)
        for i in here:
            room = self.limits[i].ps if side else self.limits[i].workers
            fits = np.flatnonzero(room)
            place[fits, i] = self._add_columns(0.0, room[fits])
            total = (0, self._count[side, i, interval], 1.0)
            self._rows.add(1, -math.inf, 0.0, total, (0, place[fits, i], -1.0))
        for s, capacity in enumerate(servers):
            for r in np.flatnonzero(capacity > 0):
                share = demand[:, r] / capacity[r]
                used = np.flatnonzero((place[s] != NEVER) & (share > SMALLEST))
                if len(used):
                    self._rows.add(1, -math.inf, 1.0, (0, place[s, used], share[used]))
        self._place[side, slot] = place

    def is_written_out(self, side: int, slot: int) -> bool:
        """Whether the slot has the variables of its servers."""
        return (side, slot) in self._place

    def program(
        self,
        *,
        whole: bool = True,
        ends: Mapping[int, int] | None = None,
        room: float = 1.0,
        least: float | None = None,
    ) -> LinearProgram:
        """The program with all its cuts.

        Parameters
        ----------
        whole : bool
            Whether all variables are integer, or d alone.
        ends : dict of int to int, optional
            If given, jobs complete by these slots or later, or stay out; all others stay out.
        room : float
            Share that may be used of those capacities that jobs could exceed.
        least : float, optional
            Least objective of interest.
        """
        upper = np.concatenate([np.zeros(0), *self._upper])
        integer = np.full(self.columns, whole)
        for i, done in self.done.items():
            integer[done] = True
            if ends is not None:
                upper[self.earlier(i, ends.get(i))] = 0.0
                if i not in ends:
                    counts = self._count[:, i]
                    upper[counts[counts != NEVER]] = 0.0
        row_upper = np.concatenate([np.zeros(0), *self._rows.upper]) * self.room_of_rows(room)
        row_lower = np.concatenate([np.zeros(0), *self._rows.lower])
        cost = np.concatenate([np.zeros(0), *self._cost])
        matrix = self._rows.matrix(self.columns)
        if least is not None:
            matrix = sparse.vstack([matrix, sparse.csr_array(cost[None])], format="csr")
            row_lower, row_upper = np.append(row_lower, least), np.append(row_upper, np.inf)
        return LinearProgram(
            sense="max",
            cost=cost,
            matrix=matrix,
            row_lower=row_lower,
            row_upper=row_upper,
            lower=np.zeros(self.columns),
            upper=upper,
            integer=integer,
        )

    def room_of_rows(self, room: float) -> np.ndarray:
        """By row, the share of its capacity that may be used: 1 where it is no capacity."""
        shares = np.ones(self._rows.count)
        for rows in self._capacities:
            shares[rows] = room
        return shares

    def earlier(self, job: int, end: int | None) -> np.ndarray:
        """Columns of those d of a job that completing in a slot leaves at 0; without one, all d."""
        kept = None if end is None else int(self._groups[job].first(end))
        return self.done[job][:kept]

    def keeps(self, x: np.ndarray, ends: Mapping[int, int]) -> bool:
        """Whether a point has only these deadlines, or later ones, or those of fewer jobs."""
        return not any(x[self.earlier(i, ends.get(i))].any() for i in self.done)

    def worth(self, x: np.ndarray) -> float:
        """Objective of a point."""
        return float(np.concatenate([np.zeros(0), *self._cost]) @ x)

    def with_ps_needed(self, x: np.ndarray) -> np.ndarray:
        """A point of whole workers, reduced to the parameter servers that they need.

        The program may give more of them, which cost nothing where there is room.
        """
        assert (self.grid.length == 1).all()
        x = np.array(x)
        for i, limits in self.limits.items():
            n, m = self._count[:, i, self._count[0, i] != NEVER]
            x[m] = limits.job.ps_needed_table(limits.most)[np.round(x[n]).astype(np.int64)]
        return x

    def counts(self, side: int) -> np.ndarray:
        """Columns of n or m, shape (B, I); NEVER where there is none."""
        return self._count[side].T

    def loads(self, x: np.ndarray, side: int) -> np.ndarray:
        """Workers or parameter servers of a point, shape (T, I); intervals are spread evenly."""
        return self.grid.spread(self._values(x, self._count[side]).T)

    def ends(self, x: np.ndarray) -> dict[int, int]:
        """Last slots that a point gives to the jobs that complete in it."""
        kept = {i: x[done] > 0.5 for i, done in self.done.items()}
        return {
            i: int(self._groups[i].ends[np.argmax(met)]) for i, met in kept.items() if met.any()
        }

    def ends_of(self, job: int) -> np.ndarray:
        """Last slots of the groups of deadlines of a job that can complete."""
        return self._groups[job].ends

    def placed(self, x: np.ndarray, side: int, slot: int) -> np.ndarray:
        """Counts per server of a point, in a slot that is written out; shape (S, I)."""
        return self._values(x, self._place[side, slot])

    @staticmethod
    def _values(x: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return np.where(columns == NEVER, 0.0, x[columns])

    def point(self, schedule: UtilitySchedule) -> np.ndarray:
        """The point of a feasible schedule without idle workers.

        Jobs that complete after all their groups of deadlines, which a coarse program can have
        left out, are not part of it.
        """
        x = np.zeros(self.columns)
        completion = score(self.instance, schedule).completion
        kept = np.zeros(len(completion), dtype=bool)
        for i, groups in self._groups.items():
            if 0 <= completion[i] <= groups.ends[-1]:
                x[self.done[i][groups.first(completion[i]) :]] = 1.0
                kept[i] = True
        for side, table in enumerate((schedule.workers, schedule.ps)):
            table = table[kept[table[:, 0]]]
            interval = self.grid.interval[table[:, 1]]
            np.add.at(x, self._count[side, table[:, 0], interval], table[:, 3])
            for (place_side, slot), place in self._place.items():
                if place_side == side:
                    here = table[table[:, 1] == slot]
                    x[place[here[:, 2], here[:, 0]]] = here[:, 3]
        return x

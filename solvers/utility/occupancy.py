"""Which columns of (14) run on the servers, and the capacities that they leave free."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from models.slot_column import Column
from models.tolerance import count_fitting
from models.utility.formulations.schedules import without_idle
from models.utility.instance import Job, UtilityInstance
from models.utility.resources import Resources
from models.utility.schedule import UtilitySchedule
from solvers.utility.oracle import best_schedule, full_capacity
from solvers.utility.placing import placeable

__all__ = ["Occupancy", "repaired", "served"]


class Occupancy:
    """At most one column per job, together within the capacities.

    Parameters
    ----------
    instance : UtilityInstance

    Attributes
    ----------
    free : Resources
        Capacities that are left.
    columns : dict of int to Column
        By job.
    """

    def __init__(self, instance: UtilityInstance) -> None:
        self.instance = instance
        full = full_capacity(instance.cluster)
        self.free = Resources(placeable(full.worker), placeable(full.ps))
        self.columns: dict[int, Column] = {}

    @classmethod
    def of_schedule(cls, instance: UtilityInstance, schedule: UtilitySchedule) -> Occupancy:
        """The columns of a feasible schedule, without idle workers."""
        schedule = without_idle(instance, schedule)
        found = cls(instance)
        for i in np.flatnonzero(schedule.admitted).tolist():
            workers, ps = (table[table[:, 0] == i, 1:] for table in (schedule.workers, schedule.ps))
            found.add(_column(instance, i, workers, ps))
        return found

    @property
    def value(self) -> float:
        """Total utility of the columns."""
        return sum(column.value for column in self.columns.values())

    def add(self, column: Column) -> None:
        """Run a column; the caller knows that it fits."""
        self._take(column, 1)
        self.columns[column.job] = column

    def remove(self, job: int) -> Column:
        """Stop running a job."""
        column = self.columns.pop(job)
        self._take(column, -1)
        return column

    def _take(self, column: Column, sign: int) -> None:
        job = self.instance.jobs[column.job]
        for free, rows, demand in (
            (self.free.worker, column.workers, job.worker),
            (self.free.ps, column.ps, job.ps),
        ):
            free[rows[:, 0], rows[:, 1]] -= sign * rows[:, 2:] * demand

    def insert(
        self, jobs: Iterable[int], prices: Resources, *, least_payoff: float = 0.0
    ) -> list[int]:
        """Give jobs their best columns at given prices, one after the other.

        Parameters
        ----------
        jobs : iterable of int
            Jobs that do not run yet.
        prices : Resources
        least_payoff : float
            Share of its value that the payoff of a column must exceed; may be negative.

        Returns
        -------
        list of int
            Those that run now.
        """
        inserted = []
        for i in jobs:
            column = best_schedule(self.instance.jobs[i], prices, self.free)
            if column is not None and column.payoff > least_payoff * column.value:
                self.add(column)
                inserted.append(i)
        return inserted

    def top_up(self, index: int) -> None:
        """Give a job whose column lacks work more workers; drop it if there is no room for them.

        Slots up to its last one come first, then later ones.
        """
        job, column = self.instance.jobs[index], self.columns[index]
        slots = self.instance.cluster.slots
        running, serving = (
            np.bincount(rows[:, 0], weights=rows[:, 2], minlength=slots).astype(np.int64)
            for rows in (column.workers, column.ps)
        )
        lacking = job.work - int(running.sum())
        added: tuple[list[np.ndarray], list[np.ndarray]] = ([column.workers], [column.ps])
        for t in range(job.arrival, slots):
            if lacking <= 0:
                break
            more = min(job.chunks - int(running[t]), lacking)
            if more <= 0:
                continue
            room = count_fitting(self.free.worker[t], job.worker)
            ps_room = count_fitting(self.free.ps[t], job.ps)
            more = min(more, int(room.sum()))
            while more > 0 and job.ps_needed(int(running[t]) + more) - serving[t] > ps_room.sum():
                more -= 1
            if more > 0:
                needed = job.ps_needed(int(running[t]) + more) - int(serving[t])
                added[0].append(_spread(room, more, t))
                added[1].append(_spread(ps_room, needed, t))
                lacking -= more
        self.remove(index)
        if lacking <= 0:
            self.add(_column(self.instance, index, *(_merged(rows) for rows in added)))

    def schedule(self) -> UtilitySchedule:
        """All columns as a schedule."""
        return UtilitySchedule.of_columns(self.instance, self.columns.values())


def repaired(
    instance: UtilityInstance,
    workers: np.ndarray,
    place: Callable[[int, int], np.ndarray],
    prices: Resources,
) -> Occupancy:
    """A feasible schedule close to given totals per slot.

    Places as much of the totals as possible. Jobs that get all their work done in this way keep
    their workers. Jobs that lack some get more workers where there is room. Jobs that still cannot
    complete, or do not run at all, are inserted in what is left, the most valuable ones first.

    Parameters
    ----------
    instance : UtilityInstance
    workers : ndarray of int64, shape (T, I)
        Workers of each job in each slot, none of them idle.
    place : callable of (side, slot) to ndarray of int64, shape (S, I)
        Counts per server that fit together: if possible all workers (side 0), and as many
        parameter servers as they need (side 1).
    prices : Resources
        For the jobs that are inserted.
    """
    jobs = instance.jobs
    parts: dict[int, tuple[list, list]] = {}
    for t in np.flatnonzero(workers.any(axis=1)).tolist():
        placed, ps = place(0, t), place(1, t)
        for i in np.flatnonzero(placed.any(axis=0)).tolist():
            running = served(jobs[i], int(placed[:, i].sum()), int(ps[:, i].sum()))
            if running > 0:
                parts.setdefault(i, ([], []))[0].extend(_first(placed[:, i], running, t))
                parts[i][1].extend(_first(ps[:, i], jobs[i].ps_needed(running), t))
    found = Occupancy(instance)
    for i, (worker_rows, ps_rows) in parts.items():
        workers_of, ps_of = (np.array(rows).reshape(-1, 3) for rows in (worker_rows, ps_rows))
        found.add(_column(instance, i, workers_of, ps_of))
    for i in sorted(parts, key=lambda i: (-float(jobs[i].utility(0)), i)):
        if found.columns[i].workers[:, 2].sum() < jobs[i].work:
            found.top_up(i)
    missing = [job.index for job in jobs if job.index not in found.columns]
    missing.sort(key=lambda i: (i not in parts, -float(jobs[i].utility(0)), i))
    found.insert(missing, prices)
    return found


def served(job: Job, workers: int, ps: int) -> int:
    """Of so many workers, how many these parameter servers serve."""
    while job.ps_needed(workers) > ps:
        workers -= 1
    return workers


def _column(instance: UtilityInstance, index: int, workers: np.ndarray, ps: np.ndarray) -> Column:
    """A column from rows (slot, server, count) that do all the work."""
    job, done = instance.jobs[index], int(workers[:, 0].max())
    value = float(job.utility(done - job.arrival))
    return Column(index, done, value, workers.astype(np.int64), ps.astype(np.int64))


def _spread(room: np.ndarray, number: int, slot: int) -> np.ndarray:
    """Rows (slot, server, count) that put so many on servers with this much room."""
    before = np.cumsum(room) - room
    counts = np.clip(number - before, 0, room)
    servers = np.flatnonzero(counts)
    return np.column_stack([np.full(len(servers), slot), servers, counts[servers]])


def _merged(parts: list[np.ndarray]) -> np.ndarray:
    """Rows (slot, server, count) with one row for each slot and server."""
    rows = np.concatenate(parts).astype(np.int64)
    places, where = np.unique(rows[:, :2], axis=0, return_inverse=True)
    counts = np.bincount(where.ravel(), weights=rows[:, 2], minlength=len(places))
    return np.column_stack([places, counts.astype(np.int64)])


def _first(counts: np.ndarray, number: int, slot: int) -> list[tuple[int, int, int]]:
    """Rows (slot, server, count) of the first so many of the counts per server."""
    rows = []
    for server in np.flatnonzero(counts).tolist():
        kept = min(int(counts[server]), number)
        if kept > 0:
            rows.append((slot, server, kept))
            number -= kept
    return rows

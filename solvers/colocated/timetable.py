"""Which jobs run where, machine by machine, and the capacities that they leave free."""

from __future__ import annotations

import numpy as np

from models.colocated.instance import ColocatedInstance
from models.colocated.schedule import ColocatedSchedule
from models.slot_column import Column
from models.tolerance import usable
from solvers.colocated.pool_bound import PoolOracle
from solvers.colocated.room_kernels import largest_counts, placed_rows
from solvers.column_table import ColumnTable

__all__ = ["Timetable", "columns_of"]

_LEAST_WEIGHT = 1e-3  # of a share of what is free of a resource, where the largest price is 1


class Timetable(ColumnTable):
    """What is free on every machine in every slot.

    Parameters
    ----------
    instance : ColocatedInstance
    prices : ndarray, shape (T, R)
        Of pooled machines: what is scarce is not to be left over in pieces that nobody can use.
    """

    def __init__(self, instance: ColocatedInstance, prices: np.ndarray) -> None:
        self.instance, cluster = instance, instance.cluster
        self.oracles = [PoolOracle(job, cluster) for job in instance.jobs]
        total = cluster.servers.sum(axis=0)
        worth = prices.sum(axis=0) * total
        share = worth / worth.max() if worth.max() > 0.0 else np.ones(len(total))
        self._weight = np.divide(
            np.maximum(share, _LEAST_WEIGHT), total, out=np.zeros_like(total), where=total > 0.0
        )
        self.renew({})

    def _clear(self) -> None:
        cluster = self.instance.cluster
        self._free = np.repeat(usable(cluster.servers)[None], cluster.slots, axis=0)

    def _take(self, column: Column, sign: int) -> None:
        job = self.instance.jobs[column.job]
        for rows, demand in ((column.workers, job.worker), (column.ps, job.ps)):
            self._free[rows[:, 0], rows[:, 1]] -= sign * rows[:, 2:] * demand

    def insert(self, job: int, prices: np.ndarray, least: float) -> bool:
        """Run a job where its payoff at prices, shape (T, R), is largest, if it is above ``least``.

        Counts come from the oracle of pooled machines, within what fits on one machine and on
        several in each slot; then each slot is placed on the machines that are left with the least.
        """
        one = self.instance.jobs[job]
        oracle = self.oracles[job]
        if not oracle.feasible:
            return False
        limits = largest_counts(
            self._free, one.worker, one.ps, oracle.needed, self._weight, one.arrival
        )
        column = oracle.best(prices @ one.worker, prices @ one.ps, limits)
        if column is None or column.payoff <= least:
            return False
        complete, rows = placed_rows(
            self._free,
            column.workers,
            column.ps,
            column.inside,
            one.worker,
            one.ps,
            self._weight,
        )
        if complete:
            workers, ps = rows[rows[:, 2] > 0, :3], rows[rows[:, 3] > 0][:, [0, 1, 3]]
            self.put(Column(job, column.completion, column.value, workers, ps))
        return bool(complete)


def columns_of(instance: ColocatedInstance, schedule: ColocatedSchedule) -> dict[int, Column]:
    """The jobs that a feasible schedule completes."""
    found = {}
    for i in np.flatnonzero(schedule.admitted).tolist():
        job, slots = instance.jobs[i], instance.cluster.slots
        workers, ps = (table[table[:, 0] == i, 1:] for table in (schedule.workers, schedule.ps))
        found[i] = Column.build(job, float(job.values(slots)[workers[-1, 0]]), workers, ps)
    return found

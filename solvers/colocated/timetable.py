"""Which jobs run where, machine by machine, and the capacities that they leave free."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from models.colocated.column import Column, schedule_of
from models.colocated.instance import ColocatedInstance
from models.colocated.schedule import ColocatedSchedule
from models.tolerance import usable
from solvers.colocated.pool_bound import PoolOracle
from solvers.colocated.room_kernels import largest_counts, placed_rows, take

__all__ = ["Placed", "Timetable", "placed_of"]

_LEAST_WEIGHT = 1e-3  # of a share of what is free of a resource, where the largest price is 1


@dataclass(frozen=True, eq=False)
class Placed:
    """A schedule of one job on machines.

    Parameters
    ----------
    job, completion : int
    value : float
    rows : ndarray of int64, shape (n, 4)
        (slot, server, workers, parameter servers), by slot.
    """

    job: int
    completion: int
    value: float
    rows: np.ndarray

    @cached_property
    def start(self) -> int:
        """The first slot."""
        return int(self.rows[0, 0])


class Timetable:
    """At most one schedule per job, together within the capacities.

    Parameters
    ----------
    instance : ColocatedInstance
    prices : ndarray, shape (T, R)
        Of pooled machines: what is scarce is not to be left over in pieces that nobody can use.

    Attributes
    ----------
    placed : dict of int to Placed
        By job.
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

    def renew(self, placed: Mapping[int, Placed]) -> None:
        """Run these and nothing else."""
        cluster = self.instance.cluster
        self._free = np.repeat(usable(cluster.servers)[None], cluster.slots, axis=0)
        self.placed: dict[int, Placed] = {}
        for one in placed.values():
            self.put(one)

    @property
    def value(self) -> float:
        """Total utility."""
        return math.fsum(one.value for one in self.placed.values())

    def put(self, one: Placed) -> None:
        """Run a job; the caller knows that it fits."""
        job = self.instance.jobs[one.job]
        take(self._free, one.rows, job.worker, job.ps, 1.0)
        self.placed[one.job] = one

    def remove(self, job: int) -> Placed:
        """Stop running a job."""
        one, demand = self.placed.pop(job), self.instance.jobs[job]
        take(self._free, one.rows, demand.worker, demand.ps, -1.0)
        return one

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
            self.put(Placed(job, column.completion, column.value, rows))
        return bool(complete)

    def schedule(self) -> ColocatedSchedule:
        """What runs, as a schedule."""
        columns = []
        for one in self.placed.values():
            workers, ps = one.rows[:, :3], one.rows[:, [0, 1, 3]]
            columns.append(Column.build(self.instance.jobs[one.job], one.value, workers, ps))
        return schedule_of(self.instance, columns)


def placed_of(instance: ColocatedInstance, schedule: ColocatedSchedule) -> dict[int, Placed]:
    """The jobs that a feasible schedule completes."""
    found = {}
    for job in np.flatnonzero(schedule.admitted).tolist():
        workers, ps = (table[table[:, 0] == job, 1:] for table in (schedule.workers, schedule.ps))
        keys, place = np.unique(
            np.concatenate([workers[:, :2], ps[:, :2]]), axis=0, return_inverse=True
        )
        counts = np.zeros((len(keys), 2), dtype=np.int64)
        np.add.at(counts[:, 0], place.ravel()[: len(workers)], workers[:, 2])
        np.add.at(counts[:, 1], place.ravel()[len(workers) :], ps[:, 2])
        completion = int(workers[:, 0].max())
        value = float(instance.jobs[job].values(instance.cluster.slots)[completion])
        found[job] = Placed(job, completion, value, np.column_stack([keys, counts]))
    return found

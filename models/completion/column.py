"""Placements, and schedules of one job: columns of the schedule ILP (8) or (17)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from models.completion.cluster import NO_TYPE, Cluster
from models.completion.instance import CompletionInstance
from models.completion.schedule import CompletionSchedule

__all__ = ["Column", "Placement", "columns_of", "schedule_of"]


@dataclass(frozen=True, eq=False)
class Placement:
    """Where a job's workers and parameter servers are.

    Parameters
    ----------
    worker_type, ps_type : int
        m and p; p is ``NO_TYPE`` with all-reduce.
    servers : ndarray of int64, shape (k,)
        Each server at most once.
    workers, ps : ndarray of int64, shape (k,)
        ``y_jh`` and ``s_jh`` there; a server has one of either at least.
    """

    worker_type: int
    ps_type: int
    servers: np.ndarray
    workers: np.ndarray
    ps: np.ndarray

    @property
    def internal(self) -> bool:
        """``q_j``: whether all of it is on one server."""
        return len(self.servers) == 1

    def amounts(self, cluster: Cluster) -> np.ndarray:
        """``f_jh^r``: what it holds of each resource on its servers in a slot, shape (k, R)."""
        held = np.outer(self.workers, cluster.worker_types[self.worker_type])
        if self.ps_type != NO_TYPE:
            held += np.outer(self.ps, cluster.ps_types[self.ps_type])
        return held


@dataclass(frozen=True, eq=False)
class Column(Placement):
    """A feasible schedule ``l`` of job j: satisfies (2b)-(2g), (2i) or (15a), (2b), (2f), (2g).

    Its servers are in ascending order.

    Parameters
    ----------
    job : int
        Index of the job.
    start, duration : int
        It runs in the slots from start to start + duration - 1.
    value : float
        What it is worth: ``w_j`` in (8), ``-w_j c_j`` for (2), or the worth the oracle was given.
    cost : float
        Price of the resources used, at the prices it was found for (0 if none).
    """

    job: int
    start: int
    duration: int
    value: float
    cost: float = 0.0

    @property
    def completion(self) -> int:
        """``c_j``: the first slot after the last."""
        return self.start + self.duration

    @property
    def payoff(self) -> float:
        """Right-hand side of (9a): value minus cost."""
        return self.value - self.cost


def schedule_of(instance: CompletionInstance, columns: Iterable[Column]) -> CompletionSchedule:
    """Schedule that runs each of these columns, at most one per job; other jobs do not run."""
    types = np.full((2, len(instance.jobs)), NO_TYPE, dtype=np.int64)
    rows: list[tuple[int, ...]] = []
    for column in columns:
        if types[0, column.job] != NO_TYPE:
            raise ValueError(f"two columns of job {column.job}, against (8b)")
        types[:, column.job] = column.worker_type, column.ps_type
        window = (column.job, column.start, column.completion)
        placed = np.column_stack([column.servers, column.workers, column.ps])
        rows += [(*window, *row) for row in placed.tolist()]
    return CompletionSchedule.build(instance, types[0], types[1], rows)


def columns_of(instance: CompletionInstance, schedule: CompletionSchedule) -> dict[int, Column]:
    """The jobs of a schedule with constant placement."""
    found = {}
    for job in instance.jobs:
        rows = schedule.rows[schedule.rows[:, 0] == job.index]
        if len(rows):
            _, start, end, _, _, _ = rows[0].tolist()
            found[job.index] = Column(
                job=job.index,
                start=start,
                duration=end - start,
                worker_type=int(schedule.worker_type[job.index]),
                ps_type=int(schedule.ps_type[job.index]),
                servers=rows[:, 3],
                workers=rows[:, 4],
                ps=rows[:, 5],
                value=-job.weight * end,
            )
    return found

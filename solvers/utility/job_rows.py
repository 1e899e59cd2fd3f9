"""The rows of one job in the totals program: the compact ILP's, summed over servers and slots.

Two rows are left out because they add nothing. The line of (6) lies above the hull of its integer
points. And (7) can always be met by taking away the parameter servers that outnumber the workers:
each of them serves at least one worker, so (6) still holds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from models.utility.formulations import JobLimits
from solvers.utility.deadline_groups import DeadlineGroups
from solvers.utility.sparse_rows import NEVER, Part, SparseRows
from solvers.utility.time_grid import TimeGrid

__all__ = ["JobColumns", "add_job_rows"]


@dataclass(frozen=True, eq=False)
class JobColumns:
    """Columns of one job.

    Parameters
    ----------
    limits : JobLimits
    groups : DeadlineGroups
    done : ndarray of int64
        Of d, one per group.
    n, m : ndarray of int64
        Of workers and parameter servers, one per interval from that of the arrival on.
    """

    limits: JobLimits
    groups: DeadlineGroups
    done: np.ndarray
    n: np.ndarray
    m: np.ndarray


def add_job_rows(rows: SparseRows, grid: TimeGrid, job: JobColumns) -> None:
    """Add the rows of a job."""
    limits, done, n, m = job.limits, job.done, job.n, job.m
    work, last, at = float(limits.job.work), done[-1], np.arange(len(n))
    slots = np.arange(limits.job.arrival, int(job.groups.ends[-1]) + 1)
    interval = grid.interval[slots] - grid.interval[slots[0]]
    length = np.bincount(interval).astype(float)
    # running = d[last] - d[before], summed over the slots of an interval; before is the group
    # before the slot's own, or none
    group = job.groups.first(slots)
    before = np.where(group > 0, done[group - 1], NEVER)
    pairs, times = np.unique(np.stack([interval, before]), axis=1, return_counts=True)

    def running(factor: float) -> tuple[Part, ...]:
        return (at, last, -factor * length), (pairs[0], pairs[1], factor * times)

    rows.add(1, 0.0, 0.0, (0, n, 1.0), (0, last, -work))  # (2)
    rows.add(len(n), -math.inf, 0.0, (at, n, 1.0), *running(limits.most))  # (3), (8)
    for edge, height in limits.staircase():  # (6)
        parts = ((at, n, 1.0), (at, m, -edge), *(running(height) if height else ()))
        rows.add(len(n), -math.inf, 0.0, *parts)
    steps = np.arange(len(done) - 1)
    rows.add(len(steps), -math.inf, 0.0, (steps, done[:-1], 1.0), (steps, done[1:], -1.0))
    _work_by_deadlines(rows, grid, job)


def _work_by_deadlines(rows: SparseRows, grid: TimeGrid, job: JobColumns) -> None:
    """Work by the deadline: sum of n[i,s] over s <= t is at least W d[i,t].

    All of the interval that contains t counts, but no more than the largest number of workers in
    its slots up to t.
    """
    limits, ends, at = job.limits, job.groups.ends[:-1], np.arange(len(job.n))
    own = grid.interval[ends]
    up_to = ends + 1 - np.maximum(grid.starts[own], limits.job.arrival)
    own_column = own - grid.interval[limits.job.arrival]
    cut_short = ends + 1 < grid.starts[own] + grid.length[own]
    for these, whole in ((np.arange(len(ends)), True), (np.flatnonzero(cut_short), False)):
        count = np.arange(len(these))
        row, interval = np.nonzero(at <= own_column[these, None] - (not whole))
        parts: list[Part] = [(row, job.n[interval], 1.0)]
        if not whole:
            parts.append((count, job.done[-1], limits.most * up_to[these].astype(float)))
        parts.append((count, job.done[these], -float(limits.job.work)))
        rows.add(len(these), 0.0, math.inf, *parts)

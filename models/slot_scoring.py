"""What the scorers of slot schedules share: counts, what jobs earn, and rules on single rows.

Like the scorers it shares no code with what it judges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from models.scoring import Violation
from models.slot_schedule import SlotSchedule

__all__ = [
    "TOLERANCE",
    "before_arrival",
    "earned",
    "negative",
    "over_capacity",
    "too_many_workers",
    "totals",
]

TOLERANCE = 1e-6
"""Of capacities and the like, relative to max(1, right-hand side)."""


def totals(instance: Any, rows: np.ndarray) -> np.ndarray:
    """Counts of rows (job, slot, server, count) by job and slot, int64, shape (I, T)."""
    found = np.zeros((len(instance.jobs), instance.cluster.slots), dtype=np.int64)
    np.add.at(found, (rows[:, 0], rows[:, 1]), rows[:, 3])
    return found


def earned(
    instance: Any, admitted: np.ndarray, workers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Completion slot and utility of each job, from its workers by slot: the last slot with one.

    -1 and 0 for a job that is not admitted or never runs.
    """
    completion = np.full(len(instance.jobs), -1, dtype=np.int64)
    value = np.zeros(len(instance.jobs))
    for i in np.flatnonzero(admitted):
        busy = np.flatnonzero(workers[i] > 0)
        if busy.size:
            job, completion[i] = instance.jobs[i], busy[-1]
            value[i] = float(job.utility(completion[i] - job.arrival))
    return completion, value


def over_capacity(
    instance: Any,
    schedule: SlotSchedule,
    equation: str,
    kinds: Sequence[str],
    servers: np.ndarray,
    name: str,
) -> Iterator[Violation]:
    """Servers, capacities of shape (S, R), that ``"worker"``, ``"ps"`` or both overload."""
    cluster = instance.cluster
    used = np.zeros((cluster.slots, *servers.shape))
    for kind in kinds:
        rows = schedule.workers if kind == "worker" else schedule.ps
        if len(rows):
            demand = np.array([getattr(job, kind) for job in instance.jobs])
            np.add.at(used, (rows[:, 1], rows[:, 2]), demand[rows[:, 0]] * rows[:, 3:4])
    over = used > servers + TOLERANCE * np.maximum(1.0, servers)
    for t, s, r in np.argwhere(over).tolist():
        amounts = f"{used[t, s, r]:.9g} of {servers[s, r]:.9g} {cluster.resources[r]}"
        yield Violation(equation, f"{name} {s} uses {amounts} in slot {t}", None, t, s)


def too_many_workers(
    instance: Any, equation: str, workers: np.ndarray, most: Sequence[int], symbol: str
) -> Iterator[Violation]:
    """Jobs with more workers in a slot than they may have."""
    limit = np.array(most, dtype=np.int64)
    for i, t in np.argwhere(workers > limit[:, None]).tolist():
        job, count = instance.jobs[i], workers[i, t]
        message = f"job '{job.id}' runs {count} workers in slot {t}, more than {symbol} = {most[i]}"
        yield Violation(equation, message, job.id, t)


def before_arrival(
    instance: Any, equation: str, rows: np.ndarray, what: str
) -> Iterator[Violation]:
    """Rows of jobs that have not arrived."""
    arrival = np.array([job.arrival for job in instance.jobs], dtype=np.int64)
    for i, t, s, _ in rows[rows[:, 1] < arrival[rows[:, 0]]].tolist():
        job = instance.jobs[i]
        message = f"job '{job.id}' runs a {what} in slot {t}, before its arrival {job.arrival}"
        yield Violation(equation, message, job.id, t, s)


def negative(instance: Any, equation: str, rows: np.ndarray, what: str) -> Iterator[Violation]:
    """Rows with a count below 0."""
    for i, t, s, count in rows[rows[:, 3] < 0].tolist():
        job = instance.jobs[i]
        message = f"job '{job.id}' has {count} {what} on server {s} in slot {t}"
        yield Violation(equation, message, job.id, t, s)

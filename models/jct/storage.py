"""The scorer's constraints on storage, (7a)-(7d)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from models.jct.cluster import CLOUD
from models.jct.instance import JctInstance
from models.jct.schedule import JctSchedule, first_rows
from models.scoring import Violation

__all__ = ["storage_violations"]

_TOLERANCE = 1e-6  # relative to max(1, right-hand side)


def storage_violations(
    instance: JctInstance, schedule: JctSchedule, last: np.ndarray
) -> Iterator[Violation]:
    """Violations of (7b) and (7c).

    Parameters
    ----------
    instance : JctInstance
    schedule : JctSchedule
    last : ndarray of int64, shape (J,)
        Last slot in which each job runs.
    """
    if schedule.migration:
        held = _held_while_moving(schedule, last)
    else:
        stored = _stored(instance, schedule)
        yield from _constraint_7c(instance, stored)
        held = [
            (server, j, instance.jobs[j].arrival, int(last[j]) + 1, chunks)
            for (j, server), chunks in stored.items()
        ]
    yield from _constraint_7b(instance, held)


def _stored(instance: JctInstance, schedule: JctSchedule) -> dict[tuple[int, int], int]:
    """Chunks that each (job, server) has at least a part of."""
    busy = schedule.busy
    p = np.array(
        [
            job.cloud_chunk_slots if together else job.chunk_slots
            for job, together in zip(instance.jobs, schedule.together.tolist(), strict=True)
        ],
        dtype=np.int64,
    )
    first = first_rows(busy, 2)
    chunks = np.add.reduceat(-(-busy[:, 3] // p[busy[:, 0]]), first)
    return {
        (j, server): count
        for (j, server), count in zip(busy[first, :2].tolist(), chunks.tolist(), strict=True)
    }


def _constraint_7c(
    instance: JctInstance, stored: dict[tuple[int, int], int]
) -> Iterator[Violation]:
    total = np.zeros(len(instance.jobs), dtype=np.int64)
    for (j, _), chunks in stored.items():
        total[j] += chunks
    for j in np.flatnonzero(total > [job.chunks for job in instance.jobs]).tolist():
        job = instance.jobs[j]
        message = (
            f"workers train parts of {total[j]} chunks of job '{job.id}', which has {job.chunks}: "
            f"a chunk was moved or trained for longer than it takes"
        )
        yield Violation("(7c)", message, job.id)


def _held_while_moving(
    schedule: JctSchedule, last: np.ndarray
) -> list[tuple[int, int, int, int, int]]:
    """(server, job, start, stop, chunks) that a migrating schedule stores at the least."""
    rows = schedule.workers
    first = first_rows(rows, 2)
    held = []
    for begin, end in pairwise([*first.tolist(), len(rows)]):
        j, server = rows[begin, :2].tolist()
        part = rows[begin:end]
        # Stops before starts in the same slot.
        slots, change = part[:, [4, 3]].T.ravel(), np.repeat([-1, 1], len(part))
        running = np.cumsum(change[np.argsort(slots, kind="stable")])
        held.append((server, j, int(slots.min()), int(last[j]) + 1, int(running.max())))
    return held


def _constraint_7b(
    instance: JctInstance, held: list[tuple[int, int, int, int, int]]
) -> Iterator[Violation]:
    changes: dict[int, list[tuple[int, float]]] = defaultdict(list)
    capacity = instance.cluster.storage_gb
    for server, j, start, stop, chunks in held:
        size = chunks * instance.jobs[j].chunk_gb
        if server != CLOUD and size > 0 and np.isfinite(capacity[server]):
            changes[server] += [(start, size), (stop, -size)]
    for server, steps in sorted(changes.items()):
        limit = float(capacity[server])
        steps.sort()
        used, was_over = 0.0, False
        for place, (slot, size) in enumerate(steps):
            used += size
            if place + 1 < len(steps) and steps[place + 1][0] == slot:
                continue
            is_over = used > limit + _TOLERANCE * max(1.0, limit)
            if is_over and not was_over:
                message = f"server {server} stores {used:.9g} of {limit:.9g} GB in slot {slot}"
                yield Violation("(7b)", message, None, slot, server)
            was_over = is_over

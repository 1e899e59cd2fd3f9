"""Load of an instance: how much its jobs need of what the edge has while they arrive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from models.jct.checks import chunk_times, whole_slots
from models.jct.files import JobRecord, ServerRecord
from models.jct.instance import JctInstance

__all__ = ["load", "load_of"]


def load(instance: JctInstance) -> float:
    """Mean over the worker types of the edge of the worker-slots needed over those there are.

    A job needs ``D p`` worker-slots of its type. There are as many as the edge has workers of the
    type, times the slots in which jobs arrive: from slot 0 to the last arrival, since the horizon
    is as long as it takes and the cloud is never full. Above 1 the edge cannot keep up with what
    arrives and the cloud has to help. With one type this is the sum over the jobs of their shares
    of the edge. Jobs of a type that the edge does not have count for nothing. Slots and times are
    those of the file, at the offline speed.
    """
    file = instance.file
    return load_of(file.jobs, file.servers, file.slot_seconds)


def load_of(
    jobs: Sequence[JobRecord], servers: Sequence[ServerRecord], slot_seconds: float
) -> float:
    """The same of what stands in a file."""
    workers = Counter(name for server in servers for name in server.workers)
    if not (jobs and workers):
        return 0.0
    needed = dict.fromkeys(sorted(workers), 0)
    for place, job in enumerate(jobs):
        if job.worker_type in needed:
            apart, _ = chunk_times(job, slot_seconds, f"$.jobs[{place}]", "load")
            needed[job.worker_type] += job.chunks * whole_slots(apart)
    slots = 1 + max(job.arrival for job in jobs)
    return float(np.mean([work / (workers[name] * slots) for name, work in needed.items()]))

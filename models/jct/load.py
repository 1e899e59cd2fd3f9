"""Load of an instance: how much its jobs need of what the edge has while they arrive."""

from __future__ import annotations

import numpy as np

from models.jct.instance import JctInstance

__all__ = ["load"]


def load(instance: JctInstance) -> float:
    """Mean over the worker types of the edge of the worker-slots needed over those there are.

    A job needs ``D p`` worker-slots of its type. There are as many as the edge has workers of the
    type, times the slots in which jobs arrive: from slot 0 to the last arrival, since the horizon
    is as long as it takes and the cloud is never full. Above 1 the edge cannot keep up with what
    arrives and the cloud has to help. With one type this is the sum over the jobs of their shares
    of the edge. Jobs of a type that the edge does not have count for nothing.
    """
    cluster = instance.cluster
    if not (instance.jobs and cluster.worker_types):
        return 0.0
    slots = 1 + max(job.arrival for job in instance.jobs)
    needed = np.zeros(len(cluster.worker_types))
    for job in instance.jobs:
        if job.worker_type >= 0:
            needed[job.worker_type] += job.chunks * job.chunk_slots
    workers = np.bincount(cluster.worker_type, minlength=len(needed))
    return float((needed / (workers * slots)).mean())

"""Load of an instance: how much its jobs need of what the servers have."""

from __future__ import annotations

import math

from models.colocated.instance import ColocatedInstance
from models.resources import dominant_share

__all__ = ["load"]


def load(instance: ColocatedInstance) -> float:
    """Sum over the jobs of their dominant shares when they run on several servers.

    A job needs ``work`` external worker-slots, and at least ``work / gamma`` slots of parameter
    servers; its share is the largest, over resources, of the capacity of all servers times T,
    infinite if it demands what no server has. At a load of 1 there is about as much to do as can be
    done, if servers could be filled without a rest and jobs run at any time; on one server a job
    needs less. 0 without jobs.
    """
    cluster = instance.cluster
    every = cluster.servers.sum(axis=0) * cluster.slots
    return math.fsum(
        float(dominant_share(job.work * (job.worker + job.ps / job.gamma), every))
        for job in instance.jobs
    )

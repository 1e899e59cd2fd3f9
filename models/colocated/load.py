"""Load of an instance: how much its jobs need of what the servers have."""

from __future__ import annotations

import math

from models.colocated.cluster import Cluster, Job
from models.colocated.instance import ColocatedInstance
from models.resources import dominant_share

__all__ = ["dominant_share_of", "load"]


def load(instance: ColocatedInstance) -> float:
    """Sum over the jobs of their dominant shares when they run on several servers.

    At 1 there is about as much to do as can be done, if servers could be filled without a rest and
    jobs run at any time; on one server a job needs less. 0 without jobs.
    """
    return math.fsum(dominant_share_of(job, instance.cluster) for job in instance.jobs)


def dominant_share_of(job: Job, cluster: Cluster) -> float:
    """Largest share, over resources, of all there is that a job needs.

    It needs ``work`` external worker-slots, and at least ``work / gamma`` slots of parameter
    servers; all there is, is the capacity of all servers times T. Infinite for a job that demands
    what no server has.
    """
    need = job.work * (job.worker + job.ps / job.gamma)
    return float(dominant_share(need, cluster.servers.sum(axis=0) * cluster.slots))

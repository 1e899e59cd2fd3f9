"""Load of an instance: how much its jobs need of what the servers have."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.instance import CompletionInstance
from models.completion.rates import least_duration, least_ps, minibatch_time
from models.resources import dominant_share

__all__ = ["ideal_demand", "load"]


def load(instance: CompletionInstance) -> float:
    """Sum over the jobs of their dominant shares when each runs as fast as it can, spread.

    That is with N = D workers of its fastest pair of types (of equally fast ones the first), the
    rate of ``q = 0``, and ``ceil(D b / B)`` parameter servers, for the whole slots that it takes.
    The share is the largest, over resources, of what this holds of the capacity of all servers in
    T slots. At 1 there is about as much to do as can be done; jobs with fewer workers may need
    less. 0 without jobs, infinite where no server has what a job demands.
    """
    cluster = instance.cluster
    have = cluster.servers.sum(axis=0) * cluster.slots
    demands = (ideal_demand(job, cluster) for job in instance.jobs)
    return math.fsum(float(dominant_share(held * slots, have)) for held, slots in demands)


def ideal_demand(job: Job, cluster: Cluster) -> tuple[np.ndarray, int]:
    """What a job holds in a slot when it runs so, shape (R,), and the slots that it takes."""
    pairs = list(product(range(len(cluster.worker_types)), cluster.ps_choices))
    times = [float(minibatch_time(job, m, p, job.chunks, False)) for m, p in pairs]
    m, p = pairs[times.index(min(times))]
    held = job.chunks * cluster.worker_types[m]
    if not cluster.allreduce:
        ps = least_ps(job.chunks, cluster.worker_gbps[m], cluster.ps_gbps[p])
        held = held + ps * cluster.ps_types[p]
    return held, least_duration(job, m, p, job.chunks, False)

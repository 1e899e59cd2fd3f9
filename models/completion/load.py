"""Load of an instance: how much its jobs need of what the servers have."""

from __future__ import annotations

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.instance import CompletionInstance
from models.completion.rates import least_duration, least_ps, minibatch_time

__all__ = ["load"]


def load(instance: CompletionInstance) -> float:
    """Sum over the jobs of their dominant shares when each runs as fast as it can, spread.

    That is with N = D workers of its fastest pair of types (of equally fast ones the first), the
    rate of ``q = 0``, and ``ceil(D b / B)`` parameter servers, for the whole slots that it takes.
    The share is the largest, over resources, of what this holds of the capacity of all servers in
    T slots. At 1 there is about as much to do as can be done; jobs with fewer workers may need
    less. 0 without jobs, infinite where no server has what a job demands.
    """
    return float(sum(_share(job, instance.cluster) for job in instance.jobs))


def _share(job: Job, cluster: Cluster) -> float:
    pairs = [(m, p) for m in range(len(cluster.worker_types)) for p in cluster.ps_choices]
    m, p = min(pairs, key=lambda at: float(minibatch_time(job, at[0], at[1], job.chunks, False)))
    held = job.chunks * cluster.worker_types[m]
    if not cluster.allreduce:
        b, big_b = float(cluster.worker_gbps[m]), float(cluster.ps_gbps[p])
        held = held + least_ps(job.chunks, b, big_b) * cluster.ps_types[p]
    need = held * least_duration(job, m, p, job.chunks, False)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(need > 0.0, need / (cluster.servers.sum(axis=0) * cluster.slots), 0.0)
    return float(share.max())

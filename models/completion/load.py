"""Load of an instance: how much its jobs need of what the servers have."""

from __future__ import annotations

from itertools import product

from models.completion.instance import CompletionInstance
from models.completion.rates import least_duration, least_ps, minibatch_time
from models.resources import dominant_share

__all__ = ["load"]


def load(instance: CompletionInstance) -> float:
    """Sum over the jobs of their dominant shares when each runs as fast as it can, spread.

    That is with N = D workers of its fastest pair of types (of equally fast ones the first), the
    rate of ``q = 0``, and ``ceil(D b / B)`` parameter servers, for the whole slots that it takes.
    The share is the largest, over resources, of what this holds of the capacity of all servers in
    T slots. At 1 there is about as much to do as can be done; jobs with fewer workers may need
    less. 0 without jobs, infinite where no server has what a job demands.
    """
    cluster, total = instance.cluster, 0.0
    have = cluster.servers.sum(axis=0) * cluster.slots
    pairs = list(product(range(len(cluster.worker_types)), cluster.ps_choices))
    for job in instance.jobs:
        times = [float(minibatch_time(job, m, p, job.chunks, False)) for m, p in pairs]
        m, p = pairs[times.index(min(times))]
        held = job.chunks * cluster.worker_types[m]
        if not cluster.allreduce:
            ps = least_ps(job.chunks, cluster.worker_gbps[m], cluster.ps_gbps[p])
            held = held + ps * cluster.ps_types[p]
        need = held * least_duration(job, m, p, job.chunks, False)
        total += float(dominant_share(need, have))
    return total

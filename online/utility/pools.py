"""The two pools of servers, each as a whole: capacities summed over servers, and their shares.

Workers and parameter servers live on separate servers, so each resource of each of the two
pools is a resource of its own; a share is a share of that pool's total.
"""

from __future__ import annotations

import numpy as np

from models.utility.instance import Cluster, Job

__all__ = ["pooled_capacity", "pooled_shares", "unit_shares"]


def pooled_capacity(cluster: Cluster) -> np.ndarray:
    """Capacities summed over the worker servers, then over the others, shape (2 R,)."""
    return np.concatenate([cluster.worker_servers.sum(axis=0), cluster.ps_servers.sum(axis=0)])


def pooled_shares(job: Job, workers: int, capacity: np.ndarray) -> np.ndarray:
    """Shares of the pooled capacities that so many workers, and their parameter servers, take.

    The largest is the job's dominant share.
    """
    use = np.concatenate([workers * job.worker, job.ps_needed(workers) * job.ps])
    return np.divide(use, capacity, out=np.zeros_like(use), where=use > 0)


def unit_shares(cluster: Cluster, job: Job) -> tuple[float, float]:
    """Largest share of a pool's total that one worker and one parameter server take.

    Workers and parameter servers live on separate servers, so each resource of each of the
    two pools is a resource of its own: with n workers and m parameter servers, the job's
    dominant share is ``max(n * first, m * second)``.
    """
    shares = []
    for capacity, demand in (
        (cluster.worker_servers, job.worker),
        (cluster.ps_servers, job.ps),
    ):
        total = capacity.sum(axis=0)
        used = demand > 0
        with np.errstate(divide="ignore"):
            shares.append(float((demand[used] / total[used]).max()))
    return shares[0], shares[1]

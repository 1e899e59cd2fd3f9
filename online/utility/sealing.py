"""Copies of what a policy is shown, which it cannot change."""

from __future__ import annotations

from dataclasses import replace

from models.sealing import sealed
from models.utility.instance import Cluster, Job

__all__ = ["seal_cluster", "seal_job"]


def seal_cluster(cluster: Cluster) -> Cluster:
    """Copy a cluster, with arrays that nobody can make writable."""
    return replace(
        cluster,
        worker_servers=sealed(cluster.worker_servers),
        ps_servers=sealed(cluster.ps_servers),
    )


def seal_job(job: Job, rank: int) -> Job:
    """Copy a job, known by its rank of arrival, with arrays that nobody can make writable."""
    return replace(job, index=rank, worker=sealed(job.worker), ps=sealed(job.ps))

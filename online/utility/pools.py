"""What policies that share servers out have to know of the ``utility`` problem."""

from __future__ import annotations

from models.utility.instance import Cluster
from online.pools import Pools, Rules

__all__ = ["RULES", "pools_of"]


def pools_of(cluster: Cluster) -> Pools:
    """Workers and parameter servers live on separate servers."""
    return Pools(cluster.worker_servers, cluster.ps_servers, cluster.bandwidth)


RULES = Rules(
    pools=pools_of,
    fits=lambda job, cluster: job.max_workers(cluster) > 0,
    most=lambda job, left: min(job.chunks, left),
    ps_per_worker=lambda job: job.worker_gbps / job.ps_gbps,
)
